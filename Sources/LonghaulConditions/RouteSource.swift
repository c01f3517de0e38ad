package import LonghaulCore
import LonghaulSystem

/// The kernel's routes (rtnetlink). Always there, and silent about money.
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
        let news = watch?.take() ?? (changed: false, gained: false)
        if readings.hasRoute == nil || news.changed { readings.hasRoute = RouteWatch.hasDefaultRoute }
        return SourceNews(hasNewRoute: news.gained)
    }

    package func letSleep() {}
}
