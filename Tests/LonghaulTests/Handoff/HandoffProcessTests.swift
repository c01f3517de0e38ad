import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// An app in a separate process that ends in every way.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct HandoffProcessTests {
    private let world: HandoffWorld

    init() throws {
        world = try HandoffWorld()
    }

    @Test func terminatedAppHandsOverAndExits() async throws {
        world.stallUpload(after: 2 << 20)
        let app = try SampleRun(world, "tus", "/files/", ["grace=1"])
        try await world.wait(for: 2 << 20)
        app.process.signal(SIGTERM)
        #expect(try await app.process.waitForEnd() == .killed(signal: SIGTERM))
        #expect(app.lines("handoff") == ["handoff handedOver handOver(repeating: 0)"])
        world.latch.open()
        try await world.waitForUpload()
        #expect(world.tus.uploads.map(\.checksum) == [world.content.checksum])
        let again = try SampleRun(world, "none")
        try await again.wait(for: "open")
        #expect(again.lines("lost").isEmpty, "an owner that released its session is not lost")
    }

    @Test func aStoppedAppLeavesItsSessionToTheService() async throws {
        world.stallUpload(after: 2 << 20)
        let app = try SampleRun(world, "tus")
        try await world.wait(for: 2 << 20)
        try await app.stopWhenHandedOver()
        world.latch.open()
        try await world.waitForUpload()
        app.process.signal(SIGCONT)
        try await app.wait(for: "handoff takenOver")
        try await app.wait(for: "state Succeeded.")
    }

    /// Dying between any two steps of a handoff in either direction loses and duplicates nothing.
    @Test(arguments: HandoffStep.allCases)
    func aProcessMayDieAfterEveryStep(_ step: HandoffStep) async throws {
        switch step {
        case .staying, .planned, .announced, .closed, .watching:
            // It waits for an upload that ends soon, and not for one that stalls.
            if step != .staying { world.stallUpload(after: 2 << 20) }
            let pace = step == .staying ? ["rate=524288", "grace=120"] : ["grace=1"]
            let app = try SampleRun(world, "tus", "/files/", pace + ["die=\(step.rawValue)"])
            try await world.wait(for: 2 << 20)
            app.process.signal(SIGTERM)
            #expect(try await app.process.waitForEnd() == .killed(signal: SIGKILL))
        case .released, .opened, .announcedAgain:
            // The service has the session when the app that is about to die is opened.
            world.stallUpload(after: 2 << 20)
            try await world.visit { session in _ = try await world.upload(session) }
            try await world.wait(for: 2 << 20)
            let app = try SampleRun(world, "none", "/files/", ["die=\(step.rawValue)"])
            #expect(try await app.process.waitForEnd() == .killed(signal: SIGKILL))
        }
        world.latch.open()
        try await world.waitForUpload()
        #expect(world.tus.uploads.map(\.checksum) == [world.content.checksum])
        let states = try await world.visit { session in
            _ = try await session.onlyTransfer.result()
            return try await session.snapshots().map(\.state)
        }
        #expect(states == [.succeeded])
    }

    @Test func aPostIsSentOnceWhenTheAppIsKilledBeforeItsAnswer() async throws {
        let app = try SampleRun(world, "request", "/held")
        try await app.wait(for: "state Waiting for the response.")
        try await app.kill()
        let result = try await world.visit { session in try await session.onlyTransfer.result() }
        #expect(result.failure?.code == .outcomeUnknown)
        world.latch.open()
        let again = try SampleRun(world, "request", "/held")
        try await again.wait(for: "over")
        #expect(again.lines("lost").count == 1)
        #expect(world.server.requests.count == 1)
    }

    @Test func postWithIdempotencyKeyIsRepeatedAfterKill() async throws {
        let app = try SampleRun(world, "request", "/held", ["key=order-1"])
        try await app.wait(for: "state Waiting for the response.")
        try await app.kill()
        try await world.server.waitForRequests(2)
        world.latch.open()
        let result = try await world.visit { session in try await session.onlyTransfer.result() }
        #expect(result.ending == .succeeded)
        #expect(Set(world.server.requests.map { $0.header("Idempotency-Key") }).count == 1)
        #expect(world.server.requests.count == 2)
    }

    enum Request: String, CaseIterable {
        /// Created when the end was announced, and on disk when the call returned.
        case send
        /// In progress before; its response is awaited as long as there is time.
        case request
    }

    /// The response takes eight seconds and the process has five. It has ended by then, its main actor was never
    /// blocked, and the service delivers.
    @Test(arguments: Request.allCases)
    func requestOutlivesHandoffDeadlineWithoutBlockingMainActor(_ kind: Request) async throws {
        let app = try SampleRun(world, kind.rawValue, "/held", ["ticks=1", "key=order-1"])
        try await app.wait(for: kind == .send ? "tick" : "state Waiting for the response.")
        let begin = ContinuousClock.now
        app.process.signal(SIGTERM)
        #expect(try await app.process.waitForEnd() == .killed(signal: SIGTERM))
        print("\(kind): the process was gone after \(ContinuousClock.now - begin)")
        #expect(world.server.requests.allSatisfy { $0.status == nil }, "it was answered before")
        #expect(app.lines("handoff").count == 1)
        if kind == .send {
            #expect(app.lines("sent").count == 1)
        } else {
            // About a hundred fit into five seconds; a loaded machine fits in fewer.
            #expect(app.lines("tick").count > 5)
        }
        try await Task.sleep(until: begin + .seconds(8), clock: .continuous)
        world.latch.open()
        let result = try await world.visit { session in try await session.onlyTransfer.result() }
        #expect(result.ending == .succeeded)
        // Whichever process sent it, its key identifies it.
        let keys = world.server.requests.map { $0.header("Idempotency-Key") }
        #expect(Set(keys).count == 1 && keys.first != nil)
    }
}
