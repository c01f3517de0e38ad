import LonghaulCore
import Synchronization

/// Ends a process at one of its next commits and actions. Each counts twice: before it and after it.
final class Fuse: Sendable {
    private let left = Mutex<Int?>(nil)

    /// `nil` cancels the end.
    func light(_ points: Int?) { left.withLock { $0 = points } }

    /// Returns whether the process survives this point; otherwise calls `end` first.
    func passes(orEnd end: () -> Void) -> Bool {
        left.withLock { left in
            guard let points = left else { return true }
            left = points > 0 ? points - 1 : nil
            if points == 0 { end() }
            return points > 0
        }
    }
}

/// The app's wall clock, which the test advances.
final class LifeClock: Sendable {
    private let state = Mutex(WallTime(seconds: 1_800_000_000))

    var time: WallTime { state.withLock { $0 } }

    func pass(_ seconds: Int64) { state.withLock { $0 = $0 + .seconds(seconds) } }
}
