import Glibc
import LonghaulConditions
import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport

/// A source that reports values from the test.
final class FakeSource: ConditionsSource {
    /// The test's side of the source.
    final class Script: Sendable {
        fileprivate let signal: WakeSignal
        fileprivate let state = Mutex((readings: Readings(), hasNewRoute: false))
        let sleeps = Mailbox<Bool>()

        init() throws {
            signal = try WakeSignal()
        }

        func say(hasNewRoute: Bool = false, _ change: (inout Readings) -> Void) {
            state.withLock { state in
                change(&state.readings)
                state.hasNewRoute = hasNewRoute
            }
            signal.raise()
        }
    }

    private let script: Script
    private(set) var looks = 0

    init(_ script: Script) {
        self.script = script
    }

    var wait: SourceWait? { SourceWait(descriptor: script.signal.descriptor.number, readiness: .readable) }
    var date: ContinuousClock.Instant? { nil }

    func read(into readings: inout Readings) -> SourceChanges {
        script.signal.clear()
        return script.state.withLock { state in
            defer { state.hasNewRoute = false }
            readings = state.readings
            return SourceChanges(hasNewRoute: state.hasNewRoute)
        }
    }

    func letSleep() { script.sleeps.append(true) }
}

/// A monitor and its reports.
final class Watched: Sendable {
    let told = Mailbox<Conditions>()
    let routes = Mailbox<Bool>()
    let releases = Mailbox<@Sendable () -> Void>()
    private let monitor = ConditionsMonitor()

    init(_ sources: @escaping @Sendable () -> [any ConditionsSource]) {
        monitor.start(
            sources,
            .init(
                changed: { [told] in told.append($0) }, networkReturned: { [routes] in routes.append(true) },
                prepareForSleep: { [releases] in releases.append($0) }))
    }

    deinit { monitor.stop() }
}
