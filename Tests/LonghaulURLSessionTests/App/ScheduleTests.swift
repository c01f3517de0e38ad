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

        /// Both run the handler of the same session: the system's start, and an app that the user has opened.
        @Test(arguments: [false, true]) func runDueAndSystemRunTakeTurns(_ systemIsFirst: Bool) async throws {
            let notes = Notes()
            let world = try await world(notes)
            let mayAnswer = Mutex(false)
            let isReady: @Sendable () -> Bool = { mayAnswer.withLock { $0 } }
            world.device.changeNetwork { $0.server = { _, _ in isReady() ? .init(200) : nil } }
            try await world.open()
            let made = try #require(notes.scheduler.withLock { $0 })
            try await made.submit(.appRefresh("noon"))
            let isRunning: @Sendable () async throws -> Bool = {
                try await made.tasks().statuses().contains(where: \.isRunning)
            }
            if systemIsFirst {
                BGTaskScheduler.shared.launch(Self.names[0])
                try await world.wait("the system's run is first", isRunning)
            }
            let run = Task { try await made.runDue() }
            if !systemIsFirst {
                try await world.wait("the app's run is first", isRunning)
                BGTaskScheduler.shared.launch(Self.names[0])
            }
            for _ in 0..<3 { world.device.step() }
            mayAnswer.withLock { $0 = true }
            try await world.go("the system's run has ended") {
                BGTaskScheduler.shared.completed == [.init(identifier: Self.names[0], isSuccess: true)]
            }
            try await run.value
            #expect(notes.runs.withLock { $0 } == 1)
            await world.end()
        }

        @Test func expiredRunRequestsTheNextStart() async throws {
            let notes = Notes()
            let world = try await world(notes)
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            try await world.open()
            let made = try #require(notes.scheduler.withLock { $0 })
            try await made.submit(.appRefresh("noon"))
            let lent = try #require(BGTaskScheduler.shared.launch(Self.names[0]))
            nonisolated(unsafe) let task = lent
            try await world.wait("the check asks") { world.device.unfinished() == 1 }
            try await made.tasks().submit(.appRefresh("noon", repeats: .daily(hour: 12)))
            task.expirationHandler?()
            try await world.wait("the task is completed") { BGTaskScheduler.shared.completed.count == 1 }
            let next = try #require(BGTaskScheduler.shared.pending[Self.names[0]]?.earliestBeginDate)
            #expect(next > Date())
            await world.end()
        }

        @Test func eachTaskKindIsScheduledOnce() throws {
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

        @Test(arguments: [(true, false), (false, true)])
        func processingRequestHasItsRequirements(_ network: Bool, _ power: Bool) async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            try await world.open()
            let scheduler = TaskScheduler(try #require(world.process).app) { tasks throws(TransferFailure) in
                try tasks.register("night") { _ in }
            }
            try await scheduler.submit(
                .processing("night", requiresNetworkConnectivity: network, requiresExternalPower: power))
            let request = try #require(BGTaskScheduler.shared.pending[Self.names[1]] as? BGProcessingTaskRequest)
            #expect(request.requiresNetworkConnectivity == network && request.requiresExternalPower == power)
            await world.end()
        }

        /// The app has refresh tasks only, and lists no other name.
        @Test func sceneRegistersOnlyListedNames() async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: [Self.names[0]])
            world.adjust = { $0.permittedTaskNames = [Self.names[0]] }
            try await world.open()
            let app = try #require(world.process).app
            let scheduler = TaskScheduler(app) { _ in }
            await MainActor.run { _ = WindowGroup { Text("films") }.transferTasks(of: scheduler) }
            #expect(BGTaskScheduler.shared.registered == [Self.names[0]])
            await world.end()
        }

        @Test func simulatorIsNamedAsTheReason() async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            BGTaskScheduler.shared.runInSimulator()
            try await world.open()
            let scheduler = TaskScheduler(try #require(world.process).app) { tasks throws(TransferFailure) in
                try tasks.register("noon") { _ in }
            }
            let failure = await world.failure { try await scheduler.submit(.appRefresh("noon")) }
            #expect(failure?.code == .serviceUnavailable && failure?.message.contains("simulator") == true)
            await world.end()
        }

        /// `isNew`: the system has the call of iOS 27.
        @Test(arguments: [true, false]) func systemRefusalIsExplained(_ isNew: Bool) async throws {
            let notes = Notes()
            let world = try await world(notes)
            world.submitsWithCompletion = isNew
            if !isNew { BGTaskScheduler.shared.denyCompletion() }
            try await world.open()
            let made = try #require(notes.scheduler.withLock { $0 })
            BGTaskScheduler.shared.setAvailable(false)
            var failures = [await world.failure { try await made.submit(.processing("noon")) }]
            // The session has the task, and runs it when the app is open.
            #expect(try await made.tasks().pending().map(\.identifier) == ["noon"])
            BGTaskScheduler.shared.setAvailable(true)
            try await made.schedule()
            #expect(BGTaskScheduler.shared.pending.keys.sorted() == [Self.names[1]])
            #expect((BGTaskScheduler.shared.oldSubmissions == 0) == isNew)

            // Requests of the app's own take the places.
            BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: Self.names[1])
            let others = (0..<10).map { "org.example.photos.\($0)" }
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names + others)
            for name in others { try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: name)) }
            failures.append(await world.failure { try await made.schedule() })

            // Either entry of Info.plist is missing.
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names, modes: ["fetch"])
            failures.append(await world.failure { try await made.schedule() })
            #expect(
                failures.map { $0?.code } == [.serviceUnavailable, .tooManyPendingTaskRequests, .invalidState])
            #expect(failures[0]?.message.contains("allow it in the settings") == true)
            #expect(failures[2]?.message.contains("\(Self.names[1]) under") == true)
            #expect(failures[2]?.message.contains("processing under UIBackgroundModes") == true)
            BGTaskScheduler.shared.beginLaunch(permitting: [])
            failures.append(await world.failure { try made.register() })
            #expect(failures[3]?.code == .invalidState && failures[3]?.message.contains(Self.names[0]) == true)
            #expect(Set(failures.map { $0?.message }).count == 4)
            await world.end()
        }

        @Test func aNameHasOneLaunchHandler() async {
            await #expect(processExitsWith: .failure) {
                BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.refresh"])
                _ = BGTaskScheduler.shared.register(forTaskWithIdentifier: "org.example.photos.refresh", using: nil) {
                    _ in
                }
                await MainActor.run {
                    _ = WindowGroup { Text("films") }.backgroundTask(.appRefresh("org.example.photos.refresh")) {}
                }
            }
        }

        @Test func aCallDoesNotReplaceALaunchHandler() async {
            await #expect(processExitsWith: .failure) {
                BGTaskScheduler.shared.beginLaunch(permitting: ["org.example.photos.refresh"])
                for _ in 0..<2 {
                    _ = BGTaskScheduler.shared.register(
                        forTaskWithIdentifier: "org.example.photos.refresh", using: nil
                    ) { _ in }
                }
            }
        }

        /// `registersBefore`: the app registers processing tasks itself, as it must before iOS 27. A call after the first scene does nothing.
        @Test(arguments: [true, false])
        func aSceneTakesTheEventsInThePlaceOfADelegate(_ registersBefore: Bool) async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            try await world.open()
            let app = try #require(world.process).app
            let runs = Mutex(0)
            let scheduler = TaskScheduler(app) { tasks throws(TransferFailure) in
                for name in ["noon", "night"] {
                    try tasks.register(name) { _ in runs.withLock { $0 += 1 } }
                }
            }
            if registersBefore { try scheduler.registerProcessing() }
            // The system evaluates the scenes again when their state changes.
            for _ in 0..<2 {
                await MainActor.run {
                    _ = WindowGroup { Text("films") }.transferEvents(of: app).transferTasks(of: scheduler)
                }
            }
            BGTaskScheduler.shared.endLaunch()
            #expect(BackgroundActions.names.contains("org.example.photos.longhaul"))
            #expect(BackgroundActions.names.contains("org.example.photos.longhaul.discretionary"))
            for (name, request) in zip(
                Self.names, [.appRefresh("noon"), .processing("night")] as [BackgroundTaskRequest])
            {
                try await scheduler.submit(request)
                BGTaskScheduler.shared.launch(name)
                try await world.wait("it is done") {
                    BGTaskScheduler.shared.completed.contains { $0.identifier == name }
                }
            }
            #expect(runs.withLock { $0 } == 2)
            if !registersBefore {
                #expect(await world.failure { try scheduler.registerProcessing() } == nil)
            }
            await world.end()
        }
    }
}
