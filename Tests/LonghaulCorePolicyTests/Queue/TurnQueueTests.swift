import TestSupport
import Testing

@testable import LonghaulCore

@Suite struct TurnQueueTests {
    private let now = WallTime(seconds: 1_000)

    private func entry(_ number: Int, host: String = "h", group: String = "", priority: Int = 0) -> TurnQueue.Entry {
        TurnQueue.Entry(
            id: TransferID(high: 0, low: UInt64(number)), sequence: Int64(number), priority: priority, host: host,
            group: group)
    }

    private func id(_ number: Int) -> TransferID { TransferID(high: 0, low: UInt64(number)) }

    /// Grants and occupies as the loop does; returns the sequence numbers.
    private func grant(_ queue: inout TurnQueue, _ entries: [TurnQueue.Entry], at now: WallTime) -> [Int64] {
        var granted: [Int64] = []
        while let id = queue.next(at: now) {
            guard let entry = entries.first(where: { $0.id == id }) else { break }
            queue.occupy(entry)
            granted.append(entry.sequence)
        }
        return granted
    }

    @Test func higherPriorityGoesFirstThenOrderOfSubmission() {
        var queue = TurnQueue(limits: SessionLimits(total: 9, perHost: 9))
        let entries = [entry(1), entry(2, priority: 5), entry(3), entry(4, priority: 5)]
        for entry in entries { queue.add(entry) }
        #expect(grant(&queue, entries, at: now) == [2, 4, 1, 3])
    }

    @Test func rerankChangesOnlyPriority() {
        var queue = TurnQueue(limits: SessionLimits(total: 9, perHost: 9))
        let entries = [entry(1, priority: -1), entry(2), entry(3, priority: 9), entry(4)]
        for number in 1...4 { queue.add(entry(number)) }
        queue.rerank(entries[2])
        queue.rerank(entry(1, priority: 3))
        queue.rerank(entries[0])
        #expect(grant(&queue, entries, at: now) == [3, 2, 4, 1])
        queue.vacate(id(1))
        queue.add(entries[0])
        queue.withdraw(id(1))
        #expect(grant(&queue, entries, at: now).isEmpty)
    }

    @Test func urgentTransferGetsExtraHostSlot() {
        var queue = TurnQueue(limits: SessionLimits())
        var entries = (1...7).map { entry($0) }
        for entry in entries { queue.add(entry) }
        #expect(grant(&queue, entries, at: now) == [1, 2, 3, 4, 5, 6])
        entries += [entry(8, priority: 5), entry(9, priority: 5), entry(10, priority: 7)]
        queue.add(entries[7])
        #expect(grant(&queue, entries, at: now) == [8])
        queue.add(entries[8])
        queue.add(entries[9])
        #expect(grant(&queue, entries, at: now).isEmpty, "there is one such place")
        queue.vacate(id(8))
        #expect(grant(&queue, entries, at: now) == [10])
        queue.vacate(id(10))
        #expect(grant(&queue, entries, at: now) == [9])
        queue.vacate(id(1))
        queue.vacate(id(2))
        #expect(grant(&queue, entries, at: now) == [7])
        // An explicit limit is strict.
        var strict = TurnQueue(limits: SessionLimits(perHost: 1))
        for entry in entries { strict.add(entry) }
        #expect(grant(&strict, entries, at: now) == [10])
        strict.add(entry(11, priority: 9))
        #expect(grant(&strict, entries, at: now).isEmpty)
    }

    @Test func limitsHoldInAllPerHostAndPerGroup() {
        var queue = TurnQueue(limits: SessionLimits(total: 4, perHost: 2, perGroup: ["g": 1]))
        let entries = [
            entry(1, host: "a"), entry(2, host: "a"), entry(3, host: "a"), entry(4, host: "b", group: "g"),
            entry(5, host: "c", group: "g"), entry(6, host: "c"), entry(7, host: "d"),
        ]
        for entry in entries { queue.add(entry) }
        #expect(grant(&queue, entries, at: now) == [1, 2, 4, 6])
        #expect(queue.limit(of: entries[2].id) == .host)
        #expect(queue.limit(of: entries[4].id) == .group)
        #expect(queue.limit(of: entries[6].id) == .total)
        queue.vacate(entries[3].id)
        #expect(grant(&queue, entries, at: now) == [5])
        queue.vacate(entries[0].id)
        #expect(grant(&queue, entries, at: now) == [3])
    }

    @Test func heldHostStartsNoTransferUntilHoldEnds() {
        var queue = TurnQueue(limits: SessionLimits())
        let entries = [entry(1, host: "a"), entry(2, host: "a"), entry(3, host: "b")]
        for entry in entries { queue.add(entry) }
        queue.hold(host: "a", until: now + .seconds(10), for: id(9))
        #expect(grant(&queue, entries, at: now) == [3])
        #expect(queue.limit(of: entries[0].id) == .heldHost)
        #expect(queue.holdEnd(of: entries[0].id) == now + .seconds(10))
        #expect(queue.nextHoldEnd == now + .seconds(10))
        #expect(grant(&queue, entries, at: now + .seconds(10)) == [1, 2])
    }

    @Test func defiantTransferRunsAloneWithinLimits() {
        var queue = TurnQueue(limits: SessionLimits(total: 9, perHost: 1))
        let entries = (1...4).map { entry($0, host: "a") }
        for entry in entries { queue.add(entry) }
        queue.hold(host: "a", until: now + .seconds(10), for: id(9))
        let news = [2, 3, 3].map { queue.defy(entries[$0]) }
        #expect(news == [true, true, false])
        #expect(grant(&queue, entries, at: now) == [3])
        #expect(queue.limit(of: entries[3].id) == .host && queue.limit(of: entries[0].id) == .heldHost)
        queue.vacate(entries[2].id)
        #expect(grant(&queue, entries, at: now) == [4])
    }

    @Test func servedDefiantTransferReleasesHost() {
        var queue = TurnQueue(limits: SessionLimits())
        let entries = (1...3).map { entry($0, host: "a") }
        for entry in entries.dropLast() { queue.add(entry) }
        queue.hold(host: "a", until: now + .seconds(10), for: id(9))
        queue.occupy(entries[2])
        queue.recordAnswer(entries[2].id, host: "a")
        #expect(grant(&queue, entries, at: now) == [], "one that ran before says nothing of the host")
        let isNews = queue.defy(entries[1])
        #expect(isNews)
        #expect(grant(&queue, entries, at: now) == [2])
        queue.recordAnswer(entries[1].id, host: "a")
        #expect(grant(&queue, entries, at: now) == [1])
        #expect(!queue.hasHolds && queue.nextHoldEnd == nil)
    }

    @Test func aHostIsHeldForThoseThatItSentAway() {
        var queue = TurnQueue(limits: SessionLimits())
        let entries = [entry(1, host: "a")]
        queue.add(entries[0])
        queue.hold(host: "a", until: now + .seconds(10), for: id(8))
        queue.hold(host: "a", until: now + .seconds(30), for: id(9))
        #expect(queue.holdEnd(of: entries[0].id) == now + .seconds(30))
        let changed = [queue.takeChangedHolds(), queue.takeChangedHolds()]
        #expect(changed == [["a"], []])
        queue.release(id(9), host: "a")
        #expect(queue.holdEnd(of: entries[0].id) == now + .seconds(10))
        #expect(grant(&queue, entries, at: now) == [])
        queue.release(id(8), host: "a")
        #expect(grant(&queue, entries, at: now) == [1])
    }

    @Test func nextInLineIsWhoStillWaits() {
        var queue = TurnQueue(limits: SessionLimits())
        let entries = [entry(1, host: "a"), entry(2, host: "a"), entry(3, host: "a", group: "g"), entry(4, host: "b")]
        for entry in entries { queue.add(entry) }
        queue.hold(host: "a", until: now + .seconds(10), for: id(9))
        #expect(grant(&queue, entries, at: now) == [4])
        queue.withdraw(id(1))
        let first = queue.firstWaiting(with: "a")
        #expect(first == [id(2), id(3)])
        #expect(grant(&queue, entries, at: now + .seconds(10)) == [2, 3])
    }

    @Test func withdrawnEntryIsSkipped() {
        var queue = TurnQueue(limits: SessionLimits())
        let entries = [entry(1), entry(2), entry(3)]
        for entry in entries { queue.add(entry) }
        queue.withdraw(entries[0].id)
        queue.withdraw(entries[1].id)
        queue.add(entries[1])
        #expect(grant(&queue, entries, at: now) == [2, 3])
    }

    /// A plain list, searched from the front: slow, and obviously right.
    private struct Model {
        var limits: SessionLimits
        var waiting: [TurnQueue.Entry] = []
        var running: [TurnQueue.Entry] = []

        mutating func next() -> TurnQueue.Entry? {
            guard running.count < limits.total else { return nil }
            let best = waiting.filter { entry in
                running.count { $0.host == entry.host } < limits.perHost
                    && (entry.group.isEmpty
                        || running.count { $0.group == entry.group } < limits.perGroup[entry.group] ?? .max)
            }.min { ($0.priority, $1.sequence) > ($1.priority, $0.sequence) }
            guard let best else { return nil }
            waiting.removeAll { $0.id == best.id }
            running.append(best)
            return best
        }
    }

    @Test(arguments: 0..<100) func aRandomLifeAgreesWithThePlainList(_ seed: Int) {
        var chance = SeededChance(seed: UInt64(seed) + 99)
        var model = Model(limits: SessionLimits(total: 5, perHost: 2, perGroup: ["g1": 1, "g2": 3]))
        var queue = TurnQueue(limits: model.limits)
        var number = 0
        for _ in 0..<600 {
            switch chance.next() % 6 {
            case 0, 1, 2:
                number += 1
                let new = entry(
                    number, host: "h\(chance.next() % 4)", group: ["", "g1", "g2"][Int(chance.next() % 3)],
                    priority: Int(chance.next() % 3))
                queue.add(new)
                model.waiting.append(new)
            case 3:
                guard let gone = model.running.randomElement(using: &chance) else { break }
                queue.vacate(gone.id)
                model.running.removeAll { $0.id == gone.id }
            case 4:
                guard let gone = model.waiting.randomElement(using: &chance) else { break }
                queue.withdraw(gone.id)
                model.waiting.removeAll { $0.id == gone.id }
                if chance.next() % 2 == 0 {
                    queue.add(gone)
                    model.waiting.append(gone)
                }
            default:
                let limits = SessionLimits(
                    total: Int(chance.next() % 8) + 1, perHost: Int(chance.next() % 3) + 1, perGroup: ["g1": 2])
                queue.setLimits(limits)
                model.limits = limits
            }
            while true {
                let expected = model.next()
                let got = queue.next(at: now)
                #expect(got == expected?.id)
                guard let expected, got != nil else { break }
                queue.occupy(expected)
            }
            #expect(queue.runningCount == model.running.count && queue.waitingCount == model.waiting.count)
        }
    }
}

extension TurnQueue {
    func limit(of id: TransferID) -> TransferSnapshot.TurnLimit? {
        var copy = self
        return copy.limitAndCount(of: id).limit
    }

    func limitCount(of id: TransferID) -> Int? {
        var copy = self
        return copy.limitAndCount(of: id).count
    }
}
