package import LonghaulCore
package import LonghaulSystem

/// A source of conditions: the kernel, services on the system bus, or a test script. It belongs to the thread of the
/// monitor.
package protocol ConditionsSource: AnyObject {
    /// The descriptor to wait for; `nil` if there is none.
    var wait: SourceWait? { get }
    /// When to call `look` even without an event; `nil` for never.
    var date: ContinuousClock.Instant? { get }
    /// Reads the received events.
    func read(into readings: inout Readings) -> SourceChanges
    /// Stops delaying a sleep or a shutdown, because the preparations are done.
    func letSleep()
}

/// A descriptor and the events to wait for on it.
package struct SourceWait: Equatable, Sendable {
    package var descriptor: Int32
    package var readiness: Readiness

    package init(descriptor: Int32, readiness: Readiness) {
        self.descriptor = descriptor
        self.readiness = readiness
    }
}

/// The result of a `look`, besides the readings.
package struct SourceChanges: Equatable, Sendable {
    /// There is a new route to some network: transfers that wait for a network try at once.
    package var hasNewRoute = false
    /// Links, addresses, or routes have changed, and have been stable for a moment: connections may be broken.
    package var hasChangedRoutes = false

    package init(hasNewRoute: Bool = false, hasChangedRoutes: Bool = false) {
        self.hasNewRoute = hasNewRoute
        self.hasChangedRoutes = hasChangedRoutes
    }
}
