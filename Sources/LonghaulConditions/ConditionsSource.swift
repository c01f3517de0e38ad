package import LonghaulCore
package import LonghaulSystem

/// Somebody who tells of the conditions: the kernel, services on the system bus, the script of a test. It belongs to the
/// thread of the monitor.
package protocol ConditionsSource: AnyObject {
    /// What to wait for; `nil` while there is nothing.
    var wait: SourceWait? { get }
    /// When to be called although nothing has happened; `nil` for never.
    var date: ContinuousClock.Instant? { get }
    /// Reads what has come.
    func look(into readings: inout Readings) -> SourceNews
    /// What was asked for before a sleep or a shutdown is done: whatever delays it is let go.
    func letSleep()
}

/// A descriptor and what to wait for on it.
package struct SourceWait: Equatable, Sendable {
    package var descriptor: Int32
    package var readiness: Readiness

    package init(descriptor: Int32, readiness: Readiness) {
        self.descriptor = descriptor
        self.readiness = readiness
    }
}

/// What a look has brought, besides the readings.
package struct SourceNews: Equatable, Sendable {
    /// A way to some network is new: what waits for one tries at once.
    package var hasNewRoute = false
    /// Links, addresses, or routes have changed, and settled for a moment: connections may have
    /// lost theirs.
    package var hasChangedRoutes = false

    package init(hasNewRoute: Bool = false, hasChangedRoutes: Bool = false) {
        self.hasNewRoute = hasNewRoute
        self.hasChangedRoutes = hasChangedRoutes
    }
}
