import LonghaulCore
import Synchronization

/// What the engines of one world have in common: whether there is a network, and whether they have something to do.
final class PlayBoard: Sendable {
    fileprivate struct State {
        var isOffline = false
        var engines: [ObjectIdentifier: PlayedEngine] = [:]
        /// Jobs with files that have not ended, by session.
        var jobs: [ObjectIdentifier: Int] = [:]
        var events: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isOffline: Bool { state.withLock(\.isOffline) }
    /// Grows with everything that the engines do.
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

    /// Its jobs end unheard.
    func remove(_ tally: CountedFiles.Tally) {
        change { $0.jobs[ObjectIdentifier(tally)] = nil }
    }

    func noteEvent() {
        change { _ in }
    }

    /// Without a network everything breaks that is under way.
    func setOffline(_ isOffline: Bool) {
        let engines = state.withLock { state in
            state.isOffline = isOffline
            return isOffline ? Array(state.engines.values) : []
        }
        for engine in engines { engine.breakAll() }
    }

    /// Returns when no job with files is under way.
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

extension PlayBoard.State {
    fileprivate var isIdle: Bool { jobs.values.allSatisfy { $0 == 0 } }
}
