import LonghaulConditions
import LonghaulCore
import TestSupport
import Testing

@Suite struct MonitorTests {
    private let script: FakeSource.Script

    init() throws { script = try FakeSource.Script() }

    private func watch() -> Watched {
        let script = script
        return Watched { [FakeSource(script)] }
    }

    @Test func conditionsAreReportedBeforeStartReturns() throws {
        script.say {
            $0.hasRoute = true
            $0.metered = 1
        }
        let watched = watch()
        #expect(watched.told.all == [Conditions(network: .reachable, isExpensive: true)])
    }

    @Test func briefUnknownValueIsNotReported() throws {
        script.say {
            $0.hasRoute = true
            $0.metered = 2
        }
        let watched = watch()
        script.say { $0.metered = 0 }
        script.say { $0.metered = 1 }
        script.say { $0.metered = 0 }
        script.say { $0.metered = 1 }
        let settled = try watched.told.next { $0.isExpensive == true }
        #expect(settled == Conditions(network: .reachable, isExpensive: true))
        #expect(watched.told.all.map(\.isExpensive) == [false, true])
    }

    @Test func newRouteIsReportedImmediately() throws {
        let watched = watch()
        script.say(hasNewRoute: true) { $0.hasRoute = true }
        _ = try watched.routes.next { $0 }
        #expect(try watched.told.next { $0.network == .reachable } == Conditions(network: .reachable))
    }

    @Test func sleepIsReportedImmediatelyAndDelayedUntilReleased() throws {
        let watched = watch()
        #expect(try watched.told.next { _ in true } == Conditions())
        script.say { $0.isAboutToSleep = true }
        _ = try watched.told.next { $0.isAboutToSleep }
        let release = try watched.releases.next { _ in true }
        #expect(script.sleeps.all.isEmpty)
        release()
        _ = try script.sleeps.next { $0 }
        script.say { $0.isAboutToSleep = false }
        _ = try watched.told.next { !$0.isAboutToSleep }
        // A second call for the same sleep is late, and has no effect.
        release()
        script.say { $0.isAboutToSleep = true }
        _ = try watched.releases.next { _ in true }
        #expect(script.sleeps.all == [true])
    }
}
