import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import Synchronization
import Testing

/// The first walkthrough: a photo is uploaded, and the user leaves.
extension AppleSystems {
    @Suite struct PhotoTests {
        private static let settings = NotificationSettings(appName: "Photos")

        @Test func theSystemFinishesWhatTheAppBeganAndStartsItForTheEnd() async throws {
            let world = try await AppWorld()
            world.configuration.notifications = Self.settings
            try await world.open()
            let photo = try await world.session.upload(
                file: try world.photo(400_000), to: "http://server.example/photos", method: "POST", key: "photo 1")
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            for _ in 0..<3 { world.device.step() }
            // Long enough for the notification that comes a second after the app has left.
            await Screen.setTime(5)
            try await world.leaveApp()
            // Three portions were wasted: a raw upload cannot be resumed.
            #expect(world.process?.reports.map(\.outcome) == [.handedOver])
            #expect(world.process?.reports.first?.actions == [photo.id: .handOver(repeating: 3 * 65_536)])
            #expect(world.device.unfinished(inBackground: true) == 1)
            #expect(world.notifications == ["Continuing in the background"])

            await world.die()
            try await world.goUntilLaunched()
            #expect(world.device.launches == ["org.example.photos.longhaul"])
            #expect(world.arrivals("POST") == 1 && world.device.network.bytesSent == 400_000 + 3 * 65_536)
            let found = try #require(try await world.session.transfer(key: "photo 1"))
            #expect(found.id == photo.id)
            #expect(try await found.response().status == 201)
            #expect(world.notifications == ["Finished"])
            await world.end()
        }

        /// The system kills an app whose background task is open when its expiration handler returns.
        @Test func backgroundTimeEndsBeforeItsHandlerReturns() async throws {
            let world = try await AppWorld()
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            try await world.open()
            let photo = try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.go("the photo has been sent") { try await photo.snapshot().state == .awaitingResponse }
            await Screen.setTime(30)
            world.device.enter(.background)
            await Screen.leaveApp()
            #expect(await Screen.openBackgroundTasks == 1)
            #expect(await Screen.expireBackgroundTasks() == [])
            #expect(await Screen.openBackgroundTasks == 0)
            await world.end()
        }

        @Test func quickReturnMovesNothing() async throws {
            let world = try await AppWorld()
            let mayAnswer = Mutex(false)
            let isReady: @Sendable () -> Bool = { mayAnswer.withLock { $0 } }
            world.device.changeNetwork { $0.server = { _, _ in isReady() ? .init(201) : nil } }
            try await world.open()
            let photo = try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.go("the photo has been sent") { try await photo.snapshot().state == .awaitingResponse }
            await Screen.setTime(30)
            world.device.enter(.background)
            await Screen.leaveApp()
            try await world.wait("it stays") { world.process?.app.carrier.isBehind == true }
            try await world.open()
            mayAnswer.withLock { $0 = true }
            try await world.go("it is answered") { try await photo.snapshot().state == .succeeded }
            #expect(world.arrivals("PUT") == 1 && world.process?.reports == [])
            await world.end()
        }

        @Test func backgroundTransferStartsInSystemSession() async throws {
            let world = try await AppWorld()
            // The app is started for the end of one transfer, and submits another there.
            world.options.onEvents = { session in
                guard let events = try? await session.pendingEvents(), !events.isEmpty else { return }
                _ = try? await session.download(
                    from: "http://server.example/film.mp4", to: NSTemporaryDirectory(), fileName: "film.mp4",
                    collision: .overwrite, key: "film")
                if let last = events.last { try? await session.acknowledge(last) }
            }
            try await world.open()
            try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.wait("it is begun") { world.device.unfinished() == 1 }
            try await world.leaveApp()
            await world.die()
            try await world.goUntilLaunched()
            try await world.wait("the system has it") { world.device.unfinished(inBackground: true) == 1 }
            world.device.enter(.suspended)
            try await world.goUntilLaunched(2)
            let film = try #require(try await world.session.transfer(key: "film"))
            #expect(try await film.value.path != nil)
            await world.end()
        }
    }
}
