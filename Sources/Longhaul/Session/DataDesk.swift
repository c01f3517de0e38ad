import Synchronization

/// Who waits for the answers to small requests in this process. Identical ones are one transfer and wait together.
final class DataDesk: Sendable {
    typealias Answer = Result<ResponseSummary, TransferFailure>

    /// Those who wait for the same, and whoever looks for the answer on their behalf.
    private struct Wait {
        var number: UInt64
        var waiters: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        var observation: Task<Void, Never>?
    }

    private struct State {
        var waits: [String: Wait] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Waits for an answer that `observe` finds; it is called by the first who waits. The last who stops waiting ends it.
    func wait(for key: String, observe: @escaping @Sendable (_ wait: UInt64) async -> Void) async -> Answer {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    var wait = state.waits[key] ?? Wait(number: number)
                    wait.waiters[number] = continuation
                    if wait.observation == nil { wait.observation = Task { await observe(number) } }
                    state.waits[key] = wait
                }
                // A cancellation before the waiter was in the table found nothing there.
                if Task.isCancelled { leave(key, number) }
            }
        } onCancel: {
            leave(key, number)
        }
    }

    /// Takes everybody of one wait: they cannot leave any more, and each has to be given an answer. Nobody, when all of them
    /// have left; who came later has a wait of their own.
    func take(_ key: String, _ wait: UInt64) -> [CheckedContinuation<Answer, Never>] {
        state.withLock { state in
            guard state.waits[key]?.number == wait else { return [] }
            return (state.waits.removeValue(forKey: key)?.waiters ?? [:]).values.map { $0 }
        }
    }

    private func leave(_ key: String, _ number: UInt64) {
        let (waiter, observation) = state.withLock {
            state -> (CheckedContinuation<Answer, Never>?, Task<Void, Never>?) in
            let waiter = state.waits[key]?.waiters.removeValue(forKey: number)
            guard waiter != nil, state.waits[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.waits.removeValue(forKey: key)?.observation)
        }
        observation?.cancel()
        waiter?.resume(
            returning: .failure(
                TransferFailure(.interrupted, "Waiting for the answer was ended. The request goes on without it.")))
    }
}
