import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"))
struct WakingByCommandTests {
    private let world: WakeWorld

    init() throws {
        world = try WakeWorld()
    }

    @Test func aDeadAppIsStartedUntilItAcknowledgesAndNeverAgain() async throws {
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try world.set(.crash)
        try await world.register(.command(world.app), connection, first: .seconds(1))
        try await world.finishOne(connection)
        try await world.wait(for: 2, "woken")
        try world.set(.ignore)
        try await world.wait(for: 1, "left")
        try world.set(.acknowledge)
        try await world.wait(for: 1, "acknowledged 2")
        let status = try await world.status(connection) { !$0.isAttached }
        #expect(status.hold == .nothingToTell && status.pendingEvents == 0 && status.nextWakeAt == nil)
        #expect(status.record.total >= 4)
        let woken = Set(world.lines("woken").map { $0.split(separator: " ").prefix(4).joined(separator: " ") })
        #expect(woken == ["woken org.example.photos all-transfers-finished descriptors="])
        // The next event starts it again, for that one alone.
        try await world.finishOne(connection)
        try await world.wait(for: 1, "acknowledged 4")
        #expect(world.lines("event 1 transferFinished").count >= 2, "ignored, then acknowledged")
        #expect(world.lines("event 3 transferFinished").count >= 1)
    }

    @Test func aServiceThatIsKilledNeitherForgetsNorStartsAtOnceAgain() async throws {
        let first = Duration.seconds(50)
        try world.set(.crash)
        do {
            let service = try await RunningService(in: world.product)
            let connection = try await service.connect()
            try await world.register(.command(world.app), connection, first: first)
            try await world.finishOne(connection)
            try await world.wait("woken")
            service.process.signal(SIGKILL)
            _ = try await service.process.waitForEnd()
        }
        try world.set(.acknowledge)
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        let status = try await connection.wakeStatus(of: WakeWorld.session)
        #expect(status.hold == .backingOff && status.record.total == 1 && status.pendingEvents == 2)
        let last = try #require(status.record.lastWakeAt)
        #expect(status.nextWakeAt.map { $0 >= last + first } == true)
        #expect(world.lines("woken").count == 1)
        // A shorter delay takes effect at once.
        try await world.register(.command(world.app), connection)
        try await world.wait("acknowledged 2")
        #expect(try await connection.wakeStatus(of: WakeWorld.session).record.total >= 2)
    }

    @Test func attachedAppIsLaunchedOnlyAfterDetaching() async throws {
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try world.set(.acknowledge)
        try await world.register(.command(world.app), connection)
        var app: ServiceConnection.Attendance? = connection.attach(WakeWorld.session)
        #expect(try await app?.next() == 0)
        try await world.finishOne(connection)
        var newest: Int64 = 0
        while newest < 2 { newest = try #require(try await app?.next()) }
        let status = try await connection.wakeStatus(of: WakeWorld.session)
        #expect(status.hold == .attached && status.record.total == 0)
        #expect(try await connection.events(after: 0, of: WakeWorld.session).events.map(\.number) == [1, 2])
        app = nil
        try await world.wait("acknowledged 2")
        #expect(world.lines("woken").count >= 1)
    }

    @Test func anAppThatDoesNotWantToBeStartedFindsItsEventsLater() async throws {
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try world.set(.acknowledge)
        try await world.register(.command(world.app), connection, sends: false)
        try await world.finishOne(connection)
        let status = try await world.status(connection) { $0.pendingEvents == 2 }
        #expect(status.hold == .launchEventsOff && status.nextWakeAt == nil && status.record.total == 0)
        try await world.register(.command(world.app), connection)
        try await world.wait("acknowledged 2")
    }

    @Test func removedAppIsReportedAndDoesNotKeepServiceRunning() async throws {
        let service = try await RunningService(in: world.product, ["--idle-exit", "1"], isKept: true)
        let connection = try await service.connect()
        try await world.register(.command(["/nonexistent/photos"]), connection, first: .seconds(30))
        try await world.finishOne(connection)
        let status = try await world.status(connection) { $0.record.outcome != nil }
        #expect(status.record.outcome == .missing && status.hold == .backingOff && status.pendingEvents == 2)
        #expect(status.record.message.contains("/nonexistent/photos"))
        let shown = try await world.product.longhaul("session", "org.example.photos")
        #expect(shown.output.contains("Could not run /nonexistent/photos"))
        #expect(shown.output.contains("2 events not acknowledged"))
        connection.close()
        service.release()
        #expect(try await service.process.waitForEnd() == .exited(0))
    }

    @Test func aSessionThatItsAppRanItselfWakesItAfterItsDeath() async throws {
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try world.set(.acknowledge)
        try await world.register(.command(world.app), connection)
        try await connection.release(WakeWorld.session)
        let app = try await Embedded(
            in: world.product, WakeWorld.session,
            upload: ["put", world.product.home.path("work/mode"), world.server.url("/ok"), "4"])
        try await app.process.waitForOutput(containing: "accepted")
        try await app.kill()
        try await connection.adopt(WakeWorld.session)
        try await world.wait("acknowledged")
    }
}
