import LonghaulCore
import LonghaulSystem
import Synchronization

/// The monotonic clock of an engine. It can be advanced, so that no test waits for a timeout.
///
/// libcurl's own timers, such as the one for connecting, keep the real time: libcurl reads the system's clock itself.
package final class EngineClock: Sendable {
    private let offset = Atomic<Int64>(0)
    private let wakeUps = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    /// Nanoseconds since an unspecified start.
    package var now: Int64 { SystemClock.monotonic() + offset.load(ordering: .acquiring) }

    /// Adds `span` to the time, and wakes the engines that run by this clock.
    package func advance(by span: Duration) {
        offset.wrappingAdd(span.microseconds * 1_000, ordering: .acquiringAndReleasing)
        for wake in wakeUps.withLock({ $0 }) { wake() }
    }

    /// Calls `wake` after each advance.
    func onAdvance(_ wake: @escaping @Sendable () -> Void) { wakeUps.withLock { $0.append(wake) } }
}
