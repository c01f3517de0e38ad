import CLinux
import Glibc
package import LonghaulCore
import LonghaulIPC

/// The kernel's routes (rtnetlink). Always there, and silent about money.
package final class RouteSource: ConditionsSource {
    private let descriptor: Descriptor?

    package init() {
        let number = longhaul_routes_open()
        descriptor = number >= 0 ? Descriptor(number) : nil
    }

    package var wait: SourceWait? {
        descriptor.map { SourceWait(descriptor: $0.number, events: Int16(POLLIN)) }
    }

    package var date: ContinuousClock.Instant? { nil }

    package func look(into readings: inout Readings) -> SourceNews {
        let changes = descriptor.map { longhaul_routes_take($0.number) } ?? 0
        if readings.hasRoute == nil || changes != 0 {
            let answer = longhaul_routes_have_default()
            readings.hasRoute = answer < 0 ? nil : answer > 0
        }
        return SourceNews(hasNewRoute: changes & LONGHAUL_ROUTES_GAINED != 0)
    }

    package func letSleep() {}
}
