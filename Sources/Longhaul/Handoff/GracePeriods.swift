import Synchronization

/// The waits for the end of a transfer, which can be interrupted.
final class GracePeriods: Sendable {
    private let feeds = Mutex<[AsyncStream<Never>.Continuation]>([])

    /// Waits as `stay` says. `probe` is called before the wait.
    func pass(
        _ stay: GracePeriod, in session: InProcessBackend, while isWanted: @escaping @Sendable () -> Bool,
        probe: @Sendable () async -> Void = {}
    ) async {
        let (interruption, feed) = AsyncStream<Never>.makeStream()
        feeds.withLock { $0.append(feed) }
        await probe()
        // The app may have come back before it could interrupt this wait.
        if isWanted() { await stay.pass(in: session, interruption: interruption) }
        feed.finish()
    }

    func interrupt() {
        for feed in feeds.withLock({ $0 }) { feed.finish() }
    }

    /// Removes all waits.
    func clear() {
        feeds.withLock { $0 = [] }
    }
}
