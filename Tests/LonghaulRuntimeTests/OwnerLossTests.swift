import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// An app that runs a session is killed, at every point at which that makes a difference.
@Suite struct OwnerLossTests {
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout
    private let world = SimulatedWorld()
    private let chance = Chance()
    private let time = ManualTime(WallTime(seconds: 1_800_000_000))

    init() throws {
        temporary = try TemporaryDirectory()
        layout = SessionLayout(directory: temporary.path + "/session")
    }

    private static let ended: [OwnerLossPolicy: TransferState] = [.pause: .paused, .cancel: .cancelled]

    private func open(
        _ kind: SessionOwner.Kind = .app, boot: String = "boot", survives: (@Sendable (LoopPoint) -> Bool)? = nil
    ) throws -> (loop: SessionLoop, engine: SimulatedEngine) {
        let engine = SimulatedEngine(world)
        var environment = RuntimeEnvironment(
            now: { [time] in time.now }, random: { [chance] in chance.next() }, bootID: boot,
            survives: survives, makeEngine: { _, _ in engine.whole })
        environment.ownerKind = kind
        let loop = try SessionLoop(
            directory: try SessionDirectory(layout), store: try Store(path: layout.store), environment: environment)
        loop.state.engine = engine.whole
        try loop.recover()
        return (loop, engine)
    }

    /// Two uploads run and one waits for its start time, under a policy; then the app is killed.
    private func loseAnApp(_ policy: OwnerLossPolicy, boot: String = "boot") throws {
        let (loop, engine) = try open(boot: boot)
        let source = SourceFile(path: "/src/a", pin: CrashScenario.pin)
        var specs = [
            TransferSpec(work: .upload(.raw(source)), method: "PUT", url: "http://up.test/put"),
            TransferSpec(work: .upload(.tus(source, metadata: [])), method: "POST", url: "http://tus.test/files"),
            TransferSpec(work: .upload(.raw(source)), method: "PUT", url: "http://up.test/later"),
        ]
        specs[2].options.earliestBeginDate = WallTime(seconds: 1_900_000_000)
        loop.turn([.command(.setOwnerLossPolicy(policy)) { _ in }, .command(.submit(specs)) { _ in }])
        loop.turn(engine.advance().map { .engine($0.0, $0.1) })
        // After a moment, it is on the disk that they run.
        time.advance(by: .seconds(2))
        loop.turn([])
    }

    private func states(_ loop: SessionLoop) throws -> [TransferState] {
        try loop.state.store.ids(.all, ended: nil).compactMap { try loop.state.transfer($0)?.record.state }
    }

    @Test(arguments: [OwnerLossPolicy.pause, .cancel]) func thePolicyIsApplied(_ policy: OwnerLossPolicy) throws {
        try loseAnApp(policy)
        let before = world.now.deliveries.count
        let (loop, engine) = try open(.service)
        #expect(try states(loop) == Array(repeating: try #require(Self.ended[policy]), count: 3))
        let report = try #require(try loop.state.store.ownerLoss())
        #expect(report.reason == .unknown && report.policy == policy && report.transfers == 3)
        for id in try loop.state.store.ids(.all, ended: nil) {
            #expect(try loop.state.store.history(of: id).contains { $0.event == "ownerLost" })
        }
        // None of their bytes is sent again.
        loop.turn(engine.advance().map { .engine($0.0, $0.1) })
        #expect(world.now.deliveries.count == before && world.now.tusBytesReceived == 0)
    }

    @Test func resumePolicyContinuesTransfersAfterOwnerLoss() throws {
        try loseAnApp(.resume)
        let (loop, _) = try open(.service)
        #expect(try states(loop).count { $0 == .running(.preparing) || $0 == .running(.sending) } == 2)
        let report = try #require(try loop.state.store.ownerLoss())
        #expect(report.policy == .resume && report.transfers == 2)
    }

    @Test func aRestartOfTheMachineIsReportedAndHurtsNothing() throws {
        try loseAnApp(.cancel)
        let (loop, _) = try open(.service, boot: "another")
        #expect(try states(loop).allSatisfy { !$0.isEnded })
        #expect(try loop.state.store.ownerLoss()?.reason == .systemRestarted)
    }

    @Test func cleanlyClosedAppIsNotLost() throws {
        try loseAnApp(.cancel)
        do {
            let (loop, _) = try open()
            loop.turn([.command(.acknowledgeOwnerLoss) { _ in }])
            loop.shutDown(Mailbox(), [])
            #expect(try loop.state.store.owner()?.endedAt != nil)
        }
        #expect(try open(.service).loop.state.store.ownerLoss() == nil)
    }

    @Test func aServiceThatDiesIsNoLoss() throws {
        try loseAnApp(.resume)
        do {
            let (loop, _) = try open(.service)
            loop.turn([.command(.setOwnerLossPolicy(.cancel)) { _ in }, .command(.acknowledgeOwnerLoss) { _ in }])
        }
        let (loop, _) = try open(.service)
        #expect(try loop.state.store.ownerLoss() == nil)
        #expect(try states(loop).allSatisfy { !$0.isEnded })
    }

    @Test func theReportIsKeptUntilItIsAcknowledged() throws {
        try loseAnApp(.pause)
        for _ in 0..<3 { #expect(try open(.service).loop.state.store.ownerLoss()?.policy == .pause) }
        let told = Mutex<SessionInfo?>(nil)
        do {
            let (loop, _) = try open(.service)
            loop.turn([
                .command(.acknowledgeOwnerLoss) { reply in
                    if case .info(let info) = reply { told.withLock { $0 = info } }
                }
            ])
        }
        #expect(told.withLock { $0 }?.ownerLoss == nil)
        #expect(told.withLock { $0 }?.owner?.kind == .service)
        #expect(try open(.service).loop.state.store.ownerLoss() == nil)
    }

    /// The next owner dies at each of its commits and actions; its successor finds the loss, or its consequences.
    @Test(arguments: [OwnerLossPolicy.pause, .cancel])
    func aLossOutlivesTheNextOwner(_ policy: OwnerLossPolicy) throws {
        var point = 0
        while true {
            point += 1
            let session = try OwnerLossTests()
            try session.loseAnApp(policy)
            let points = Points(deathAt: point)
            do { _ = try session.open(.service, survives: { _ in points.pass() }) }
            let (loop, _) = try session.open(.service)
            let expected = Array(repeating: try #require(Self.ended[policy]), count: 3)
            #expect(try session.states(loop) == expected, "death at \(point)")
            #expect(try loop.state.store.ownerLoss()?.transfers == 3, "death at \(point)")
            for id in try loop.state.store.ids(.all, ended: nil) {
                #expect(
                    try loop.state.store.history(of: id).count { $0.event == "ownerLost" } == 1, "death at \(point)")
            }
            if points.count < point { break }
        }
        #expect(point > 2)
    }

    /// Randomness, for different identifiers.
    private final class Chance: Sendable {
        private let source = Mutex(SeededChance(seed: 12))

        func next() -> UInt64 { source.withLock { $0.next() } }
    }

    private final class Points: Sendable {
        private let passed = Mutex(0)
        private let deathAt: Int

        init(deathAt: Int) { self.deathAt = deathAt }

        var count: Int { passed.withLock { $0 } }

        func pass() -> Bool {
            passed.withLock { passed in
                passed += 1
                return passed < deathAt
            }
        }
    }
}
