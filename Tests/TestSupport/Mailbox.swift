import LonghaulCore

/// Collects what happens on any thread, and lets a test take it in order or pick out what it waits for.
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

    /// Everything that ever came, taken or not.
    package var all: [Element] { state.value.all }

    /// Blocks until something unread fits, and takes it; what came before it stays unread.
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

    /// Blocks until so many have come in all; answers them.
    @discardableResult
    package func waitForCount(_ count: Int, timeout: Duration = .patience) throws(TimedOut) -> [Element] {
        try state.wait(for: "\(count) in the mailbox", limit: timeout) { $0.all.count >= count ? $0.all : nil }
    }

    @discardableResult
    package func waitForCount(_ count: Int, timeout: Duration = .patience) async throws -> [Element] {
        try await aside { try self.waitForCount(count, timeout: timeout) }
    }
}
