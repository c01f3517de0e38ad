import Foundation
import FoundationDouble
import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulApple

/// The fourth walkthrough: a request at the end of the process.
extension AppleSystems {
    @Suite struct TerminationTests {
        /// Performs the requests with one key once, and stays silent until a test lets it respond.
        private final class KeyedServer: Sendable {
            private let state = Mutex<(mayAnswer: Bool, effects: [String])>((false, []))

            func answerNow() { state.withLock { $0.mayAnswer = true } }

            /// The keys of the requests that it performed.
            var effects: [String] { state.withLock(\.effects) }

            func answer(_ request: URLRequest) -> SimulatedNetwork.Answer? {
                let key = request.value(forHTTPHeaderField: "Idempotency-Key")
                return state.withLock { state in
                    if key == nil || !state.effects.contains(key ?? "") { state.effects.append(key ?? "no key") }
                    return state.mayAnswer ? .init(200) : nil
                }
            }
        }

        private static let url = "http://server.example/goodbye"

        private static func world(_ server: KeyedServer) async throws -> AppWorld {
            let world = try await AppWorld()
            var settings = NotificationSettings(appName: "Photos")
            settings.showsWhileAppIsOpen = true
            world.configuration.notifications = settings
            world.device.changeNetwork { $0.server = { request, _ in server.answer(request) } }
            try await world.open()
            return world
        }

        private static func die(_ world: AppWorld, _ isForced: Bool) async {
            await world.die { if isForced { $0.forceQuit(listsTasks: true) } else { $0.enter(.dead) } }
        }

        /// The process ends five seconds after the notice, and the server responds three seconds later.
        @Test(arguments: [false, true]) func requestAtTerminationIsDeliveredOnceByKey(_ isForced: Bool) async throws {
            let server = KeyedServer()
            let world = try await Self.world(server)
            let session = try await world.session
            let made = Mailbox<TransferID>()
            let events = try #require(world.process).lifecycle.events()
            let app = Task {
                for await event in events {
                    if case .willTerminate(let deadline) = event {
                        // The system ends the process after five seconds.
                        #expect(deadline - .now < .seconds(5))
                        let goodbye = try await session.request(
                            Self.url, method: "POST", body: Array("bye".utf8), options: .atTermination)
                        made.append(goodbye.id)
                    }
                }
            }
            async let ended: Void = Screen.terminate()
            try await world.go("the request is sent") { server.effects.count == 1 }
            await ended
            app.cancel()
            world.device.pass(5)
            await Self.die(world, isForced)
            world.device.pass(3)
            server.answerNow()
            try await world.go("the system has no work") { !world.device.step() && world.device.openHandlers == 0 }
            try await world.open()
            let id = try #require(made.all.first)
            try await world.go("the app gets the result") {
                try await world.session.transfer(id).snapshot().state == .succeeded
            }
            #expect(server.effects.count == 1 && server.effects != ["no key"])
            #expect(try await world.session.snapshots().map(\.id) == [id])
            try await world.wait("the user is notified") { world.notifications == ["Finished"] }
            await world.end()
        }

        @Test(arguments: [false, true]) func lastWillIsDeliveredOnceAfterKill(_ isForced: Bool) async throws {
            let server = KeyedServer()
            let world = try await Self.world(server)
            server.answerNow()
            try await world.session.setLastWill(.request(Self.url, method: "POST", body: Array("bye".utf8)))
            for _ in 0..<3 { world.device.step() }
            #expect(server.effects.isEmpty)
            await Self.die(world, isForced)
            for _ in 0..<3 {
                try await world.open()
                try await world.go("it is delivered") {
                    try await world.session.snapshots().map(\.state) == [.succeeded]
                }
                await Self.die(world, isForced)
            }
            #expect(server.effects.count == 1 && server.effects != ["no key"] && world.arrivals("POST") == 1)
            await world.end()
        }

        @Test func noticeOfTerminationCancelsLastWill() async throws {
            let server = KeyedServer()
            let world = try await Self.world(server)
            try await world.session.setLastWill(.request(Self.url, method: "POST"))
            await Screen.terminate()
            await Self.die(world, false)
            try await world.open()
            #expect(try await world.session.snapshots().isEmpty)
            #expect(!world.device.step() && server.effects.isEmpty)
            await world.end()
        }

        @Test func terminationWaitsForObservers() async throws {
            let lifecycle = ProcessLifecycle()
            let events = lifecycle.events()
            let hasHandled = Mark()
            let reading = Task {
                for await event in events {
                    if case .willTerminate = event {
                        try? await Task.sleep(for: .milliseconds(50))
                        hasHandled.set()
                    }
                }
            }
            await MainActor.run { Termination.holdBack(lifecycle, for: .seconds(60)) }
            #expect(hasHandled.isSet)
            reading.cancel()
            // An observer that never responds does not delay the end beyond the limit.
            let deaf = ProcessLifecycle()
            let unread = deaf.events()
            await MainActor.run { Termination.holdBack(deaf, for: .milliseconds(50)) }
            withExtendedLifetime(unread) {}
        }

        /// The main thread of a test process has no run loop, so a program shows it.
        @Test func mainActorRunsDuringTermination() async throws {
            let result = try await ProgramCall("\(Product.directory)/TerminationSample").run()
            #expect(result.ending == .exited(0))
        }
    }
}
