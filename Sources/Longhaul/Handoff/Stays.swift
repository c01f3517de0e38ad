import Synchronization

/// Those who stay for the end of a transfer, and may be called back.
final class Stays: Sendable {
    private let feeds = Mutex<[AsyncStream<Never>.Continuation]>([])

    /// `probe` is called before the waiting begins.
    func pass(
        _ stay: Stay, in session: InProcessBackend, while isWanted: @escaping @Sendable () -> Bool,
        probe: @Sendable () async -> Void = {}
    ) async {
        let (interruption, feed) = AsyncStream<Never>.makeStream()
        feeds.withLock { $0.append(feed) }
        await probe()
        // It may have come back before it could interrupt.
        if isWanted() { await stay.pass(in: session, interruption: interruption) }
        feed.finish()
    }

    func interrupt() {
        for feed in feeds.withLock({ $0 }) { feed.finish() }
    }

    /// Nobody stays any more.
    func clear() {
        feeds.withLock { $0 = [] }
    }
}
