package import LonghaulCore
import Synchronization

/// Brings questions about credentials to the one task that has them answered.
package final class CredentialChannel: Sendable {
    package typealias Answer = Result<CredentialQuestion?, TransferFailure>

    private struct State {
        var questions: [CredentialQuestion] = []
        var reader: CheckedContinuation<Answer, Never>?
        var ending: Answer?
    }

    private let state = Mutex(State())

    package init() {}

    package func put(_ question: CredentialQuestion) {
        let reader = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.ending == nil else { return nil }
            guard let reader = state.reader else {
                state.questions.append(question)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: .success(question))
    }

    /// Ends it after what is there; only the first ending counts.
    package func end(_ ending: Answer) {
        let reader = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: ending)
    }

    /// The next question; `nil` after the end, and at once when the task is cancelled.
    package func next() async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if !state.questions.isEmpty { return .success(state.questions.removeFirst()) }
                    if let ending = state.ending { return ending }
                    // One task reads; a second one is told that there is nothing for it.
                    guard state.reader == nil else { return .success(nil) }
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            end(.success(nil))
        }
    }
}
