package import LonghaulCore
import LonghaulIPC
import Synchronization

/// Brings a watch's updates from the connection's thread to the one task that reads them; what is not read is merged.
package final class WatchChannel: Sendable {
    package typealias Answer = Result<WatchUpdate?, TransferFailure>

    private struct State {
        var buffer = WatchBuffer()
        var reader: CheckedContinuation<Answer, Never>?
        var ending: Answer?
    }

    private let state = Mutex(State())

    package init() {}

    package func merge(_ update: WatchUpdate) {
        let ready = state.withLock { state -> (CheckedContinuation<Answer, Never>, Answer)? in
            guard state.ending == nil else { return nil }
            state.buffer.merge(update)
            guard let reader = state.reader, let update = state.buffer.take() else { return nil }
            state.reader = nil
            return (reader, .success(update))
        }
        if let (reader, answer) = ready { reader.resume(returning: answer) }
    }

    /// Ends the stream after what is buffered; only the first ending counts.
    package func end(_ ending: Answer) {
        let reader = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: ending)
    }

    /// The next update; `nil` after the end, and at once when the task is cancelled.
    package func next() async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if let update = state.buffer.take() { return .success(update) }
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
