import TestSupport
import Testing

@testable import LonghaulCore

/// Transfers wait a bounded time behind large ones.
@Suite struct OverflowSlotsTests {
    private struct Job {
        var entry: TurnQueue.Entry
        var secondsLeft: Int
        var canResume: Bool
        /// The second by which it has to start.
        var dueBy = Int.max
    }

    /// A session as the loop runs it, second by second.
    private struct World {
        var queue = TurnQueue(limits: SessionLimits())
        var overflow = OverflowSlots()
        var jobs: [TransferID: Job] = [:]
        var running: Set<TransferID> = []
        var sentAway: Set<TransferID> = []
        var second = 0
        var count: Int64 = 0

        var now: WallTime { WallTime(seconds: 1_000 + Int64(second)) }

        /// Adds a transfer that has to start within `turns` times the length of a turn, for each that waits for one before it and
        /// for itself.
        mutating func submit(
            _ standing: TurnStanding, host: String = "h", priority: Int = 0, lasts seconds: Int, canResume: Bool = true,
            turns: Int? = 2, extra: Int = 0
        ) {
            count += 1
            let id = TransferID(high: 0, low: UInt64(count))
            let entry = TurnQueue.Entry(
                id: id, sequence: count, priority: priority, host: host, group: "", standing: standing)
            let ahead = jobs.values.count { job in
                queue.isWaiting(job.entry.id) && job.entry.standing != .bulky && !sentAway.contains(job.entry.id)
            }
            var job = Job(entry: entry, secondsLeft: seconds, canResume: canResume)
            if let turns {
                let turn = Int(OverflowSlots.turn.components.seconds) + 1 + extra
                job.dueBy = second + (standing == .attended ? 0 : (ahead + 1) * turns * turn)
            }
            jobs[id] = job
            queue.add(entry)
            overflow.recordArrival()
        }

        mutating func pass() {
            second += 1
            for id in running {
                jobs[id]?.secondsLeft -= 1
                if jobs[id]?.secondsLeft ?? 0 <= 0 { end(id) }
            }
        }

        /// Starts all transfers that may start.
        mutating func grant() {
            while true {
                if let id = queue.next(at: now) ?? queue.nextPrompt() {
                    begin(id)
                } else if queue.waitingCount > 0, overflow.isDue(at: now) {
                    let hosts = Set(running.compactMap { jobs[$0]?.entry.host }).sorted()
                    let all = jobs
                    switch overflow.decide(&queue, hosts, at: now, mayLeave: { all[$0]?.canResume ?? false }) {
                    case .admit(let id)?: begin(id)
                    case .sendAway(let id)?: sendAway(id)
                    case nil: return
                    }
                } else {
                    return
                }
            }
        }

        private mutating func begin(_ id: TransferID) {
            guard let job = jobs[id] else { return }
            #expect(second <= job.dueBy, "\(job.entry.standing) transfer \(job.entry.sequence) starts too late")
            jobs[id]?.dueBy = .max
            running.insert(id)
            queue.occupy(job.entry)
            let head = ResponseHead(status: job.canResume ? 206 : 200, headers: [], effectiveURL: "")
            overflow.recordResponse(head, of: id)
        }

        private mutating func sendAway(_ id: TransferID) {
            #expect(sentAway.insert(id).inserted, "a transfer is sent away once")
            running.remove(id)
            queue.vacate(id)
            overflow.recordExit(id)
            jobs[id]?.entry.standing = .bulky
            if let job = jobs[id] { queue.add(job.entry) }
        }

        private mutating func end(_ id: TransferID) {
            running.remove(id)
            queue.vacate(id)
            queue.forget(id)
            overflow.recordExit(id)
            overflow.forget(id)
            jobs[id] = nil
        }

        func running(_ standing: TurnStanding) -> Int {
            running.count { jobs[$0]?.entry.standing == standing }
        }

        /// The transfers that wait for an overflow turn longer than they may.
        var overdue: [Job] { jobs.values.filter { queue.isWaiting($0.entry.id) && $0.dueBy < second } }
    }

    /// All transfers of a kind, in numbers that vary, with three hosts; endless arrivals of small ones, attended ones always start
    /// at once, and endless large ones never end.
    @Test(arguments: UInt64(1)...20) func randomMixesStartWithinTheBound(seed: UInt64) throws {
        var chance = SeededChance(seed: seed)
        var world = World()
        let hosts = seed % 2 == 0 ? ["h"] : ["h", "i", "j"]
        for _ in 0..<3_000 {
            world.pass()
            let host = hosts[Int(chance.next() % UInt64(hosts.count))]
            switch chance.next() % 40 {
            case 0...3: world.submit(.small, host: host, lasts: 1 + Int(chance.next() % 2))
            case 4, 5: world.submit(.usual, host: host, lasts: 1 + Int(chance.next() % 4))
            case 6: world.submit(.usual, host: host, lasts: 1_000_000)
            case 7: world.submit(.bulky, host: host, lasts: 200, turns: nil)
            case 8...10: world.submit(.attended, host: host, lasts: 1 + Int(chance.next() % 60))
            default: break
            }
            world.grant()
            let most = 16 + OverflowSlots.most + world.running(.attended)
            try #require(world.overdue.isEmpty && world.running.count <= most)
        }
        #expect(!world.sentAway.isEmpty || seed % 2 == 1, "large transfers had short turns")
    }

    /// Each turn of a transfer that cannot resume may last until its end, and three of them fill the slots.
    @Test(arguments: UInt64(1)...10) func transfersThatCannotResumeDelayByTheirLength(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        var world = World()
        for _ in 0..<6 { world.submit(.usual, lasts: 1_000_000) }
        for _ in 0..<3_000 {
            world.pass()
            switch chance.next() % 60 {
            case 0: world.submit(.usual, lasts: 30, canResume: false, extra: 30)
            case 1, 2: world.submit(.small, lasts: 1, extra: 0)
            default: break
            }
            world.grant()
            #expect(world.overdue.allSatisfy { $0.entry.standing == .usual })
            #expect(world.running.count <= 6 + OverflowSlots.most)
            guard world.overdue.isEmpty else { return }
        }
    }

    /// Six large ones run and six more wait: the last in line, of unknown size, starts after seven turns.
    @Test func transferBehindTwelveLargeOnesStarts() {
        var world = World()
        for _ in 0..<12 { world.submit(.usual, lasts: 1_000_000, turns: nil) }
        world.grant()
        world.submit(.usual, lasts: 1, turns: 1)
        world.submit(.small, lasts: 1, turns: nil)
        let (last, small) = (TransferID(high: 0, low: 13), TransferID(high: 0, low: 14))
        world.grant()
        var started: [TransferID: Int] = [:]
        while started.count < 2, world.second < 100 {
            world.pass()
            world.grant()
            for id in [last, small] where world.running.contains(id) && started[id] == nil {
                started[id] = world.second
            }
        }
        #expect(started[small] == 3, "known to be small: after one turn")
        #expect((started[last] ?? .max) <= 28)
        #expect(world.sentAway.count == 6 && world.running.count == 6 + 1)
    }

    @Test func lowerPriorityGetsNoOverflowSlot() {
        var world = World()
        for _ in 0..<6 { world.submit(.usual, priority: 1, lasts: 1_000_000, turns: nil) }
        world.submit(.small, lasts: 1, turns: nil)
        for _ in 0..<60 {
            world.grant()
            world.pass()
        }
        #expect(world.running.count == 6)
    }

    /// A large upload would keep the slot, and the last slot is for small transfers.
    @Test func lastSlotsAreLeftForSmallTransfers() {
        var world = World()
        for _ in 0..<6 { world.submit(.usual, lasts: 1_000_000, turns: nil) }
        world.grant()
        for _ in 0..<10 { world.submit(.bulky, lasts: 1_000_000, turns: nil) }
        for _ in 0..<10 { world.submit(.usual, lasts: 1_000_000, canResume: false, turns: nil) }
        for _ in 0..<60 {
            world.pass()
            world.grant()
        }
        #expect(world.running.count == 6 + OverflowSlots.most - 1 && world.running(.bulky) == 0)
        for _ in 0..<5 { world.submit(.small, lasts: 1) }
        for _ in 0..<20 {
            world.pass()
            world.grant()
        }
        #expect(world.overdue.isEmpty && world.jobs.values.allSatisfy { $0.entry.standing != .small })
    }
}
