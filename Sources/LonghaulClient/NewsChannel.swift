package import LonghaulCore
import Synchronization

/// Brings the latest value of something to the one task that waits for it, such as the number of a session's newest event.
package final class NewsChannel<News: Sendable>: Sendable {
    package typealias Answer = Result<News?, TransferFailure>

    private struct State {
        var news: News?
        var reader: CheckedContinuation<Answer, Never>?
        var ending: Answer?
    }

    private let state = Mutex(State())

    package init() {}

    package func tell(_ newest: News) {
        let reader = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.ending == nil else { return nil }
            guard let reader = state.reader else {
                state.news = newest
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: .success(newest))
    }

    /// Ends the stream after what is there; only the first ending counts.
    package func end(_ ending: Answer) {
        let reader = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: ending)
    }

    /// The newest value that was not given yet; `nil` after the end, and at once when the task is cancelled.
    package func next() async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if let news = state.news {
                        state.news = nil
                        return .success(news)
                    }
                    if let ending = state.ending { return ending }
                    // One task reads a stream; a second one is told that there is nothing for it.
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
