import BackgroundTasks
import Foundation
import FoundationDouble
import LonghaulCore
import Network
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple

/// The effects of the system's events on an app's session.
extension AppleSystems {
    @Suite struct AdapterTests {
        private static let names = ["org.example.photos.refresh", "org.example.photos.processing"]

        @Test(arguments: ["metered", "power"]) func waitingTransferStartsWhenTheDeviceAllows(_ reason: String)
            async throws
        {
            let world = try await AppWorld()
            await Screen.setBattery(isCharging: false, level: 0.5)
            NWPathMonitor.change(to: NWPath(.satisfied, .cellular, isExpensive: true))
            try await world.open()
            var options = TransferOptions()
            options.conditions.requiresExternalPower = reason == "power"
            options.conditions.allowsExpensiveNetworkAccess = reason != "metered"
            let photo = try await world.session.upload(
                file: try world.photo(1_000), to: "http://server.example/a", options: options)
            try await world.wait("the upload waits") {
                if case .waiting(let waiting) = try await photo.snapshot().state {
                    "\(waiting.reason)" == reason
                } else {
                    false
                }
            }
            #expect(world.device.unfinished() == 0)
            if reason == "power" {
                await Screen.setBattery(isCharging: true, level: 0.5)
            } else {
                NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
            }
            try await world.wait("the upload has started") { world.device.unfinished() == 1 }
            await world.end()
        }

        /// The test before has failed, and has not ended its world.
        @Test func openWorldDoesNotReachTheNextTest() async throws {
            let lane = try LaneWorld()
            _ = try await lane.open()
            let app = try await AppWorld()
            try await app.open()
            await OpenWorlds.close()
            #expect(lane.system.runtime == nil && app.process == nil)
            let world = try await AppWorld()
            try await world.open()
            await Screen.leaveApp()
            await world.end()
        }

        @Test func waitingTransferStartsWhenTheNetworkReturns() async throws {
            let world = try await AppWorld()
            // No retry is due before the network returns.
            let start = WallTime(seconds: 1_800_000_000)
            world.adjust = { $0.now = { start } }
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            try await world.open()
            let photo = try await world.session.upload(file: try world.photo(1_000), to: "http://server.example/a")
            try await world.wait("the upload has started") { world.device.unfinished() == 1 }
            NWPathMonitor.change(to: NWPath(.unsatisfied))
            world.device.failTasks(with: .notConnectedToInternet)
            try await world.wait("the upload waits") {
                if case .waiting(let waiting) = try await photo.snapshot().state {
                    waiting.reason == .network
                } else {
                    false
                }
            }
            #expect(world.device.unfinished() == 0)
            NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
            try await world.wait("the upload has started again") { world.device.unfinished() == 1 }
            await world.end()
        }

        @Test func openingWaitsForTheNetworkPath() async throws {
            let world = try await AppWorld()
            let cellular = NWPath(.satisfied, .cellular, isExpensive: true)
            NWPathMonitor.change(to: cellular)
            try await world.open()
            var options = TransferOptions()
            options.conditions.allowsExpensiveNetworkAccess = false
            let photo = try await world.session.upload(
                file: try world.photo(1_000), to: "http://server.example/a", options: options)
            await world.die()
            NWPathMonitor.withholdPath()
            world.startInBackground()
            let app = try #require(world.process).app
            let opening = Task { try await app.open() }
            for _ in 0..<300 where world.device.unfinished() == 0 { try await Task.sleep(for: .milliseconds(1)) }
            NWPathMonitor.change(to: cellular)
            let snapshot = try await opening.value.transfer(photo.id).snapshot()
            #expect(world.device.unfinished() == 0 && !snapshot.state.isEnded)
            await world.end()
        }

        /// Returns the scheduler of an app that was started in the background.
        private func scheduler(
            _ world: AppWorld, _ handler: @escaping @Sendable (BackgroundTaskContext) async throws -> Void
        ) throws -> TaskScheduler {
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            world.startInBackground()
            let scheduler = TaskScheduler(try #require(world.process).app) { tasks throws(TransferFailure) in
                try tasks.register("noon", handler)
            }
            try scheduler.register()
            return scheduler
        }

        /// An app that is killed during the run cannot request it.
        @Test func nextStartIsRequestedBeforeTheRun() async throws {
            let world = try await AppWorld()
            let (end, feed) = AsyncStream<Never>.makeStream()
            let hasStarted = Mark()
            let scheduler = try scheduler(world) { _ in
                hasStarted.set()
                for await _ in end {}
            }
            try await scheduler.submit(.appRefresh("noon"))
            BGTaskScheduler.shared.launch(Self.names[0])
            try await world.wait("the handler runs") { hasStarted.isSet }
            #expect(BGTaskScheduler.shared.pending.keys.sorted() == [Self.names[0]])
            feed.finish()
            try await world.wait("the run has ended") { BGTaskScheduler.shared.completed.map(\.isSuccess) == [true] }
            await world.end()
        }

        /// `isExpired`: the system takes the time back before the handler returns.
        @Test(arguments: [false, true]) func transfersOfARunGoToTheSystem(_ isExpired: Bool) async throws {
            let world = try await AppWorld()
            world.configuration.rules = SessionRules(limits: SessionLimits(total: 1))
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            let file = try world.photo(1_000)
            let hasSubmitted = Mark()
            let scheduler = try scheduler(world) { context in
                for name in ["a", "b", "c"] {
                    try await context.session.upload(file: file, to: "http://server.example/\(name)")
                }
                hasSubmitted.set()
                if isExpired { try await Task.sleep(for: .seconds(600)) }
            }
            try await scheduler.submit(.appRefresh("noon"))
            nonisolated(unsafe) let task = try #require(BGTaskScheduler.shared.launch(Self.names[0]))
            try await world.wait("the handler has submitted them") { hasSubmitted.isSet }
            if isExpired { task.expirationHandler?() }
            try await world.wait("the run has ended") {
                BGTaskScheduler.shared.completed.map(\.isSuccess) == [!isExpired]
            }
            #expect(world.device.unfinished(inBackground: true) == 3)
            #expect(world.process?.app.carrier.isBehind == true)
            await world.end()
        }
    }
}
