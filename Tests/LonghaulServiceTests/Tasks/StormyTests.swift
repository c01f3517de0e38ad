import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// The unchanged example, for four days in Berlin. Two clocks are set there: the wall clock by the state, and this one
/// by the test.
@Suite(
    .timeLimit(.minutes(4)), .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: NotificationScreen.missing == nil, "\(NotificationScreen.missing ?? "")"),
    .enabled(if: SetClock.missing == nil, "\(SetClock.missing ?? "")"))
struct StormyTests {
    /// Returns noon of 2026-10-24 in summer time, and of the following days in winter time.
    private func noon(_ day: Int) -> WallTime {
        WallTime(seconds: 1_792_836_000 + Int64(day) * 86_400 + (day > 0 ? 3_600 : 0))
    }

    @Test func eachNoonIsOneRequestWhateverHappensToTheAppAndTheService() async throws {
        let world = try await StormyWorld(at: noon(0) + .seconds(-10_800))
        do {
            let service = try await world.startService()
            let connection = try await service.connect()
            let launch = try await world.launch()
            #expect(launch.output == "Stormy looks at the sky each noon.\n", "\(launch.errorOutput)")
            try await aCalmNoon(world, connection)
            try await aStormyNoonThatTakesTooLong(world, connection)
            try await aNoonWithACrash(world, connection)
            service.process.signal(SIGKILL)
            try await service.process.waitForEnd()
        }
        try await aNoonThatNobodySaw(world)
        let album = world.server.requests.filter { $0.path.hasPrefix("/album/") }
        #expect(album.map(\.bodyChecksum) == [StormyWorld.photo.checksum])
    }

    private func aCalmNoon(_ world: StormyWorld, _ connection: ServiceConnection) async throws {
        world.forecast("Sunny +19°C")
        #expect(world.stormy == nil, "it is dead until noon")
        try await world.setClock(to: noon(0) + .seconds(-2), connection)
        #expect(try await world.waitForAnswer("Sunny") == ["Sunny 19°C"])
        try await world.waitUntilGone(connection)
        let task = try await world.task(connection) { $0.last?.outcome == .succeeded }
        #expect(task.nextDate == noon(1), "the clocks are put back in between")
        #expect(world.server.requests(to: "/weather").count == 1)
    }

    /// The handler is cancelled during its request; the response starts the app again, and so does the click on its notification.
    private func aStormyNoonThatTakesTooLong(_ world: StormyWorld, _ connection: ServiceConnection) async throws {
        let latch = Latch()
        world.forecast("Thunderstorm +9°C", held: latch)
        var settings = BackgroundTaskSettings()
        settings.refreshBudget = .seconds(4)
        try await connection.setTaskSettings(settings, of: StormyWorld.session)
        try await world.setClock(to: noon(1) + .seconds(-2), connection)
        try await latch.waitForArrivals()
        try await world.task(connection) { $0.last?.outcome == .expired }
        try await world.waitUntilGone(connection)
        #expect(world.answers.output.contains("Thunderstorm") == false)
        latch.open()
        #expect(try await world.waitForAnswer("Thunderstorm").count == 2)
        try await world.waitUntilGone(connection)
        #expect(world.server.requests(to: "/weather").count == 2)
        try await world.screen.click(picture: "stormy-notification.png", buttons: 1)
        let photo = try await world.server.wait(for: "the photo") { requests in
            requests.first { $0.path.hasPrefix("/album/storm-") && $0.isFinished }
        }
        #expect(photo.method == "PUT")
        try await connection.setTaskSettings(BackgroundTaskSettings(), of: StormyWorld.session)
    }

    private func aNoonWithACrash(_ world: StormyWorld, _ connection: ServiceConnection) async throws {
        let latch = Latch()
        world.forecast("Drizzle +8°C", held: latch)
        try await world.setClock(to: noon(2) + .seconds(-2), connection)
        try await latch.waitForArrivals()
        kill(try #require(world.stormy), SIGKILL)
        try await world.task(connection) { $0.last?.outcome == .lost }
        // A crashed app is throttled for a minute.
        try await world.setClock(to: noon(2) + .seconds(120), connection)
        try await world.task(connection) { $0.run?.attempt == 2 }
        latch.open()
        #expect(try await world.waitForAnswer("Drizzle").count == 3)
        try await world.waitUntilGone(connection)
        #expect(world.server.requests(to: "/weather").count == 3)
    }

    /// Noon passes while no service is running, and comes again after the clock is set back.
    private func aNoonThatNobodySaw(_ world: StormyWorld) async throws {
        world.forecast("Fog +7°C")
        try await world.setClock(to: noon(3) + .seconds(5_400))
        let service = try await world.startService()
        let connection = try await service.connect()
        #expect(try await world.waitForAnswer("Fog").count == 4)
        try await world.waitUntilGone(connection)
        for shift in [-1_800, 60, 7_200] as [Int64] {
            try await world.setClock(to: noon(3) + .seconds(shift), connection)
            let task = try await world.task(connection) { $0.run == nil && $0.last?.outcome == .succeeded }
            #expect(task.nextDate == noon(4) && task.hold == .date, "\(shift) s after noon")
        }
        #expect(world.stormy == nil)
        #expect(world.server.requests(to: "/weather").count == 4)
    }
}
