import LonghaulCore
import Synchronization

/// The state that the engines of one world share: whether there is a network, and whether jobs are running.
final class EngineMonitor: Sendable {
    fileprivate struct State {
        var isOffline = false
        var engines: [ObjectIdentifier: PlayedEngine] = [:]
        /// Running jobs with files, by session.
        var jobs: [ObjectIdentifier: Int] = [:]
        var events: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isOffline: Bool { state.withLock(\.isOffline) }
    /// The number of events of all engines.
    var events: UInt64 { state.withLock(\.events) }

    func add(_ engine: PlayedEngine) {
        state.withLock { $0.engines[ObjectIdentifier(engine)] = engine }
    }

    func remove(_ engine: PlayedEngine) {
        change { $0.engines[ObjectIdentifier(engine)] = nil }
    }

    func beginFileJob(_ tally: CountedFiles.Tally) {
        change { $0.jobs[ObjectIdentifier(tally), default: 0] += 1 }
    }

    func endFileJobs(_ count: Int, _ tally: CountedFiles.Tally) {
        change { state in
            guard let open = state.jobs[ObjectIdentifier(tally)] else { return }
            state.jobs[ObjectIdentifier(tally)] = open - count
        }
    }

    /// Forgets the jobs, whose results are not delivered.
    func remove(_ tally: CountedFiles.Tally) {
        change { $0.jobs[ObjectIdentifier(tally)] = nil }
    }

    func recordEvent() {
        change { _ in }
    }

    /// Sets the network state. Going offline breaks all running exchanges.
    func setOffline(_ isOffline: Bool) {
        let engines = state.withLock { state in
            state.isOffline = isOffline
            return isOffline ? Array(state.engines.values) : []
        }
        for engine in engines { engine.breakAll() }
    }

    /// Returns when no job with files is running.
    func whenFilesAreDone() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.isIdle { state.waiters.append(continuation) }
                return state.isIdle
            }
            if isDone { continuation.resume() }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            body(&state)
            state.events += 1
            guard state.isIdle else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension EngineMonitor.State {
    fileprivate var isIdle: Bool { jobs.values.allSatisfy { $0 == 0 } }
}
