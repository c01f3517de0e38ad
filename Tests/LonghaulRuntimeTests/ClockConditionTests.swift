import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A clock that is set while transfers wait for an event, a condition, or a time of day.
@Suite struct ClockConditionTests {
    /// A condition that a transfer waits for.
    enum Condition: CaseIterable {
        case metered, constrained, roaming, power, battery, sleep, link, idle

        var reason: Waiting.Reason {
            switch self {
            case .metered: .metered
            case .constrained: .constrained
            case .roaming: .roaming
            case .power: .power
            case .battery: .battery
            case .sleep: .sleep
            case .link: .link
            case .idle: .idle
            }
        }

        func forbid(_ now: inout Conditions) {
            switch self {
            case .metered: now.isExpensive = true
            case .constrained: now.isConstrained = true
            case .roaming: now.isRoaming = true
            case .power: now.hasExternalPower = false
            case .battery: now.batteryLevel = 49
            case .sleep: now.isAboutToSleep = true
            case .link: now.link = .mobile
            case .idle: now.isIdle = false
            }
        }
    }

    private static let good = Conditions(link: .wifi, isIdle: true, batteryLevel: 50)

    private static func rules(_ rules: inout ConditionRules) {
        rules.allowsExpensiveNetworkAccess = false
        rules.allowsConstrainedNetworkAccess = false
        rules.allowsRoaming = false
        rules.requiresExternalPower = true
        rules.leastBatteryLevel = 50
        rules.links = [.wifi]
        rules.requiresIdleMachine = true
    }

    @Test(arguments: Condition.allCases, ClockStepTests.steps) func conditionIsIndependentOfTheClock(
        _ condition: Condition, step: Int64
    ) throws {
        let machine = MachineTime()
        var (good, bad) = (Surroundings(), Surroundings())
        good.conditions = Self.good
        bad.conditions = Self.good
        condition.forbid(&bad.conditions)
        let world = try LoopWorld(
            at: machine.wall, surroundings: bad, change: { $0.sinceBoot = { machine.sinceBoot } })
        let id = try world.accept(LoopWorld.request { Self.rules(&$0.options.conditions) })
        #expect(try world.state(id).waiting?.reason == condition.reason)
        machine.setClock(by: .seconds(step))
        world.turn([.clockChanged])
        #expect(try world.state(id).waiting?.reason == condition.reason)
        world.turn([.surroundings(good)])
        #expect(try world.state(id) == .running(.sending))
    }

    @Test(arguments: ClockStepTests.steps) func hoursFollowTheWallClock(step: Int64) throws {
        let machine = MachineTime()
        let world = try ClockStepTests.world(machine)
        let id = try world.accept(
            LoopWorld.request { $0.options.conditions.hours = TimeWindow(from: 7_200 / 60, to: 10_800 / 60) })
        #expect(try world.state(id).waiting?.reason == .hours)
        machine.setClock(by: .seconds(step))
        world.turn([.clockChanged])
        let waiting = try #require(try world.state(id).waiting)
        let start = TimeZoneRules.utc.next(minute: 120, after: machine.wall.now)
        #expect(waiting.reason == .hours && waiting.until == start)
        machine.pass(start - machine.wall.now)
        world.turn()
        #expect(try world.state(id) == .running(.sending))
    }

    @Test(arguments: ClockStepTests.steps) func budgetFollowsTheWallClock(step: Int64) throws {
        let machine = MachineTime()
        var metered = Surroundings()
        metered.conditions.isExpensive = true
        let world = try LoopWorld(
            at: machine.wall, surroundings: metered, change: { $0.sinceBoot = { machine.sinceBoot } })
        _ = world.send(.setRules(SessionRules(traffic: TrafficLimits(budget: DataBudget(bytesPerDay: 1_000)))))
        let id = try world.accept(LoopWorld.request())
        let ticket = try #require(world.engine.runningJobs.last).ticket
        world.engine.setProgress(ExchangeProgress(sent: 1_000, received: 0), of: ticket)
        world.engine.emit(ticket, .allowanceUsed)
        world.turn()
        world.turn()
        #expect(try world.state(id).waiting?.reason == .budget)
        machine.setClock(by: .seconds(step))
        world.turn([.clockChanged])
        let midnight = TimeZoneRules.utc.next(minute: 0, after: machine.wall.now)
        if let waiting = try world.state(id).waiting {
            #expect(waiting.reason == .budget && waiting.until == midnight)
            machine.pass(midnight - machine.wall.now)
            world.turn()
        }
        #expect(try world.state(id) == .running(.sending))
    }

    @Test(arguments: ClockStepTests.steps) func eventsEndWaitsAfterTheStep(step: Int64) throws {
        let machine = MachineTime()
        let world = try ClockStepTests.world(machine)
        let first = try world.accept(LoopWorld.request())
        let follower = try world.accept(LoopWorld.request("http://b.test/") { $0.options.predecessor = first })
        let login = try world.accept(
            LoopWorld.request("http://c.test/") { $0.options.credentialName = CredentialName("photos") })
        #expect(try world.state(login).waiting?.reason == .credentials)
        machine.setClock(by: .seconds(step))
        world.turn([.clockChanged])
        #expect(try world.state(follower).waiting?.reason == .predecessor)
        #expect(try world.state(login).waiting?.reason == .credentials)
        try world.answer(.responded(200))
        #expect(try world.state(first) == .succeeded)
        #expect(try world.state(follower) == .running(.sending))
    }
}
