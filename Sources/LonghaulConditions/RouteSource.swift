package import LonghaulCore
import LonghaulSystem

/// The kernel's links, addresses, and routes (rtnetlink). Always there, and silent about money.
package final class RouteSource: ConditionsSource {
    private let watch: RouteWatch?
    private var unsettled: (since: ContinuousClock.Instant, until: ContinuousClock.Instant)?

    /// An address that is removed and returns within this time breaks no connection.
    private static let patience = Duration.seconds(1)
    /// Changes that last longer than this are reported all the same.
    private static let limit = Duration.seconds(3)

    package init() {
        watch = try? RouteWatch()
    }

    package var wait: SourceWait? {
        watch.map { SourceWait(descriptor: $0.descriptor.number, readiness: .readable) }
    }

    package var date: ContinuousClock.Instant? { unsettled?.until }

    package func read(into readings: inout Readings) -> SourceChanges {
        let changes = watch?.readEvents() ?? (changed: false, gained: false)
        let now = ContinuousClock.now
        var news = SourceChanges(hasNewRoute: changes.gained)
        if readings.hasRoute == nil || changes.changed {
            let before = readings.hasRoute
            readings.hasRoute = RouteWatch.leadsOut
            // A link that has its carrier again brings no new route.
            if before == false, readings.hasRoute == true { news.hasNewRoute = true }
        }
        if changes.changed {
            let since = unsettled?.since ?? now
            unsettled = (since, min(now + Self.patience, since + Self.limit))
        }
        if let until = unsettled?.until, until <= now {
            unsettled = nil
            news.hasChangedRoutes = true
        }
        return news
    }

    package func letSleep() {}
}
