package import LonghaulCore

/// Asks for what there is to tell: the reply comes once, from any thread, with `nil` when that is nothing now.
package typealias WatchPull = @Sendable (_ reply: @escaping @Sendable (WatchUpdate?) -> Void) -> Void

/// What a watcher hears that asks for its updates itself.
package enum WatchSignal: Sendable {
    /// There is something to tell. No other signal comes before the pull was called.
    case news(WatchPull)
    /// It has fallen behind by more than is kept; the watch is over, and may be begun again.
    case lost
}

/// How a watcher is told.
enum WatchObserver: Sendable {
    /// All that there is, about ten times a second.
    case each(@Sendable (WatchUpdate) -> Void)
    /// That there is something, or that the watch is over; the watcher pulls in portions when it has room for them.
    case signalled(@Sendable (_ isLost: Bool) -> Void)
}
