import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import Longhaul

/// An app is killed; its policy decides about its transfers, and its next launch gets a report.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct OwnerLostTests {
    enum Return: CaseIterable {
        /// The service adopted the session after the app's end.
        case serviceAdopts
        /// There is no service; the app detects the loss itself.
        case appReopens
    }

    static let policies: [(policy: OwnerLossPolicy?, state: String)] = [
        // The next launch submits the transfer again, which restarts it if it was cancelled.
        (nil, "state Succeeded."), (.resume, "state Succeeded."), (.pause, "state Paused."),
        (.cancel, "state Succeeded."),
    ]

    private let world: HandoffWorld

    init() throws {
        world = try HandoffWorld()
    }

    @Test(arguments: policies, Return.allCases)
    func nextLaunchReportsOwnerLossOnce(
        _ expected: (policy: OwnerLossPolicy?, state: String), _ way: Return
    ) async throws {
        let word = expected.policy.map { "\($0)" } ?? "resume"
        let options = ["handoff=\(way == .serviceAdopts ? "service" : "none")"]
        let policy = expected.policy == nil ? [] : ["policy=\(word)"]
        world.stallUpload(after: 1 << 20)
        let app = try SampleRun(world, "tus", "/files/", options + policy)
        try await world.wait(for: 1 << 20)
        try await app.kill()
        if way == .serviceAdopts {
            // The policy is applied before the app is launched again.
            let loss = try await world.visit { session in try await session.ownerLoss() }
            let states = try await world.visit { session in try await session.snapshots().map(\.state) }
            #expect(states.contains(.cancelled) == (expected.policy == .cancel))
            #expect(loss?.processID == Int(app.process.processID))
            #expect(loss?.reason == .unknown && loss?.policy == expected.policy ?? .resume && loss?.transfers == 1)
        }
        world.latch.open()
        let again = try SampleRun(world, "tus", "/files/", options)
        try await again.wait(for: expected.state)
        #expect(again.lines("lost") == ["lost reason=unknown policy=\(word) transfers=1"])
        // The loss was acknowledged, and this launch ends normally.
        again.process.signal(SIGTERM)
        try await again.process.waitForEnd()
        let third = try SampleRun(world, "none", "/files/", options)
        try await third.wait(for: "open")
        #expect(third.lines("lost").isEmpty)
    }

    @Test func transferPausedByOwnerLossCanBeResumed() async throws {
        world.stallUpload(after: 2 << 20)
        let app = try SampleRun(world, "tus", "/files/", ["policy=pause"])
        try await world.wait(for: 2 << 20)
        try await app.kill()
        try await world.visit { session in
            let transfer = try #require(try await session.transfer(key: "the transfer"))
            #expect(try await transfer.snapshot().state == .paused)
            #expect(try await transfer.history().contains { $0.event == "ownerLost" })
            world.latch.open()
            try await transfer.resume()
            #expect(try await transfer.result().ending == .succeeded)
        }
        #expect(world.tus.uploads.map(\.checksum) == [world.content.checksum])
    }
}
