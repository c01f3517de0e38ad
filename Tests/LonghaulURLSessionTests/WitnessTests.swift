import Foundation
import FoundationDouble
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Evidence of how much of a body was sent if the system repeats it automatically.
extension AppleSystems {
    @Suite struct WitnessTests {
        /// The system counts only the bytes of its last attempt.
        private static func beginAnew(_ world: SystemWorld) async throws {
            try await world.tasks(1)
            // The whole body is sent, and the server does not respond.
            for _ in 0..<4 { world.device.step() }
            world.device.breakConnections()
            world.device.step()
        }

        private static func code(_ state: TransferState) -> FailureCode? {
            if case .failed(let failure) = state { failure.code } else { nil }
        }

        @Test func unseenArrivalIsNotRepeated() async throws {
            let world = try SystemWorld()
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            let post = try await world.submit(world.upload("POST", 200_000))
            try await world.tasks(1)
            world.die()
            try await Self.beginAnew(world)
            #expect(world.arrivals("POST") == 1)
            world.die { $0.forceQuit() }
            try world.comeBack()
            try await world.wait("it ends") { Self.code(try await world.state(post)) == .outcomeUnknown }
            #expect(world.device.unfinished() == 0)
            world.end()
        }

        /// The system reported that it was sent while the app was not running.
        @Test func fullySentUploadIsNotRepeated() async throws {
            let world = try SystemWorld()
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            let post = try await world.submit(world.upload("POST", 100_000))
            try await world.tasks(1)
            world.die()
            for _ in 0..<3 { world.device.step() }
            world.die { $0.forceQuit() }
            try world.comeBack()
            try await world.wait("it ends") { Self.code(try await world.state(post)) == .outcomeUnknown }
            #expect(world.arrivals("POST") == 1)
            world.end()
        }

        @Test func postRunByTheSystemCannotBePaused() async throws {
            let world = try SystemWorld()
            let post = try await world.submit(world.upload("POST", 200_000))
            try await world.tasks(1)
            world.device.step()
            guard case .controlled(let answer) = try await world.send(.control(.pause, .ids([post]))) else {
                throw Unexpected()
            }
            #expect(answer.refusals.map(\.failure.code) == [.invalidState] && answer.changed == 0)
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1)
            world.end()
        }

        /// It is not cancelled either when the app comes to the front on a network that it must not use.
        @Test func startedSystemTaskIsNotReclaimed() async throws {
            let world = try SystemWorld()
            var spec = try world.upload("POST", 1_000)
            spec.options.conditions.allowsExpensiveNetworkAccess = false
            let post = try await world.submit(spec)
            try await world.tasks(1)
            world.useModem(true)
            try world.comeBack()
            try await world.send(.info)
            #expect(try await world.state(post) == .running(.sending) && world.device.unfinished() == 1)
            world.useModem(false)
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            world.end()
        }

        /// A timeout does not prove that nothing has arrived.
        @Test(arguments: [false, true]) func timeoutLeavesUploadOutcomeUnknown(_ isWatched: Bool) async throws {
            let world = try SystemWorld()
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            var spec = try world.upload("POST", 200_000)
            if isWatched {
                spec.options.progressTimeout = .seconds(50)
            } else {
                spec.options.timeoutIntervalForResource = .seconds(50)
            }
            let post = try await world.submit(spec)
            try await world.tasks(1)
            world.device.step()
            try await world.wait("it ends") {
                world.pass(60)
                try await world.send(.info)
                return try await world.state(post).isEnded
            }
            #expect(Self.code(try await world.state(post)) == .outcomeUnknown)
            try await world.tasks(0)
            world.end()
        }

        /// The limit expired while the app was not running: the first turn of the next process notices it.
        @Test func timeoutDuringAppAbsenceLeavesUploadOutcomeUnknown() async throws {
            let world = try SystemWorld()
            world.device.changeNetwork { $0.server = { _, _ in nil } }
            var spec = try world.upload("POST", 200_000)
            spec.options.timeoutIntervalForResource = .seconds(50)
            let post = try await world.submit(spec)
            try await world.tasks(1)
            world.die()
            world.device.step()
            world.pass(60)
            try world.comeBack()
            try await world.wait("it ends") { try await world.state(post).isEnded }
            #expect(Self.code(try await world.state(post)) == .outcomeUnknown)
            world.end()
        }

        @Test func aLimitThatPassedWithoutTheAppLeavesASuccessOne() async throws {
            let world = try SystemWorld()
            var spec = try world.upload("POST", 100_000)
            spec.options.timeoutIntervalForResource = .seconds(50)
            let post = try await world.submit(spec)
            try await world.tasks(1)
            world.die()
            world.pass(60)
            try await world.go("the app is started") { world.device.launches.count == 1 }
            try await world.wait("the handler") { world.device.openHandlers == 0 }
            #expect(try await world.state(post) == .succeeded)
            world.end()
        }

        @Test func systemTaskRefusesNewURL() async throws {
            let world = try SystemWorld()
            let post = try await world.submit(world.upload("POST", 200_000))
            try await world.tasks(1)
            world.device.step()
            let url = "http://server.example/elsewhere"
            guard case .controlled(let answer) = try await world.send(.replaceURL(post, url: url, headers: nil)) else {
                Issue.record("no answer")
                return
            }
            #expect(answer.refusals.map(\.failure.code) == [.invalidState] && answer.changed == 0)
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1)
            world.end()
        }

        /// The system has no battery condition. The app is opened when the battery is low.
        @Test func anOpeningUnderOtherConditionsLeavesItToTheSystem() async throws {
            let world = try SystemWorld()
            var spec = try world.upload("POST", 200_000)
            spec.options.conditions.requiresExternalPower = true
            let post = try await world.submit(spec)
            try await world.tasks(1)
            world.device.step()
            world.die()
            world.hasPower = false
            try world.comeBack()
            try await world.send(.info)
            #expect(try await world.state(post) == .running(.sending) && world.device.unfinished() == 1)
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1)
            world.end()
        }

        /// In the foreground session, nothing is repeated, and the counts are exact.
        @Test func aPauseInTheFrontLaneIsAPause() async throws {
            let world = try SystemWorld(lane: .front)
            let post = try await world.submit(world.upload("POST", 200_000))
            try await world.tasks(1)
            world.device.step()
            try await world.send(.control(.pause, .ids([post])))
            try await world.tasks(0)
            #expect(try await world.state(post) == .paused)
            try await world.send(.control(.resume, .ids([post])))
            try await world.go("it ends") { try await world.state(post) == .succeeded }
            #expect(world.arrivals("POST") == 1)
            world.end()
        }

        /// Its start time is tomorrow: no byte can have been sent, whether or not the app was running.
        @Test func unstartedSystemTaskCanBePaused() async throws {
            let world = try SystemWorld()
            var spec = try world.upload("POST", 1_000)
            spec.options.earliestBeginDate = WallTime(seconds: 1_800_000_000 + 86_400)
            let post = try await world.submit(spec)
            try await world.leaveToSystem()
            try await world.tasks(1)
            world.die()
            try world.comeBack()
            try await world.send(.control(.pause, .ids([post])))
            try await world.tasks(0)
            #expect(try await world.state(post) == .paused)
            world.end()
        }

        /// The loop settles the first exchange after the second has started under the same name.
        @Test func overlappingExchangeKeepsItsNote() async throws {
            let world = try SystemWorld(lane: .front, isLaunched: false)
            let told = Mutex<[Ticket]>([])
            let engine = try SystemEngine(
                BackgroundSessionOptions(identifier: SystemWorld.identifier), directory: world.temporary.path("notes"),
                sessions: SystemSessions(),
                sink: { events in told.withLock { $0 += events.filter(\.1.isEnding).map(\.0) } })
            let name = ExchangeID(transfer: TransferID(high: 1, low: 2), attempt: 1)
            let plan = ExchangePlan(
                method: "PUT", url: "http://server.example/a", headers: [],
                body: BodyPlan(segments: [], length: 0, holdsLastBytes: false),
                sink: .memory(limit: 10), network: CopyOnWrite(NetworkOptions()), followsOnlyRepeatingRedirects: true)
            let (first, second) = (Ticket(1), Ticket(2))
            engine.start(plan, as: first, named: name)
            try await world.tasks(1)
            engine.cancel(first)
            try await world.wait("it has ended") { told.withLock { $0 == [first] } }
            engine.start(plan, as: second, named: name)
            try await world.tasks(1)
            engine.recordSettled(first)
            #expect(engine.notes.read(of: name) != nil)
            world.device.step()
            try await world.wait("it has ended") { told.withLock { $0 == [first, second] } }
            engine.shutDown()
            world.end()
        }
    }
}
