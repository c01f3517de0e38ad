import Foundation
import FoundationDouble
import LonghaulApple
import LonghaulCore
import TestSupport
import Testing

/// Background sessions that the system does not run.
extension AppleSystems {
    @Suite struct SessionFailureTests {
        /// Starts an app whose exchanges start in the background session.
        private static func world(appGroup: String? = nil) async throws -> AppWorld {
            let world = try await AppWorld()
            world.options.appGroup = appGroup
            await Screen.leaveApp()
            world.startInBackground()
            _ = try await world.session
            return world
        }

        @Test func appGroupReachesTheBackgroundSession() async throws {
            let world = try await Self.world(appGroup: "group.org.example")
            world.device.requireSharedContainer()
            let upload = try await world.session.upload(file: world.photo(1_000), to: "http://server.example/a")
            try await world.go("it ends") { try await upload.snapshot().state == .succeeded }
            #expect(world.process?.app.backgroundFailure == nil)
            #expect(world.device.ends.map(\.session) == ["org.example.photos.longhaul"])
            await world.end()
        }

        enum Fault: CaseIterable { case missingContainer, endedService, takenIdentifier }

        /// Until the next launch, this process transfers the bytes.
        @Test(arguments: Fault.allCases) func unusableSessionIsReported(_ fault: Fault) async throws {
            let world = try await Self.world()
            let app = try #require(world.process?.app)
            world.device.changeNetwork { $0.isOnline = false }
            let upload = try await world.session.upload(file: world.photo(1_000), to: "http://server.example/a")
            try await world.wait("the system has it") { world.device.unfinished(inBackground: true) == 1 }
            #expect(app.backgroundFailure == nil)
            switch fault {
            case .missingContainer: world.device.requireSharedContainer()
            case .endedService: world.device.endTransferService()
            case .takenIdentifier:
                world.device.invalidate(app.backgroundIdentifiers[0], code: .backgroundSessionInUseByAnotherProcess)
                world.device.endTransferService()
            }
            world.device.changeNetwork { $0.isOnline = true }
            try await world.go("it is reported") { app.backgroundFailure != nil }
            #expect(app.backgroundFailure?.code == .interrupted)
            try await world.wait("it is interrupted") { world.device.unfinished(inBackground: true) == 0 }
            // It may have been retried already.
            _ = try? await upload.retry()
            try await world.go("it ends") { try await upload.snapshot().state == .succeeded }
            #expect(world.device.ends.last?.session.hasPrefix("#") ?? false)
            await world.die()
            world.startInBackground()
            _ = try await world.session
            #expect(world.process?.app.backgroundFailure == nil)
            await world.end()
        }
    }
}
