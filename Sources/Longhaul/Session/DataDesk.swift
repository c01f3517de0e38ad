import LonghaulCore
import Synchronization

/// Who waits for the answers to small requests in this process. Identical ones are one transfer and wait together.
final class DataDesk: Sendable {
    typealias Answer = Result<ResponseSummary, TransferFailure>

    /// Those who wait for the same, and whoever makes the request on their behalf.
    private struct Wait {
        var number: UInt64
        var waiters: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        /// Those who left before the request was kept: they go when it is.
        var leaving: Set<UInt64> = []
        var isKept = false
        var service: Task<Void, Never>?
    }

    private struct State {
        var waits: [String: Wait] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Waits for an answer that `serve` gets; it is called for the first who waits. The last who stops waiting ends it, but nobody
    /// stops before the request is kept.
    func wait(for key: String, serve: @escaping @Sendable (_ wait: UInt64) async -> Void) async -> Answer {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    var wait = state.waits[key] ?? Wait(number: number)
                    wait.waiters[number] = continuation
                    if wait.service == nil { wait.service = Task { await serve(number) } }
                    state.waits[key] = wait
                }
                // A cancellation before the waiter was in the table found nothing there.
                if Task.isCancelled { leave(key, number) }
            }
        } onCancel: {
            leave(key, number)
        }
    }

    /// How many different requests are waited for.
    var count: Int { state.withLock { $0.waits.count } }

    /// Takes everybody of one wait: they cannot leave any more, and each has to be given an answer. Nobody, when all of them
    /// have left; who came later has a wait of their own.
    func take(_ key: String, _ wait: UInt64) -> [CheckedContinuation<Answer, Never>] {
        state.withLock { state in
            guard state.waits[key]?.number == wait else { return [] }
            return (state.waits.removeValue(forKey: key)?.waiters ?? [:]).values.map { $0 }
        }
    }

    /// The request is on the disk: who wanted to leave may go.
    func noteKept(_ key: String, _ wait: UInt64) {
        let leaving = state.withLock { state -> Set<UInt64> in
            guard state.waits[key]?.number == wait else { return [] }
            state.waits[key]?.isKept = true
            return state.waits[key]?.leaving ?? []
        }
        for number in leaving { leave(key, number) }
    }

    private func leave(_ key: String, _ number: UInt64) {
        let (waiter, service) = state.withLock {
            state -> (CheckedContinuation<Answer, Never>?, Task<Void, Never>?) in
            guard var wait = state.waits[key], wait.waiters[number] != nil else { return (nil, nil) }
            guard wait.isKept else {
                state.waits[key]?.leaving.insert(number)
                return (nil, nil)
            }
            let waiter = wait.waiters.removeValue(forKey: number)
            state.waits[key] = wait.waiters.isEmpty ? nil : wait
            return (waiter, wait.waiters.isEmpty ? wait.service : nil)
        }
        service?.cancel()
        waiter?.resume(
            returning: .failure(
                TransferFailure(.interrupted, "Waiting for the answer was ended. The request goes on without it.")))
    }
}
