import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A clock that is set while transfers wait or run.
@Suite struct ClockStepTests {
    private static let year: Int64 = 31_536_000
    static let steps: [Int64] = [-year, -3_600, 3_600, 8 * 86_400, year]
    /// Later than all steps.
    private static let limit = Duration.seconds(604_800)

    /// Opens a session on a machine whose clock the test sets.
    static func world(_ boot: MachineTime) throws -> LoopWorld {
        try LoopWorld(at: boot.wall, change: { $0.sinceBoot = { boot.sinceBoot } })
    }

    /// How a transfer comes to wait, and the longest time that it waits.
    enum Wait: CaseIterable {
        case retry, serverBusy, retryAfterDate, network, diskSpace, mount

        var event: EngineEvent {
            switch self {
            case .retry: .broke(.connectionRefused)
            case .serverBusy: .responded(503, [HeaderField("Retry-After", "60")])
            case .retryAfterDate:
                .responded(
                    503,
                    [
                        HeaderField("Date", "Thu, 01 Jan 2026 00:00:00 GMT"),
                        HeaderField("Retry-After", "Thu, 01 Jan 2026 00:01:00 GMT"),
                    ])
            case .network: .broke(.offline)
            case .diskSpace: .broke(.diskFull)
            case .mount: .broke(.notMounted)
            }
        }
    }

    @Test(arguments: Wait.allCases, steps) func waitKeepsItsLength(wait: Wait, step: Int64) throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        let id = try world.accept(LoopWorld.request())
        try world.answer(wait.event)
        let before = try #require(try world.state(id).waiting)
        let length = Duration.milliseconds((try #require(before.until) - world.time.now).microseconds / 1_000)
        machine.pass(length / 4)
        machine.setClock(by: .seconds(step))
        world.turn()
        let after = try #require(try world.state(id).waiting)
        #expect(after.reason == before.reason && after.since == before.since + .seconds(step))
        let rest = try #require(after.until) - world.time.now - (length - length / 4)
        #expect(rest >= .zero && rest <= .milliseconds(1))
        machine.pass(length / 2)
        world.turn()
        #expect(try world.state(id).isWaiting)
        machine.pass(length / 2)
        world.turn()
        #expect(try world.state(id) == .running(.sending))
    }

    @Test(arguments: steps) func runningAndQueuedTransfersKeepTheirTimeLimit(step: Int64) throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        _ = world.send(.setLimits(SessionLimits(total: 1)))
        func submit() throws -> TransferID {
            try world.accept(
                LoopWorld.request {
                    $0.options.timeoutIntervalForResource = Self.limit
                    $0.options.progressTimeout = .seconds(172_800)
                })
        }
        let ids = try [submit(), submit(), submit()]
        world.control(.pause, ids[2])
        machine.pass(.seconds(3_600))
        world.turn()
        machine.setClock(by: .seconds(step))
        world.turn()
        #expect(try world.state(ids[0]) == .running(.sending))
        #expect(try world.state(ids[1]).isWaiting && world.state(ids[2]) == .paused)
        machine.pass(.seconds(86_400))
        world.turn()
        #expect(try ids.allSatisfy { try !world.state($0).isEnded })
        machine.pass(Self.limit - .seconds(86_400 + 3_600 + 1))
        world.turn()
        #expect(try !world.state(ids[1]).isEnded && !world.state(ids[2]).isEnded)
        machine.pass(.seconds(2))
        world.turn()
        for id in ids.dropFirst() {
            let state = try world.state(id)
            #expect(state.failureCode == .resourceTimeExceeded, "\(state)")
        }
    }

    @Test(arguments: steps) func startTimeFollowsTheWallClock(step: Int64) throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        let start = machine.wall.now + .seconds(7_200)
        let id = try world.accept(LoopWorld.request { $0.options.earliestBeginDate = start })
        machine.setClock(by: .seconds(step))
        world.turn()
        if machine.wall.now >= start {
            #expect(try world.state(id) == .running(.sending))
        } else {
            let waiting = try #require(try world.state(id).waiting)
            #expect(waiting.reason == .notBefore && waiting.until == start)
            machine.pass(start - machine.wall.now)
            world.turn()
            #expect(try world.state(id) == .running(.sending))
        }
    }

    /// A machine without a battery for its clock begins in 1970.
    @Test func clockThatBeginsIn1970IsCorrected() throws {
        let machine = MachineTime(WallTime(seconds: 100))
        let world = try Self.world(machine)
        let waiting = try world.accept(LoopWorld.request())
        try world.answer(.broke(.connectionRefused))
        let running = try world.accept(LoopWorld.request())
        machine.setClock(by: .seconds(1_767_225_600))
        world.turn()
        #expect(try world.state(running) == .running(.sending) && world.state(waiting).isWaiting)
        machine.pass(.seconds(10))
        world.turn()
        #expect(try world.state(waiting) == .running(.sending))
    }

    /// A session whose last process died, opened by another clock: of a machine without a battery for its clock, or corrected.
    @Test(arguments: [
        (WallTime(seconds: 1_767_312_000), WallTime(seconds: 100)),
        (WallTime(seconds: 100), WallTime(seconds: 1_767_312_000)),
        (WallTime(seconds: 1_798_848_000), WallTime(seconds: 1_767_312_000)),
    ]) func waitKeepsItsLengthInAnotherProcess(before: WallTime, after: WallTime) throws {
        let place = try TemporaryDirectory()
        func submit(_ machine: MachineTime) throws -> (waiting: TransferID, running: TransferID, paused: TransferID) {
            let world = try LoopWorld(in: place, at: machine.wall, change: { $0.sinceBoot = { machine.sinceBoot } })
            let waiting = try world.accept(LoopWorld.request())
            try world.answer(Wait.serverBusy.event)
            let paused = try world.accept(LoopWorld.request("http://b.test/"))
            world.control(.pause, paused)
            return (waiting, try world.accept(LoopWorld.request("http://c.test/")), paused)
        }
        let ids = try submit(MachineTime(before))
        let machine = MachineTime(after)
        let world = try LoopWorld(in: place, at: machine.wall, change: { $0.sinceBoot = { machine.sinceBoot } })
        #expect(try world.state(ids.running) == .running(.sending))
        #expect(try world.state(ids.paused) == .paused)
        if let waiting = try world.state(ids.waiting).waiting {
            let until = try #require(waiting.until)
            #expect(until - world.time.now <= .seconds(62))
            machine.pass(until - world.time.now)
            world.turn()
        }
        #expect(try world.state(ids.waiting) == .running(.sending))
        machine.setClock(by: .seconds(1_767_312_000) - (after - WallTime(microseconds: 0)))
        world.turn([.clockChanged])
        #expect(try !world.state(ids.paused).isEnded && !world.state(ids.running).isEnded)
    }

    /// Between two turns, NTP may slew a clock.
    @Test func smallStepChangesNothing() throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        let id = try world.accept(LoopWorld.request())
        try world.answer(Wait.serverBusy.event)
        let before = try world.state(id)
        for step in [400, -300, 900] {
            machine.setClock(by: .milliseconds(step))
            world.turn()
        }
        #expect(try world.state(id) == before)
    }

    /// The last progress is known only in memory.
    @Test(arguments: steps) func stallIsMeasuredInRealTime(step: Int64) throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        let id = try world.accept(LoopWorld.download { $0.options.progressTimeout = .seconds(100) })
        let ticket = try #require(world.engine.runningJobs.last).ticket
        world.engine.setProgress(ExchangeProgress(sent: 0, received: 10, quiet: .seconds(50)), of: ticket)
        machine.pass(.seconds(100))
        world.turn()
        machine.setClock(by: .seconds(step))
        world.turn()
        machine.pass(.seconds(49))
        world.turn()
        #expect(try !world.state(id).isEnded)
        machine.pass(.seconds(2))
        world.turn()
        #expect(try world.state(id).failureCode == .noProgress)
    }

    @Test(arguments: steps) func firstRateCoversTheRealTime(step: Int64) throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        _ = try world.accept(LoopWorld.download())
        let ticket = try #require(world.engine.runningJobs.last).ticket
        machine.pass(.seconds(1))
        machine.setClock(by: .seconds(step))
        world.turn()
        machine.pass(.seconds(1))
        world.engine.setProgress(ExchangeProgress(sent: 0, received: 4_000), of: ticket)
        guard case .page(let page)? = world.send(.list(ListQuery())) else { throw Unanswered() }
        #expect(page.transfers.first?.rate == 2_000)
    }

    /// A loop with a damaged store waits before it is replaced, and before the store is repaired again.
    @Test(arguments: steps) func datesOfDamagedStoreMove(step: Int64) throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        world.turn()
        let damage = TransferFailure(.storeDamaged, "It is damaged.")
        world.loop.giveUp([], because: damage)
        world.loop.wait(because: damage)
        machine.setClock(by: .seconds(step))
        world.turn()
        let now = machine.wall.now
        #expect(!world.loop.health.isToBeReplaced(at: now))
        #expect(world.loop.health.isToBeReplaced(at: now + .seconds(2)))
        var next = StoreHealth(after: world.loop.health, at: now)
        next.move(datesBy: .seconds(step))
        let later = now + .seconds(step)
        #expect(!next.mayMend(at: later + .seconds(599)) && next.mayMend(at: later + .seconds(601)))
        _ = next.refuse(because: damage, at: now)
        next.move(datesBy: .seconds(step))
        #expect(next.nextDate == .some(later + .seconds(2)))
    }

    /// The clock was set while a loop with a damaged store was replaced.
    @Test func replacementKnowsTheClockBefore() throws {
        let machine = MachineTime()
        let temporary = try TemporaryDirectory()
        let id = try {
            let world = try LoopWorld(in: temporary, at: machine.wall)
            let id = try world.accept(LoopWorld.request())
            try world.answer(Wait.serverBusy.event)
            return id
        }()
        let old = try Self.world(machine)
        old.turn()
        // The new loop cannot compare the clocks until it has those of the old one.
        let isSlow = Mutex(true)
        let world = try LoopWorld(
            in: temporary, at: machine.wall,
            change: {
                $0.sinceBoot = {
                    if isSlow.withLock(\.self) { machine.pass(.milliseconds(200)) }
                    return machine.sinceBoot
                }
            })
        isSlow.withLock { $0 = false }
        machine.setClock(by: .seconds(-3_600))
        world.loop.inherit(from: old.loop)
        world.turn()
        #expect(try world.state(id).isWaiting)
        machine.pass(.seconds(61))
        world.turn()
        #expect(try world.state(id) == .running(.sending))
    }

    @Test func stepIsAppliedWhenTheDiskHasSpace() throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        let id = try world.accept(LoopWorld.request())
        try world.answer(Wait.serverBusy.event)
        let length = try #require(try world.state(id).waiting?.until) - machine.wall.now
        world.loop.state.store.writesLeft = 0
        for _ in 0..<2 {
            machine.setClock(by: .seconds(Self.year))
            world.turn()
        }
        world.loop.state.store.writesLeft = nil
        world.turn()
        let waiting = try #require(try world.state(id).waiting)
        #expect(waiting.until == machine.wall.now + length)
    }

    /// The process may lose the CPU between two readings.
    @Test func clocksReadFarApartAreNotCompared() throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        var environment = world.loop.state.environment
        var steps = ClockSteps()
        #expect(steps.look(environment) == .zero)
        machine.setClock(by: .seconds(Self.year))
        environment.sinceBoot = {
            machine.pass(.milliseconds(200))
            return machine.sinceBoot
        }
        #expect(steps.look(environment) == .zero)
        environment.sinceBoot = { machine.sinceBoot }
        #expect(steps.look(environment) == .seconds(Self.year) && steps.pending == .seconds(Self.year))
    }

    @Test func realWorldHasTheTimeSinceTheBoot() throws {
        let environment = RuntimeEnvironment.real { _, _ throws(TransferFailure) in
            throw TransferFailure(.internalFault, "There is no engine.")
        }
        let sinceBoot = try #require(environment.sinceBoot)
        let first = sinceBoot()
        #expect(first > .zero && sinceBoot() >= first)
    }

    @Test func stepIsAppliedOnce() throws {
        let machine = MachineTime()
        let world = try Self.world(machine)
        let id = try world.accept(LoopWorld.request())
        try world.answer(.broke(.connectionRefused))
        machine.setClock(by: .seconds(Self.year))
        world.turn()
        let waiting = try #require(try world.state(id).waiting)
        world.turn()
        #expect(try world.state(id) == .waiting(waiting))
    }
}

/// The clocks of a machine.
final class MachineTime: Sendable {
    let wall: ManualTime
    private let boot = Mutex(Duration.seconds(50))

    init(_ start: WallTime = WallTime(seconds: 1_767_225_600)) { wall = ManualTime(start) }

    var sinceBoot: Duration { boot.withLock(\.self) }

    func pass(_ span: Duration) {
        wall.advance(by: span)
        boot.withLock { $0 += span }
    }

    func setClock(by step: Duration) { wall.advance(by: step) }
}

extension TransferState {
    var waiting: Waiting? { if case .waiting(let waiting) = self { waiting } else { nil } }
    fileprivate var isWaiting: Bool { waiting != nil }
    fileprivate var failureCode: FailureCode? { if case .failed(let failure) = self { failure.code } else { nil } }
}
