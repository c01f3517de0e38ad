import LonghaulCore
import Testing

@testable import LonghaulRuntime

/// The scenario is run once for each commit and each action, dying there, and then goes on to its end.
@Suite struct CrashTests {
    @Test func withoutACrashEverythingEndsInOneLife() throws {
        let scenario = try CrashScenario(deathAt: nil, cutsPower: false)
        try scenario.run()
        #expect(scenario.lives == 1)
        try check(scenario)
        #expect(scenario.world.now.deliveries["http://up.test/put"] == 1)
        #expect(try scenario.record("post").state == .succeeded)
        #expect(scenario.pointCount > 60, "the scenario has become trivial: \(scenario.pointCount) points")
    }

    @Test(arguments: [false, true]) func deathAtAnyPointLosesAndDoublesNothing(_ cutsPower: Bool) throws {
        let whole = try CrashScenario(deathAt: nil, cutsPower: cutsPower)
        try whole.run()
        for point in 1...whole.pointCount {
            let scenario = try CrashScenario(deathAt: point, cutsPower: cutsPower)
            try scenario.run()
            #expect(scenario.lives == 2, "death at \(point)")
            try check(scenario, "death at \(point), power cut: \(cutsPower)")
        }
    }

    func check(_ scenario: CrashScenario, _ what: Comment = "no death") throws {
        let world = scenario.world.now
        #expect(try scenario.recordCount() == scenario.specs.count, what)

        for name in ["film.mp4", "small.mp4", "later.mp4"] {
            let file = world.finals["/out/\(name)"]
            #expect(file?.length == 1_000 && file?.good == 1_000, what)
        }
        #expect(world.finals.count == 3 && world.partials.isEmpty, what)
        #expect(try scenario.record("download").state == .succeeded, what)
        #expect(try scenario.record("small").state == .succeeded, what)
        #expect(try scenario.record("paused").state == .succeeded, what)

        // Idempotent: at least once. The last answer may be lost once, so twice is the most.
        for key in ["put", "staged"] {
            let count = world.deliveries["http://up.test/\(key)"] ?? 0
            #expect((1...2).contains(count), what)
            #expect(try scenario.record(key).state == .succeeded, what)
        }
        #expect(world.staged.isEmpty, what)

        // The refused token was renewed, and the expired URL replaced, whatever died in between.
        #expect(try scenario.record("named").state == .succeeded, what)
        #expect((1...2).contains(world.deliveries[SimulatedWorld.guarded] ?? 0), what)
        let moved = try scenario.record("moved")
        #expect(moved.state == .succeeded && moved.spec.url == SimulatedWorld.fresh, what)
        #expect((1...3).contains(world.deliveries[SimulatedWorld.fresh] ?? 0), what)
        #expect(world.deliveries[SimulatedWorld.expired] == nil, what)

        // Not idempotent: never twice, and never reported as anything it is not.
        for key in ["post", "bye"] {
            let count = world.deliveries["http://up.test/\(key)"] ?? 0
            switch try scenario.record(key).state {
            case .succeeded: #expect(count == 1, what)
            case .failed(let failure): #expect(failure.code == .outcomeUnknown && count <= 1, what)
            case .waiting, .running, .awaitingResponse, .paused, .cancelled: Issue.record(what)
            }
        }

        // Resumable: the server never gets a byte twice that it had kept.
        let tus = try scenario.record("tus")
        #expect(tus.state == .succeeded, what)
        #expect(world.uploads[tus.facts.upload.uploadURL ?? ""] == 1_000, what)
        switch try scenario.record("cancelled").state {
        case .cancelled: break
        case .succeeded: #expect(world.uploads.values.count { $0 == 1_000 } == 2, what)
        case .waiting, .running, .awaitingResponse, .paused, .failed: Issue.record(what)
        }
        #expect(world.tusBytesReceived <= 2_000, what)

        // The app is told of every end once, that all have ended last, and is started for it.
        let events = try scenario.pendingEvents()
        #expect(events.last?.kind == .allTransfersFinished, what)
        #expect(Set(events.dropLast().map(\.transfer)) == Set(scenario.accepted.values.map(Optional.some)), what)
        #expect(events.count == scenario.specs.count + 1, what)
        #expect(scenario.starts >= 1, what)

        // The last word is on the screen; a death between showing and writing it down repeats one.
        let slot = try #require(try scenario.notification(), what)
        #expect(slot.tally.live == 0, what)
        #expect(slot.posted == NotificationPolicy.headline(slot.tally, CrashScenario.notifications.kinds), what)
        #expect(slot.shown.flatMap { scenario.screen[$0.number] } == slot.posted, what)
        #expect(scenario.screen.count <= scenario.lives, what)
    }
}
