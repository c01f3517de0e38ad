import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// A real, private dbus-daemon with a separate directory of services.
@Suite(
    .timeLimit(.minutes(5)), .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not installed"))
struct WakingByBusTests {
    private static let app = "org.example.PhotoDrop"
    private let world: WakeWorld

    init() throws {
        world = try WakeWorld()
    }

    private var service: String { "work/services/\(Self.app).service" }

    private func install(_ command: [String]) throws {
        try world.product.home.makeDirectory("work/services")
        try world.product.home.write(
            Array("[D-BUS Service]\nName=\(Self.app)\nExec=\(command.joined(separator: " "))\n".utf8), to: service)
    }

    /// The bus is at the desktop's address: `$XDG_RUNTIME_DIR/bus`.
    private func startBus() async throws -> ChildProcess {
        let home = world.product.home
        let settings = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(home.path("run/bus"))</listen>
            <servicedir>\(home.path("work/services"))</servicedir>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        try home.write(Array(settings.utf8), to: "work/bus.conf")
        var call = world.product.call(
            "longhaul", ["--nofork", "--nopidfile", "--print-address", "--config-file", home.path("work/bus.conf")])
        call.path = "/usr/bin/dbus-daemon"
        let bus = try ChildProcess(call)
        try await bus.waitForOutput(containing: "unix:path=")
        return bus
    }

    @Test func aDeadAppIsActivatedUntilItAcknowledgesAndNeverAgain() async throws {
        try install(world.app + ["--bus", Self.app])
        let bus = try await startBus()
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try world.set(.crash)
        try await world.register(.dbus(appID: Self.app), connection, first: .seconds(1))
        try await world.finishOne(connection)
        try await world.wait(for: 2, "woken")
        try world.set(.ignore)
        try await world.wait("left")
        try world.set(.acknowledge)
        try await world.wait("acknowledged 2")
        #expect(world.lines("woken").allSatisfy { $0.hasPrefix("woken org.example.photos ") })
        let status = try await world.status(connection) { !$0.isAttached }
        #expect(status.hold == .nothingToTell && status.record.total >= 4)
        try await world.finishOne(connection)
        try await world.wait("acknowledged 4")
        #expect(world.lines("event 2 ").count >= 2, "ignored, then acknowledged")
        #expect(bus.isRunning)
    }

    @Test func anAppThatIsNotInstalledOrDoesNotComeUpIsNoError() async throws {
        try install(["/bin/false"])
        let bus = try await startBus()
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try await world.register(.dbus(appID: "org.example.Gone"), connection, first: .seconds(30))
        try await world.finishOne(connection)
        let gone = try await world.status(connection) { $0.record.outcome != nil }
        #expect(gone.record.outcome == .missing && gone.record.message.contains("org.example.Gone is not installed"))
        // Like an app with windows that has no display. Another way to start the app is tried at once.
        try await world.register(.dbus(appID: Self.app), connection, first: .seconds(30))
        let failing = try await world.status(connection) { $0.record.outcome == .unreachable }
        #expect(failing.hold == .backingOff && failing.pendingEvents == 2)
        #expect(failing.record.message.contains("did not start"))
        #expect(bus.isRunning)
    }

    @Test func withoutABusTheEventsWaitForTheNextLaunch() async throws {
        let service = try await RunningService(in: world.product)
        let connection = try await service.connect()
        try await world.register(.dbus(appID: Self.app), connection, first: .seconds(30))
        try await world.finishOne(connection)
        let status = try await world.status(connection) { $0.record.outcome != nil }
        #expect(status.record.outcome == .unreachable && status.pendingEvents == 2 && status.hold == .backingOff)
        try world.set(.acknowledge)
        var call = world.product.call("WakeSample", Array(world.app.dropFirst()))
        call.environment["LONGHAUL_SESSION"] = "org.example.photos"
        #expect(try await call.run().ending == .exited(0))
        try await world.wait("acknowledged 2")
        #expect(try await connection.wakeStatus(of: WakeWorld.session).hold == .nothingToTell)
    }
}
