import Foundation
import FoundationDouble
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing

@testable import PhotoUploadExample

/// The app that uploads photos.
extension AppleSystems {
    @Suite struct PhotoUploadTests {
        /// A server that responds when the test lets it.
        private final class Server: Sendable {
            private let status = Mutex<Int?>(nil)

            func respond(_ status: Int?) { self.status.withLock { $0 = status } }
            func answer() -> SimulatedNetwork.Answer? { status.withLock(\.self).map { .init($0) } }
        }

        private static func phone(_ server: Server, keepsUploads: Bool = true) async throws -> Phone {
            let phone = try await Phone(PhotoUploadApp.self)
            phone.world.device.changeNetwork {
                $0.server = { _, _ in server.answer() }
                $0.keepsUploads = keepsUploads
            }
            return phone
        }

        private static func finished(_ phone: Phone) -> Int { phone.world.arrivals("PUT") }

        @Test func photoContinuesWhereTheAppLeft() async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            let file = try phone.world.photo(1_000_000)
            let name = "photo-1000000.jpg"
            try await phone.open()
            try await phone.pick(file)
            try await phone.shows(name, advances: false)
            // The session has its own copy.
            try FileManager.default.removeItem(atPath: file)
            try await phone.wait("it is begun") { phone.world.device.unfinished() == 1 }
            try await phone.go("its body begins") { phone.world.device.network.bytesSent > 0 }
            for _ in 1..<5 { phone.world.device.step() }
            try await phone.wait("the toast shows progress") {
                let texts = await phone.texts
                return await phone.progress.contains { 0.1..<1 ~= $0 ?? 0 } && texts.contains("\(name): Sending.")
            }
            await Screen.setTime(5)
            try await phone.leave(handingOver: 1)
            #expect(phone.world.notifications == ["Continuing in the background"])
            await phone.kill()

            try await phone.go("the body is sent") { Self.finished(phone) == 1 }
            #expect(phone.world.device.network.bytesSent == 1_000_000)
            // The server is still working. The state survives the launch.
            try await phone.open()
            try await phone.shows("\(name): Waiting for the response.")
            await phone.kill()
            server.respond(201)
            try await phone.world.goUntilLaunched()
            #expect(Self.finished(phone) == 1 && phone.world.notifications == ["Finished"])
            try await phone.tapNotification("Finished")
            try await phone.shows(name)
            #expect(await phone.texts == [name])
            try await phone.tap("Remove", beside: name)
            try await phone.hides(name)
            await phone.end()
        }

        @Test func responseArrivesInBackgroundTime() async throws {
            let server = Server()
            let phone = try await Self.phone(server, keepsUploads: false)
            try await phone.open()
            try await phone.pick(try phone.world.photo(1_000_000))
            try await phone.go("the body is sent") { Self.finished(phone) == 1 }
            await Screen.setTime(30)
            phone.world.device.enter(.background)
            await Screen.leaveApp()
            #expect(await Screen.openBackgroundTasks == 1)
            server.respond(201)
            try await phone.go("the background task has ended") { await Screen.openBackgroundTasks == 0 }
            #expect(phone.world.device.unfinished() == 0)
            #expect(Self.finished(phone) == 1 && phone.world.device.network.bytesSent == 1_000_000)
            try await phone.open()
            try await phone.shows("photo-1000000.jpg: Succeeded.", advances: false)
            await phone.end()
        }

        @Test func forceQuitLosesNoUpload() async throws {
            let server = Server()
            let phone = try await Self.phone(server)
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            try await phone.pick(try phone.world.photo(500_000))
            try await phone.wait("both are begun") { phone.world.device.unfinished() == 2 }
            await phone.quit()
            #expect(phone.world.notifications.contains("An upload was interrupted"))
            try await phone.tapNotification("An upload was interrupted")
            try await phone.wait("both are begun") { phone.world.device.unfinished() == 2 }
            try await phone.leave(handingOver: 2)
            // The system cancels its tasks as well.
            await phone.forceQuit()
            #expect(phone.world.device.unfinished() == 0)
            try await phone.open()
            server.respond(201)
            try await phone.go("both succeed") { await phone.buttons.count { $0 == "Remove" } == 2 }
            for name in ["photo-400000.jpg", "photo-500000.jpg"] {
                try await phone.tap("Remove", beside: name)
                try await phone.hides(name)
            }
            #expect(Self.finished(phone) == 2)
            await phone.end()
        }

        @Test func warningIsWithdrawnByTheNextLaunch() async throws {
            let phone = try await Self.phone(Server())
            try await phone.open()
            await phone.quit()
            #expect(phone.world.notifications == [])
            try await phone.open()
            try await phone.pick(try phone.world.photo(400_000))
            try await phone.wait("it is begun") { phone.world.device.unfinished() == 1 }
            await phone.quit()
            #expect(phone.world.notifications.contains("An upload was interrupted"))
            try await phone.open()
            try await phone.wait("the warning is withdrawn") {
                !phone.world.notifications.contains("An upload was interrupted")
            }
            await phone.end()
        }

        @Test func failureStatesWhetherTheUploadContinues() async throws {
            let server = Server()
            let phone = try await Self.phone(server, keepsUploads: false)
            try await phone.open()
            try await phone.pick(try phone.world.photo(300_000))
            let name = "photo-300000.jpg"
            try await phone.go("some of it is sent") { phone.world.device.network.bytesSent > 60_000 }
            phone.world.device.breakConnections()
            try await phone.wait("it will continue") {
                await phone.texts.contains { $0.hasPrefix("\(name): Waiting to retry.") }
            }
            server.respond(403)
            try await phone.go("it will not continue") {
                await phone.texts.contains { $0.hasPrefix("\(name): Failed") }
            }
            server.respond(201)
            try await phone.tap("Retry", beside: name)
            try await phone.shows("\(name): Succeeded.")
            try await phone.tap("Remove", beside: name)
            try await phone.hides(name)
            server.respond(nil)
            try await phone.pick(try phone.world.photo(200_000))
            try await phone.tap("Cancel", beside: "photo-200000.jpg")
            try await phone.shows("photo-200000.jpg: Cancelled.")
            await phone.quit()
            #expect(phone.world.notifications == [])
            await phone.end()
        }
    }
}
