package import LonghaulCore

/// Pulls an update: the reply comes once, from any thread, with `nil` if there is none now.
package typealias WatchPull = @Sendable (_ reply: @escaping @Sendable (WatchUpdate?) -> Void) -> Void

/// A signal to a watcher that pulls its updates.
package enum WatchSignal: Sendable {
    /// There are updates. No other signal comes before the pull was called.
    case news(WatchPull)
    /// The watcher has fallen behind by more than is kept. The watch is over, and may be started again.
    case lost
}

/// How a watcher receives updates.
enum WatchObserver: Sendable {
    /// All updates, about ten times a second.
    case each(@Sendable (WatchUpdate) -> Void)
    /// A signal that there are updates, or that the watch is over. The watcher pulls pages when it has room for them.
    case signalled(@Sendable (_ isLost: Bool) -> Void)
}
