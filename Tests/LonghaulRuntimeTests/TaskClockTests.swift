import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime
import LonghaulSystem

/// A session on a separate thread, whose clock the test sets.
@Suite(.timeLimit(.minutes(5))) struct TaskClockTests {
    /// The system's clock, with an offset that the test chooses.
    private final class Clock: Sendable {
        private let state = Mutex((ahead: Duration.zero, stoppedAt: WallTime?.none))
        func set(_ span: Duration) { state.withLock { $0.ahead = span } }
        /// Stops the system's clock, so that no backoff ends while a busy machine delays the test.
        func stop() { state.withLock { $0.stoppedAt = SystemClock.wallTime() } }
        var ahead: Duration { state.withLock { $0.ahead } }
        var now: WallTime { state.withLock { ($0.stoppedAt ?? SystemClock.wallTime()) + $0.ahead } }
    }

    private let temporary: TemporaryDirectory
    private let clock = Clock()
    private let wakes = Kept<WakeOrder>()
    private let woken: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init() throws {
        temporary = try TemporaryDirectory()
        (woken, wake) = AsyncStream.makeStream()
    }

    private func open() throws -> SessionRuntime {
        var environment = RuntimeEnvironment.real { _, _ in ScriptedEngine().whole }
        environment.now = { [clock] in clock.now }
        environment.onSystemClock = { [clock] date in date + Duration(microseconds: -clock.ahead.microseconds) }
        environment.wake = { [wakes, wake] order, reply in
            wakes.keep(order)
            reply(WakeReport(.started))
            wake.yield()
        }
        return try SessionRuntime.open(
            layout: SessionLayout(directory: temporary.path + "/org.example.storms"), environment: environment)
    }

    private func send(_ runtime: SessionRuntime, _ command: SessionCommand) async -> SessionReply {
        await withCheckedContinuation { continuation in
            runtime.send(command) { continuation.resume(returning: $0) }
        }
    }

    private func submit(_ runtime: SessionRuntime, in span: Duration) async {
        _ = await send(runtime, .setWake(WakeRegistration(.systemdUnit("storms.service"))))
        let date = clock.now + span
        _ = await send(runtime, .submitTask(.appRefresh("noon", earliestBeginDate: date)))
    }

    @Test func aThreadThatSleepsUntilTheDateWakesForIt() async throws {
        let runtime = try open()
        defer { runtime.stop() }
        clock.set(.seconds(-86_400))
        await submit(runtime, in: .milliseconds(300))
        for await _ in woken { break }
        #expect(wakes.all.map(\.request.task) == ["noon"])
    }

    @Test func onlyClockSetForwardStartsApp() async throws {
        clock.stop()
        let runtime = try open()
        defer { runtime.stop() }
        await submit(runtime, in: .seconds(3_600))
        clock.set(.seconds(-7_200))
        runtime.reportClockChange()
        _ = await send(runtime, .wakeStatus)
        #expect(wakes.all.isEmpty)
        clock.set(.seconds(4_000))
        runtime.reportClockChange()
        for await _ in woken { break }
        #expect(wakes.all.count == 1)
    }

    @Test func theRealZoneIsThatOfTheSystem() {
        let zone = RuntimeEnvironment.real { _, _ in ScriptedEngine().whole }.zone
        for seconds in [0, 1_700_000_000, 1_720_000_000] as [Int64] {
            let offset = zone.offset(WallTime(seconds: seconds))
            #expect((-86_400...86_400).contains(offset) && offset % 60 == 0)
        }
    }
}
