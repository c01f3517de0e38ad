import LonghaulCore
import LonghaulSystem
import Synchronization

/// The monotonic clock of an engine. Tests can advance it instead of waiting for timeouts.
///
/// libcurl's own timers, such as the connect timeout, use real time, because libcurl reads the system's clock itself.
package final class EngineClock: Sendable {
    private let offset = Atomic<Int64>(0)
    private let wakeUps = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    /// The nanoseconds since an unspecified start.
    package var now: Int64 { SystemClock.monotonic() + offset.load(ordering: .acquiring) }

    /// Adds `span` to the time, and wakes the engines that use this clock.
    package func advance(by span: Duration) {
        offset.wrappingAdd(span.microseconds * 1_000, ordering: .acquiringAndReleasing)
        for wake in wakeUps.withLock({ $0 }) { wake() }
    }

    /// Calls `wake` after each advance.
    func onAdvance(_ wake: @escaping @Sendable () -> Void) { wakeUps.withLock { $0.append(wake) } }
}
