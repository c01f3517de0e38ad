import Foundation
import FoundationDouble
import LonghaulCore
import Network
import SwiftUI
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple

/// Launches by the system that do not come to their end: none of them waits longer than its limit.
extension AppleSystems {
    @Suite struct LaunchTests {
        private static let session = "org.example.photos.longhaul"

        /// Returns a world whose app has left an upload to the system and is not running.
        private func world(launchTime: Duration = .milliseconds(500)) async throws -> AppWorld {
            let world = try await AppWorld()
            world.adjust = { $0.limits.launch = launchTime }
            try await world.open()
            try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.wait("the upload has started") { world.device.unfinished() == 1 }
            try await world.leaveApp()
            await world.die()
            return world
        }

        @Test func launchEndsWithoutTheLastEvent() async throws {
            let world = try await world()
            world.device.setFinishesLate(true)
            try await world.goUntilLaunched()
            #expect(world.logged.all == ["Longhaul: the system has not reported all events of \(Self.session)."])
            #expect(try await world.session.snapshots().map(\.state) == [.succeeded])
            world.device.finishTelling()
            await world.end()
        }

        @Test func launchEndsWithoutANetworkPath() async throws {
            let world = try await world()
            NWPathMonitor.withholdPath()
            try await world.goUntilLaunched()
            #expect(
                world.logged.all == [
                    "Longhaul: a launch for \(Self.session) took too long while it opened the session."
                ])
            NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
            try await world.wait("the upload has ended") {
                try await world.session.snapshots().map(\.state) == [.succeeded]
            }
            await world.end()
        }

        @Test func launchDoesNotWaitForItsHandler() async throws {
            let world = try await world()
            let (end, feed) = AsyncStream<Never>.makeStream()
            world.options.onEvents = { _ in
                // Ignores that it is cancelled.
                await Task { for await _ in end {} }.value
            }
            try await world.goUntilLaunched()
            feed.finish()
            await world.end()
        }

        /// The session of another part of the app may have a longer name.
        @Test(arguments: ["b", ".b", ".discretionary.b"]) func eventsOfAnotherSessionAreNotHandled(_ suffix: String)
            async throws
        {
            let world = try await AppWorld()
            try await world.open()
            let app = try #require(world.process).app
            let isCalled = Mark()
            let isHandled = await MainActor.run {
                app.handleEvents(forBackgroundURLSession: Self.session + suffix) { isCalled.set() }
            }
            await MainActor.run {}
            #expect(!isHandled && !isCalled.isSet)
            await world.end()
        }

        /// The system allows about thirty seconds for a launch, and five for the end of a task.
        @Test func defaultLimitsAreShorterThanTheSystems() {
            let surroundings = AppSurroundings { _ throws(TransferFailure) in
                throw TransferFailure(.internalFault, "no files")
            }
            #expect(surroundings.limits.launch == .seconds(25) && surroundings.limits.answer == .seconds(10))
            #expect(surroundings.limits.expiration == .seconds(4) && surroundings.settling == 2)
        }

        @Test func onEventsRunsOnceAfterTheEvents() async throws {
            let world = try await world(launchTime: .seconds(25))
            let seen = Mutex<[[TransferState]]>([])
            world.options.onEvents = { session in
                let states = try? await session.snapshots().map(\.state)
                seen.withLock { $0.append(states ?? []) }
            }
            try await world.goUntilLaunched()
            #expect(seen.withLock { $0 } == [[.succeeded]])
            await world.end()
        }

        /// The log states the session whose last event is missing.
        @Test(arguments: [0, 1]) func sceneHandlesTheEventsOfItsSession(_ index: Int) async throws {
            let world = try await AppWorld()
            world.adjust = { $0.limits.launch = .seconds(2) }
            try await world.open()
            let app = try #require(world.process).app
            BackgroundActions.beginLaunch()
            await MainActor.run { _ = WindowGroup { Text("films") }.transferEvents(of: app) }
            let name = app.backgroundIdentifiers[index]
            #expect(await BackgroundActions.run(name))
            #expect(world.logged.all == ["Longhaul: the system has not reported all events of \(name)."])
            BackgroundActions.beginLaunch()
            await world.end()
        }

        /// `isLocked`: the launch waits for the first unlocking; otherwise it waits for the last event.
        @Test(arguments: [false, true]) func cancelledLaunchReturnsAtOnce(_ isLocked: Bool) async throws {
            let world = try await world(launchTime: .seconds(600))
            world.device.setFinishesLate(true)
            let home = try #require(world.options.directory)
            if isLocked {
                try FileManager.default.moveItem(atPath: home, toPath: home + ".closed")
                try Data().write(to: URL(fileURLWithPath: home))
                await Screen.setUnlocked(false)
            }
            world.startInBackground()
            let app = try #require(world.process).app
            let isDone = Mark()
            let scene = Task {
                await app.handleEvents(of: Self.session)
                isDone.set()
            }
            if !isLocked { try await world.wait("the session is open") { app.carrier.runtime != nil } }
            #expect(!isDone.isSet)
            scene.cancel()
            try await world.wait("the call has returned") { isDone.isSet }
            let entry = try #require(world.logged.all.first)
            #expect(entry.hasPrefix("Longhaul: a launch for \(Self.session) was cancelled while it "))
            if isLocked {
                try FileManager.default.removeItem(atPath: home)
                try FileManager.default.moveItem(atPath: home + ".closed", toPath: home)
                await Screen.setUnlocked(true)
            }
            // The transfers stay with the system.
            #expect(app.carrier.isBehind)
            await world.end()
        }
    }
}
