import LonghaulCore
import LonghaulStore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The request that an app registers in case it is lost, with real locks and a real store.
@Suite struct LastWillTests {
    private static let url = "http://a.test/will"
    private static let will = LastWill(request: LoopWorld.request(url) { $0.method = "POST" }, witness: "app")

    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory(inMemory: true)
    }

    private var witness: String { SessionLayout(directory: temporary.path + "/session").staged + "/app" }

    /// Holds the lock, as the app's process does.
    private func holdWitness() throws -> Descriptor {
        try Directory.make(SessionLayout(directory: temporary.path + "/session").staged)
        let file = try Descriptor(opening: witness, [.both, .making])
        #expect(try file.tryLock())
        return file
    }

    private func urls(_ world: LoopWorld) throws -> [String] {
        try world.loop.state.store.ids(.all, ended: nil).compactMap {
            try world.loop.state.transfer($0)?.record.spec.url
        }
    }

    @Test func lastWillIsSentExactlyOnce() throws {
        let app = try holdWitness()
        let world = try LoopWorld(in: temporary)
        _ = world.send(.lastWill(.keep(Self.will)))
        world.pass(.seconds(100), steps: 10)
        #expect(try urls(world).isEmpty && world.loop.state.activity.hasLiveWork, "the service must keep running")
        app.unlock()
        world.pass(.seconds(200), steps: 10)
        #expect(try urls(world) == [Self.url] && world.runningURLs == [Self.url])
        #expect(try world.loop.state.store.lastWills().isEmpty && Files.isMissing(witness))
    }

    @Test func anOrderlyEndTakesItBack() throws {
        let app = try holdWitness()
        let world = try LoopWorld(in: temporary)
        _ = world.send(.lastWill(.keep(Self.will)))
        _ = world.send(.lastWill(.takeBack(witness: "app")))
        app.unlock()
        world.pass(.seconds(200), steps: 10)
        #expect(try urls(world).isEmpty && !world.loop.state.activity.hasLiveWork && Files.isMissing(witness))
    }

    @Test func theNextOwnerSendsWhatTheLostOneLeft() throws {
        do {
            let app = try holdWitness()
            let world = try LoopWorld(in: temporary)
            _ = world.send(.lastWill(.keep(Self.will)))
            app.unlock()
        }
        #expect(try urls(try LoopWorld(in: temporary)) == [Self.url])
    }

    /// Whatever protects a staged body from cleanup also protects the witness.
    @Test func nextOwnerSendsNoLastWillOfRunningApp() throws {
        let app = try holdWitness()
        do {
            let world = try LoopWorld(in: temporary)
            _ = world.send(.lastWill(.keep(Self.will)))
        }
        let world = try LoopWorld(in: temporary)
        world.pass(.seconds(100), steps: 10)
        #expect(try urls(world).isEmpty && !Files.isMissing(witness))
        app.unlock()
    }

    @Test func aCommitThatFailsLeavesItForTheNextTurn() throws {
        let app = try holdWitness()
        let world = try LoopWorld(in: temporary)
        _ = world.send(.lastWill(.keep(Self.will)))
        app.unlock()
        world.loop.state.store.writesLeft = 0
        world.pass(.seconds(2), steps: 2)
        #expect(world.loop.state.session.lastWills.wills == [Self.will] && !Files.isMissing(witness))
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(20), steps: 10)
        #expect(try urls(world) == [Self.url])
    }

    /// The service dies at each of its commits and actions, twice, and the app at the same time or later, with or without a goodbye.
    @Test(arguments: [false, true], [false, true])
    func aDeathAtAnyPointSendsItOnceOrNotAtAll(_ saysGoodbye: Bool, _ diesTogether: Bool) throws {
        var deaths = 0
        for point in 1...40 {
            let story = try Story(point: point, saysGoodbye: saysGoodbye, diesTogether: diesTogether)
            try story.run()
            deaths += story.deaths
            let sent = try story.sent()
            #expect(
                sent == (story.isOwed ? [Self.url] : []) || story.isInTheDark && sent.count < 2, "death at \(point)")
        }
        #expect(deaths > 4, "nothing died")
    }

    /// An app that registers a last will and is killed, while services die.
    private final class Story {
        private let temporary: TemporaryDirectory
        private let time = ManualTime()
        private let fuse: Fuse
        private var app: Descriptor?
        private let saysGoodbye: Bool
        private let diesTogether: Bool
        private let isKept = Kept<Bool>()
        private let isTakenBack = Kept<Bool>()
        private(set) var deaths = 0
        /// Whether the app died between its goodbye and the answer.
        private(set) var isInTheDark = false
        private var hasSaidGoodbye = false

        init(point: Int, saysGoodbye: Bool, diesTogether: Bool) throws {
            (self.saysGoodbye, self.diesTogether) = (saysGoodbye, diesTogether)
            fuse = Fuse(point)
            temporary = try TemporaryDirectory(inMemory: true)
            try Directory.make(layout.staged)
            app = try Descriptor(opening: layout.staged + "/app", [.both, .making])
            #expect(try app?.tryLock() == true)
        }

        private var layout: SessionLayout { SessionLayout(directory: temporary.path + "/session") }

        /// Whether the will must be sent: it was confirmed and not cancelled. Without a confirmation, either outcome is correct.
        var isOwed: Bool { !isKept.all.isEmpty && isTakenBack.all.isEmpty }

        func run() throws {
            var world: LoopWorld?
            for turn in 0..<60 {
                let current =
                    try world ?? LoopWorld(in: temporary, at: time, survives: { [fuse] _ in fuse.holds() })
                world = current
                current.turn(inputs(turn))
                time.advance(by: .seconds(5))
                // However often the services die, the app is killed at last, unless it said goodbye before.
                if turn == 30, app != nil { killApp() }
                guard current.loop.isDead else { continue }
                deaths += 1
                if diesTogether, isOwed, app != nil { killApp() }
                world = nil
            }
        }

        func sent() throws -> [String] {
            let store = try Store(path: layout.store)
            return try store.ids(.all, ended: nil).compactMap { try store.record($0)?.spec.url }
        }

        /// Returns the inputs of a turn. The app repeats a request until it has the answer, as a client does after a lost connection.
        private func inputs(_ turn: Int) -> [LoopInput] {
            guard app != nil else { return [] }
            if isKept.all.isEmpty {
                return [.command(.lastWill(.keep(LastWillTests.will))) { [isKept] in isKept.record($0) }]
            }
            guard saysGoodbye, turn > 10, isTakenBack.all.isEmpty else { return [] }
            hasSaidGoodbye = true
            return [.command(.lastWill(.takeBack(witness: "app"))) { [isTakenBack] in isTakenBack.record($0) }]
        }

        private func killApp() {
            isInTheDark = hasSaidGoodbye && isTakenBack.all.isEmpty
            app?.unlock()
            app = nil
        }
    }

    /// Ends the loop at a point, and its successor after as many points.
    private final class Fuse: Sendable {
        private let point: Int
        private let passed = Mutex(0)

        init(_ point: Int) {
            self.point = point
        }

        func holds() -> Bool {
            passed.withLock { passed in
                passed += 1
                return passed != point && passed != 2 * point
            }
        }
    }
}

extension Kept<Bool> {
    fileprivate func record(_ reply: SessionReply) {
        if case .info = reply { keep(true) }
    }
}
