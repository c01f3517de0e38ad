package import LonghaulCore
import Synchronization

/// The elements that a channel buffers for its reader.
package protocol StreamBuffer: Sendable {
    associatedtype Element: Sendable

    init()
    mutating func add(_ element: Element)
    /// Returns the next element for the reader; `nil` if there is none.
    mutating func removeNext() -> Element?
}

/// Passes the elements of a stream from the producing thread to the one task that reads them.
package final class StreamChannel<Buffer: StreamBuffer>: Sendable {
    package typealias Answer = Result<Buffer.Element?, TransferFailure>
    private typealias Reader = CheckedContinuation<Answer, Never>

    private struct State {
        var buffer = Buffer()
        var reader: Reader?
        var ending: Answer?
    }

    private let state = Mutex(State())

    package init() {}

    package func put(_ element: Buffer.Element) {
        let ready = state.withLock { state -> (Reader, Answer)? in
            guard state.ending == nil else { return nil }
            state.buffer.add(element)
            guard let reader = state.reader, let next = state.buffer.removeNext() else { return nil }
            state.reader = nil
            return (reader, .success(next))
        }
        if let (reader, answer) = ready { reader.resume(returning: answer) }
    }

    /// Ends the stream after its buffered elements; only the first ending counts.
    package func end(_ ending: Answer) {
        let reader = state.withLock { state -> Reader? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: ending)
    }

    /// Returns the next element; `nil` after the end, and at once if the task is cancelled.
    package func next() async throws(TransferFailure) -> Buffer.Element? {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if let element = state.buffer.removeNext() { return .success(element) }
                    if let ending = state.ending { return ending }
                    // One task reads a stream; a second reader gets no elements.
                    guard state.reader == nil else { return .success(nil) }
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            end(.success(nil))
        }
        return try answer.get()
    }
}

/// A watch's updates; unread updates are merged.
package typealias WatchChannel = StreamChannel<WatchBuffer>

/// Values of which only the latest counts, such as the number of a session's newest event.
package typealias LatestValueChannel<Value: Sendable> = StreamChannel<LatestValue<Value>>

/// Credential requests, each of which needs an answer.
package typealias CredentialChannel = StreamChannel<WaitingLine<CredentialQuestion>>

extension WatchBuffer: StreamBuffer {
    package mutating func add(_ update: WatchUpdate) { merge(update) }

    package mutating func removeNext() -> WatchUpdate? { removeNext(limit: .max) }
}

/// The latest unread value.
package struct LatestValue<Element: Sendable>: StreamBuffer {
    private var value: Element?

    package init() {}

    package mutating func add(_ element: Element) { value = element }

    package mutating func removeNext() -> Element? {
        defer { value = nil }
        return value
    }
}

/// All unread elements, in order.
package struct WaitingLine<Element: Sendable>: StreamBuffer {
    private var elements: [Element] = []

    package init() {}

    package mutating func add(_ element: Element) { elements.append(element) }

    package mutating func removeNext() -> Element? { elements.isEmpty ? nil : elements.removeFirst() }
}
