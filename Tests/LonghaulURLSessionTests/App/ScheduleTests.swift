import BackgroundTasks
import Foundation
import FoundationDouble
import LonghaulCore
import Network
import Synchronization
import SwiftUI
import TestSupport
import Testing

@testable import LonghaulApple

/// The second walkthrough: the app is started for its own tasks.
extension AppleSystems {
    @Suite struct ScheduleTests {
        private static let names = ["org.example.photos.refresh", "org.example.photos.processing"]
        private static let weather = "http://server.example/weather"

        /// The calls of a handler.
        private final class Notes: Sendable {
            let reasons = Mutex<[TaskCancellationReason?]>([])
            let runs = Mutex(0)
            let scheduler = Mutex<TaskScheduler?>(nil)
        }

        /// Returns a world whose app requests the weather when it is started, and its scheduler at each launch.
        private func world(_ notes: Notes) async throws -> AppWorld {
            let world = try await AppWorld()
            world.whenLaunching = { app in
                BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
                let made = TaskScheduler(app) { tasks throws(TransferFailure) in
                    try tasks.register("noon") { context in
                        notes.runs.withLock { $0 += 1 }
                        defer { notes.reasons.withLock { $0.append(context.cancellationReason) } }
                        var options = TransferOptions()
                        options.wakesAppWhenFinished = true
                        let request = try await context.session.request(Self.weather, key: "weather", options: options)
                        _ = try await request.response()
                    }
                }
                do { try made.register() } catch { Issue.record(error) }
                notes.scheduler.withLock { $0 = made }
                BGTaskScheduler.shared.endLaunch()
            }
            return world
        }

        @Test func theAppIsStartedForItsTaskAndAsksForTheNextStart() async throws {
            let notes = Notes()
            let world = try await world(notes)
            world.device.changeNetwork { $0.server = { _, _ in .init(200, [:], Data("storm".utf8)) } }
            try await world.open()
            let first = try #require(notes.scheduler.withLock { $0 })
            try await first.submit(.appRefresh("noon"))
            #expect(BGTaskScheduler.shared.pending.keys.sorted() == [Self.names[0]])
            try await world.leaveApp()
            await world.die()
            // The system starts the app in the background, for as long as its handler runs.
            world.startInBackground()
            BGTaskScheduler.shared.launch(Self.names[0])
            try await world.go("it is done") {
                BGTaskScheduler.shared.completed == [.init(identifier: Self.names[0], isSuccess: true)]
            }
            #expect(notes.reasons.withLock { $0 } == [nil] && world.arrivals("GET") == 1)
            #expect(BGTaskScheduler.shared.pending.isEmpty)
            await world.end()
        }

        @Test func unfinishedRequestOutlivesHandler() async throws {
            let notes = Notes()
            let world = try await world(notes)
            let mayAnswer = Mutex(false)
            let isReady: @Sendable () -> Bool = { mayAnswer.withLock { $0 } }
            world.device.changeNetwork {
                $0.server = { _, _ in isReady() ? .init(200, [:], Data("storm".utf8)) : nil }
            }
            world.startInBackground()
            let made = try #require(notes.scheduler.withLock { $0 })
            try await made.submit(.appRefresh("noon"))
            let lent = try #require(BGTaskScheduler.shared.launch(Self.names[0]))
            nonisolated(unsafe) let task = lent
            try await world.wait("it asks") { world.device.unfinished(inBackground: true) == 1 }
            world.device.step()
            task.expirationHandler?()
            try await world.wait("it is done") {
                BGTaskScheduler.shared.completed == [.init(identifier: Self.names[0], isSuccess: false)]
            }
            #expect(notes.reasons.withLock { $0 } == [.budgetExpired])

            // The same request continues, and its response starts the app.
            await world.die()
            mayAnswer.withLock { $0 = true }
            try await world.goUntilLaunched()
            let events = try await world.session.pendingEvents()
            #expect(events.contains { $0.transfer?.key == "weather" })
            let transfer = try #require(try await world.session.transfer(key: "weather"))
            #expect(try await transfer.response().body == Array("storm".utf8))
            #expect(notes.runs.withLock { $0 } == 1 && world.arrivals("GET") == 1)
            await world.end()
        }

        @Test func theSystemIsAskedOnceForEachKind() throws {
            let noon = WallTime(seconds: 1_800_000_000)
            func task(_ request: BackgroundTaskRequest, _ date: WallTime?) -> BackgroundTaskStatus {
                BackgroundTaskStatus(identifier: request.identifier, request: request, nextDate: date)
            }
            #expect(ScheduledWork([]).refresh == nil && ScheduledWork([]).processing == nil)
            let work = ScheduledWork([
                task(.appRefresh("a"), noon + .seconds(5)), task(.appRefresh("b"), noon),
                task(.processing("c", requiresNetworkConnectivity: true, requiresExternalPower: true), noon),
                task(.processing("d", requiresNetworkConnectivity: true), noon),
                task(.processing("e"), nil),
                BackgroundTaskStatus(identifier: "f", nextDate: noon),
            ])
            #expect(
                work.refresh
                    == .init(date: noon, requiresNetworkConnectivity: false, requiresExternalPower: false))
            #expect(
                work.processing
                    == .init(date: noon, requiresNetworkConnectivity: true, requiresExternalPower: false))
            #expect(noon.date == Date(timeIntervalSince1970: 1_800_000_000))
        }

        @Test func systemRefusalIsExplained() async throws {
            let notes = Notes()
            let world = try await world(notes)
            try await world.open()
            let made = try #require(notes.scheduler.withLock { $0 })
            BGTaskScheduler.shared.setAvailable(false)
            await #expect(throws: TransferFailure.self) { try await made.submit(.processing("noon")) }
            // The session has the task, and runs it when the app is open.
            #expect(try await made.tasks().pendingRequests().map(\.identifier) == ["noon"])
            BGTaskScheduler.shared.setAvailable(true)
            try await made.schedule()
            #expect(BGTaskScheduler.shared.pending.keys.sorted() == [Self.names[1]])

            BGTaskScheduler.shared.beginLaunch(permitting: [])
            do {
                try made.register()
                Issue.record("it was registered")
            } catch {
                #expect(error.code == .invalidState && error.message.contains(Self.names[0]))
            }
            await world.end()
        }

        @Test func workThatAPersonBeganGoesOnWithItsProgressShown() async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.continued.*"])
            try await world.open()
            let work = ContinuedWork(try #require(world.process).app)
            let film = try await world.session.download(
                from: "http://server.example/film.mp4", to: world.temporary.path, fileName: "film.mp4")
            try await work.begin(title: "Films", subtitle: "One")
            let name = "org.example.photos.continued.1"
            #expect(BGTaskScheduler.shared.pending.keys.sorted() == [name])
            let task = try #require(BGTaskScheduler.shared.launch(name) as? BGContinuedProcessingTask)
            let progress = task.progress
            try await world.go("it ends") { try await film.snapshot().state == .succeeded }
            try await world.wait("it is done") {
                BGTaskScheduler.shared.completed == [.init(identifier: name, isSuccess: true)]
            }
            #expect(progress.totalUnitCount == 1_000 && progress.completedUnitCount == 1_000)
            await world.end()
        }

        @Test func aSceneTakesTheEventsInThePlaceOfADelegate() async throws {
            let world = try await AppWorld()
            try await world.open()
            let app = try #require(world.process).app
            let scheduler = TaskScheduler(app) { _ in }
            await MainActor.run {
                _ = WindowGroup { Text("films") }.transferEvents(of: app).transferTasks(of: scheduler)
            }
            #expect(BackgroundActions.names.contains("session org.example.photos.longhaul"))
            #expect(BackgroundActions.names.contains("session org.example.photos.longhaul.discretionary"))
            #expect(BackgroundActions.names.contains("refresh org.example.photos.refresh"))
            await BackgroundActions.run("refresh org.example.photos.refresh")
            await world.end()
        }
    }
}
