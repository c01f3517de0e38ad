import LonghaulCore
import Synchronization

/// A gate for concurrent calls and exclusive moves of a session: a move waits for the calls in progress, and later
/// calls wait for the move. So the owner never changes during a call.
final class CallLock: Sendable {
    private struct State {
        var calls = 0
        /// Whether a move is in progress, or waits for earlier calls.
        var isMoving = false
        var drained: CheckedContinuation<Void, Never>?
        var waitingCalls: [CheckedContinuation<Void, Never>] = []
        var waitingMoves: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for moves; `exitCall` must follow.
    func enterCall() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                if state.isMoving { state.waitingCalls.append(continuation) } else { state.calls += 1 }
                return !state.isMoving
            }
            if mayPass { continuation.resume() }
        }
    }

    func exitCall() {
        let drained = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.calls -= 1
            guard state.calls == 0 else { return nil }
            defer { state.drained = nil }
            return state.drained
        }
        drained?.resume()
    }

    /// Waits for calls and other moves; `endMove` must follow.
    func beginMove() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                if state.isMoving {
                    state.waitingMoves.append(continuation)
                    return false
                }
                state.isMoving = true
                if state.calls > 0 { state.drained = continuation }
                return state.calls == 0
            }
            if mayPass { continuation.resume() }
        }
    }

    func endMove() {
        let next = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if !state.waitingMoves.isEmpty { return [state.waitingMoves.removeFirst()] }
            state.isMoving = false
            state.calls = state.waitingCalls.count
            defer { state.waitingCalls = [] }
            return state.waitingCalls
        }
        for continuation in next { continuation.resume() }
    }
}
