import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Conditions against the loop: before a turn, while transfers run, and across a restart.
@Suite struct ConditionsTests {
    private static let metered = Self.surroundings { $0.conditions.isExpensive = true }

    static func surroundings(_ change: (inout Surroundings) -> Void) -> Surroundings {
        var surroundings = Surroundings()
        change(&surroundings)
        return surroundings
    }

    private static func careful(_ url: String = "http://a.test/") -> TransferSpec {
        LoopWorld.request(url) { $0.options.conditions.allowsExpensiveNetworkAccess = false }
    }

    private func reason(_ world: LoopWorld, _ id: TransferID) throws -> Waiting.Reason? {
        if case .waiting(let waiting) = try world.state(id) { waiting.reason } else { nil }
    }

    @Test func withheldTransferWaitsWithoutBlockingOthers() throws {
        let world = try LoopWorld(surroundings: Self.metered)
        let careful = try world.accept(Self.careful())
        let other = try world.accept(LoopWorld.request("http://b.test/"))
        #expect(try reason(world, careful) == .metered)
        #expect(try world.state(other) == .running(.sending))
        guard case .history(let lines)? = world.send(.history(careful)) else { throw Unanswered() }
        #expect(lines.map(\.event) == ["submitted", "waiting"] && lines[1].detail == "metered")
    }

    @Test func aSlotThatIsNotTakenGoesToTheNext() throws {
        let world = try LoopWorld(surroundings: Self.metered)
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1, perGroup: ["g": 1])))
        let first = try world.accept(LoopWorld.request { $0.options.group = "g" })
        for _ in 0..<3 { _ = try world.accept(Self.careful()) }
        let last = try world.accept(LoopWorld.request { $0.options.group = "g" })
        try world.answer(.responded(200))
        #expect(try world.state(first) == .succeeded)
        #expect(try world.state(last) == .running(.sending))
    }

    @Test func meteredTransferStopsAndResumesAutomatically() throws {
        let world = try LoopWorld()
        let id = try world.accept(Self.careful())
        world.turn([.surroundings(Self.metered)])
        #expect(try reason(world, id) == .metered && world.engine.cancelled.count == 1)
        // Its slot is free once the engine has ended the step.
        world.turn()
        #expect(world.loop.state.turns.queue.runningCount == 0)
        world.turn([.surroundings(Surroundings())])
        #expect(try world.state(id) == .running(.sending))
        #expect(try world.record(id).facts.attempts == 1)
    }

    @Test func theLinkIdlenessAndTheBatteryAreHeededWhileItRuns() throws {
        let world = try LoopWorld()
        let id = try world.accept(
            LoopWorld.request { spec in
                spec.options.conditions.links = [.wifi]
                spec.options.conditions.requiresIdleMachine = true
                spec.options.conditions.leastBatteryLevel = 50
            })
        let good = Self.surroundings { surroundings in
            surroundings.conditions = Conditions(link: .wifi, isIdle: true, batteryLevel: 50)
        }
        let turns: [(Waiting.Reason, (inout Conditions) -> Void)] = [
            (.link, { $0.link = .mobile }), (.idle, { $0.isIdle = false }), (.battery, { $0.batteryLevel = 49 }),
        ]
        for (expected, change) in turns {
            var bad = good
            change(&bad.conditions)
            world.turn([.surroundings(bad)])
            #expect(try reason(world, id) == expected)
            world.turn()
            world.turn([.surroundings(good)])
            #expect(try world.state(id) == .running(.sending))
        }
    }

    @Test func theSessionsRulesHoldForAllOfItsTransfersAndAreKept() throws {
        let place = try TemporaryDirectory()
        var rules = SessionRules(limits: nil)
        rules.conditions.allowsExpensiveNetworkAccess = false
        let id = try visit(place, Self.metered) { world in
            let id = try world.accept(LoopWorld.request())
            #expect(world.send(.setRules(rules)) == .rules(SessionRulesReport(rules: rules, usage: usage(world))))
            #expect(try reason(world, id) == .metered)
            return id
        }
        let again = try LoopWorld(in: place, surroundings: Self.metered)
        #expect(again.send(.rules) == .rules(SessionRulesReport(rules: rules, usage: usage(again))))
        #expect(try reason(again, id) == .metered)
        _ = again.send(.setRules(SessionRules()))
        #expect(try again.state(id) == .running(.sending))
        rules.traffic.rateLimit = 0
        guard case .failed(let failure)? = again.send(.setRules(rules)) else { throw Unanswered() }
        #expect(failure.code == .invalidArgument)
    }

    @Test func ignoredConditionsStartTransfer() throws {
        let world = try LoopWorld(surroundings: Self.metered)
        let id = try world.accept(Self.careful())
        #expect(try reason(world, id) == .metered)
        let answer = world.send(.adjust(TransferAdjustment(ignoresConditions: true), .ids([id])))
        #expect(answer == .controlled(ControlAnswer(changed: 1)))
        #expect(try world.state(id) == .running(.sending))
        _ = world.send(.adjust(TransferAdjustment(ignoresConditions: false), .all))
        #expect(try reason(world, id) == .metered)
    }

    /// The process dies while a transfer is running, and the network is metered when the next process starts.
    @Test func crashedTransferWaitsForConditions() throws {
        let place = try TemporaryDirectory()
        let id = try visit(place, Surroundings()) { world in
            let id = try world.accept(Self.careful())
            #expect(try world.state(id) == .running(.sending))
            return id
        }
        let again = try LoopWorld(in: place, surroundings: Self.metered)
        #expect(try reason(again, id) == .metered && again.engine.jobs.isEmpty)
        again.turn([.surroundings(Surroundings())])
        #expect(try again.state(id) == .running(.sending))
    }

    /// And it dies while one waits, and the network is another one afterwards.
    @Test func waitingTransferStartsAtReopening() throws {
        let place = try TemporaryDirectory()
        let id = try visit(place, Self.metered) { try $0.accept(Self.careful()) }
        let again = try LoopWorld(in: place)
        #expect(try again.state(id) == .running(.sending))
    }

    @Test func hoursOpenAndCloseByTheClock() throws {
        let world = try LoopWorld()
        let minute = TimeZoneRules.utc.minute(of: world.time.now)
        let hours = TimeWindow(from: (minute + 60) % 1_440, to: (minute + 120) % 1_440)
        let id = try world.accept(LoopWorld.request { $0.options.conditions.hours = hours })
        #expect(try reason(world, id) == .hours)
        world.pass(.seconds(3_600))
        #expect(try world.state(id) == .running(.sending))
        #expect(world.loop.nextAlarm().map { $0 <= world.time.now + .seconds(3_600) } ?? false)
        world.pass(.seconds(3_600))
        #expect(try reason(world, id) == .hours)
    }

    @Test func aPortalKeepsEverythingAndItsEndReleasesIt() throws {
        let world = try LoopWorld(surroundings: Self.surroundings { $0.conditions.network = .captive })
        let id = try world.accept(LoopWorld.request())
        #expect(try reason(world, id) == .network)
        world.turn([.surroundings(Surroundings())])
        #expect(try world.state(id) == .running(.sending))
    }

    @Test func sleepWaitsUntilTransfersHaveStopped() throws {
        let world = try LoopWorld()
        world.engine.setAnswersCancels(false)
        let download = try world.accept(LoopWorld.download())
        let asleep = Self.surroundings { $0.conditions.isAboutToSleep = true }
        let settled = Kept<Bool>()
        world.turn([.surroundings(asleep), .whenSettled { settled.keep(true) }])
        #expect(try reason(world, download) == .sleep && settled.all.isEmpty)
        try world.answer(.exchangeEnded(ExchangeOutcome(ending: .cancelled)))
        #expect(settled.all == [true])
        world.turn([.surroundings(Surroundings())])
        #expect(try world.state(download) == .running(.preparing))
        world.turn([.whenSettled { settled.keep(true) }])
        #expect(settled.all == [true, true])
    }

    @Test func aStoreThatTakesNothingLeavesTheConditionsForLater() throws {
        let world = try LoopWorld()
        let id = try world.accept(Self.careful())
        world.loop.state.store.writesLeft = 0
        world.turn([.surroundings(Self.metered)])
        #expect(world.loop.health.refusal != nil)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try reason(world, id) == .metered)
    }

    /// A life of the session that ends without a word.
    private func visit<Result>(
        _ place: TemporaryDirectory, _ surroundings: Surroundings, _ body: (LoopWorld) throws -> Result
    ) throws -> Result {
        try body(try LoopWorld(in: place, surroundings: surroundings))
    }

    private func usage(_ world: LoopWorld) -> BudgetUsage {
        var usage = BudgetUsage()
        usage.turn(at: world.time.now, in: .utc)
        return usage
    }
}

struct Unanswered: Error {}
