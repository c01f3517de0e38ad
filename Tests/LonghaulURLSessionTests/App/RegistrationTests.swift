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

/// The names in the system's scheduler, and starts that do not come to their end.
extension AppleSystems {
    @Suite struct RegistrationTests {
        private static let names = ["org.example.photos.refresh", "org.example.photos.processing"]

        @Test func secondRegistrationIsAnError() async throws {
            let world = try await AppWorld()
            let listed = Self.names + ["org.example.photos.films.refresh", "org.example.photos.films.processing"]
            BGTaskScheduler.shared.beginLaunch(permitting: listed)
            try await world.open()
            let app = try #require(world.process).app
            let one = TaskScheduler(app) { _ in }
            try one.register()
            let films = AppSession(
                "films", configuration: world.configuration, options: world.options, surroundings: app.surroundings)
            try TaskScheduler(films) { _ in }.register()
            // The same session, and a session whose names are the same.
            let twin = AppSession(
                "org.example.photos.films", configuration: world.configuration, options: world.options,
                surroundings: app.surroundings)
            for scheduler in [one, TaskScheduler(app) { _ in }, TaskScheduler(twin) { _ in }] {
                let failure = await world.failure { try scheduler.register() }
                #expect(failure?.code == .invalidState && failure?.message.contains("already registered") == true)
                #expect(await world.failure { try scheduler.registerProcessing() }?.code == .invalidState)
            }
            await world.end()
        }

        /// `isFirst`: the app calls `register()` before the system evaluates the scene.
        @Test(arguments: [true, false]) func refreshNameHasOneOwner(_ isFirst: Bool) async throws {
            let world = try await AppWorld()
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            try await world.open()
            let runs = Mutex(0)
            let scheduler = TaskScheduler(try #require(world.process).app) { tasks throws(TransferFailure) in
                try tasks.register("noon") { _ in runs.withLock { $0 += 1 } }
            }
            if isFirst { try scheduler.register() }
            await MainActor.run { _ = WindowGroup { Text("films") }.transferTasks(of: scheduler) }
            if !isFirst { #expect(await world.failure { try scheduler.register() }?.code == .invalidState) }
            try await scheduler.submit(.appRefresh("noon"))
            BGTaskScheduler.shared.launch(Self.names[0])
            try await world.wait("the task has run") {
                BGTaskScheduler.shared.completed == [.init(identifier: Self.names[0], isSuccess: true)]
            }
            #expect(runs.withLock { $0 } == 1)
            await world.end()
        }

        /// The session cannot be opened without a network path.
        @Test func expiredTaskEndsWithoutItsSession() async throws {
            let world = try await AppWorld()
            world.adjust = { $0.limits.expiration = .milliseconds(300) }
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            try await world.open()
            let handlers: @Sendable (BackgroundTasks) throws(TransferFailure) -> Void = {
                tasks throws(TransferFailure) in
                try tasks.register("noon") { _ in }
            }
            try await TaskScheduler(try #require(world.process).app, handlers).submit(.appRefresh("noon"))
            await world.die()
            NWPathMonitor.withholdPath()
            world.startInBackground()
            try TaskScheduler(try #require(world.process).app, handlers).register()
            nonisolated(unsafe) let task = try #require(BGTaskScheduler.shared.launch(Self.names[0]))
            try await world.wait("the task has started") { task.expirationHandler != nil }
            #expect(BGTaskScheduler.shared.completed == [])
            task.expirationHandler?()
            try await world.wait("the task has ended") {
                BGTaskScheduler.shared.completed == [.init(identifier: Self.names[0], isSuccess: false)]
            }
            // A process that dies while it opens its session would open it on the device of the next test.
            NWPathMonitor.change(to: NWPath(.satisfied, .wifi))
            _ = try await world.session
            await world.end()
        }

        /// The second session is not named after the bundle.
        @Test(arguments: [
            ("org.example.photos", ""), ("films", ".films"),
            ("org.example.photosynthesis", ".org.example.photosynthesis"),
        ])
        func schedulerNamesBeginWithTheBundleIdentifier(_ session: String, _ infix: String) async throws {
            let world = try await AppWorld()
            world.sessionName = session
            let names = ["processing", "refresh"].map { "org.example.photos\(infix).\($0)" }
            BGTaskScheduler.shared.beginLaunch(permitting: names)
            try await world.open()
            let scheduler = TaskScheduler(try #require(world.process).app) { tasks throws(TransferFailure) in
                try tasks.register("noon") { _ in }
                try tasks.register("night") { _ in }
            }
            try scheduler.register()
            try await scheduler.submit(.appRefresh("noon"))
            try await scheduler.submit(.processing("night"))
            #expect(BGTaskScheduler.shared.pending.keys.sorted() == names)
            await world.end()
        }

        @Test func unansweredRequestIsAnError() async throws {
            let world = try await AppWorld()
            world.adjust = { $0.limits.answer = .milliseconds(100) }
            BGTaskScheduler.shared.beginLaunch(permitting: Self.names)
            BGTaskScheduler.shared.withholdAnswers()
            try await world.open()
            let scheduler = TaskScheduler(try #require(world.process).app) { tasks throws(TransferFailure) in
                try tasks.register("noon") { _ in }
            }
            let failures = Mailbox<TransferFailure?>()
            Task { failures.append(await world.failure { try await scheduler.submit(.appRefresh("noon")) }) }
            try await world.wait("the call fails") { !failures.all.isEmpty }
            let failure = try #require(failures.all.first)
            #expect(failure?.code == .serviceUnavailable && failure?.message.contains("not answered") == true)
            await world.end()
        }
    }
}
