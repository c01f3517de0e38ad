package import LonghaulCore
import LonghaulSystem

/// The kernel's links, addresses, and routes (rtnetlink). Always there, and silent about money.
package final class RouteSource: ConditionsSource {
    private let watch: RouteWatch?

    package init() {
        watch = try? RouteWatch()
    }

    package var wait: SourceWait? {
        watch.map { SourceWait(descriptor: $0.descriptor.number, readiness: .readable) }
    }

    package var date: ContinuousClock.Instant? { nil }

    package func look(into readings: inout Readings) -> SourceNews {
        let changes = watch?.take() ?? (changed: false, gained: false)
        var news = SourceNews(hasNewRoute: changes.gained)
        if readings.hasRoute == nil || changes.changed {
            let before = readings.hasRoute
            readings.hasRoute = RouteWatch.leadsOut
            // A link that has its carrier again brings no new route.
            if before == false, readings.hasRoute == true { news.hasNewRoute = true }
        }
        return news
    }

    package func letSleep() {}
}
