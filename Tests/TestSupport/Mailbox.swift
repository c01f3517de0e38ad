import LonghaulCore

/// Collects elements from any thread, and lets a test take them in order or select one.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var all: [Element] = []
        var unread: [Element] = []
    }

    private let state = Monitor(State())

    package init() {}

    package func append(_ element: Element) {
        state.update { state in
            state.all.append(element)
            state.unread.append(element)
        }
    }

    /// All elements ever received, taken or not.
    package var all: [Element] { state.value.all }

    /// Blocks until an unread element matches, and takes it; earlier elements stay unread.
    package func next(
        matching fits: (Element) -> Bool = { _ in true }, timeout: Duration = .patience
    ) throws(TimedOut) -> Element {
        try state.wait(for: "something that fits", limit: timeout) { state in
            state.unread.firstIndex(where: fits).map { state.unread.remove(at: $0) }
        }
    }

    package func next(
        matching fits: @escaping @Sendable (Element) -> Bool = { _ in true }, timeout: Duration = .patience
    ) async throws -> Element {
        try await aside { try self.next(matching: fits, timeout: timeout) }
    }

    /// Blocks until the given number of elements were received in total; returns them.
    @discardableResult
    package func waitForCount(_ count: Int, timeout: Duration = .patience) throws(TimedOut) -> [Element] {
        try state.wait(for: "\(count) in the mailbox", limit: timeout) { $0.all.count >= count ? $0.all : nil }
    }

    @discardableResult
    package func waitForCount(_ count: Int, timeout: Duration = .patience) async throws -> [Element] {
        try await aside { try self.waitForCount(count, timeout: timeout) }
    }
}
