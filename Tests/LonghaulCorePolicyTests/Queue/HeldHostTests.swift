import TestSupport
import Testing

@testable import LonghaulCore

/// The queue with hosts that are sometimes held, released, and overridden, compared with a simple list.
@Suite struct HeldHostTests {
    private struct Model {
        var waiting: [TurnQueue.Entry] = []
        var running: [TurnQueue.Entry] = []
        /// The end of each host's hold, and its transfer.
        var holds: [(host: String, until: WallTime, id: TransferID)] = []
        var defiant: Set<TransferID> = []
        let limits = SessionLimits(total: 4, perHost: 2, perGroup: ["g": 2])

        func isHeld(_ host: String) -> Bool { holds.contains { $0.host == host } }

        mutating func hold(_ host: String, until: WallTime, for id: TransferID) {
            holds.removeAll { $0.id == id }
            holds.append((host, until, id))
        }

        mutating func next(at now: WallTime) -> TurnQueue.Entry? {
            for host in ["h0", "h1", "h2"] where holds.allSatisfy({ $0.host != host || $0.until <= now }) {
                holds.removeAll { $0.host == host }
            }
            guard running.count < limits.total else { return nil }
            let best = waiting.filter { entry in
                running.count { $0.host == entry.host } < limits.perHost
                    && (!isHeld(entry.host) || defiant.contains(entry.id))
                    && (entry.group.isEmpty || running.count { $0.group == entry.group } < 2)
            }.min { ($0.priority, $1.sequence) > ($1.priority, $0.sequence) }
            guard let best else { return nil }
            waiting.removeAll { $0.id == best.id }
            running.append(best)
            return best
        }
    }

    @Test(arguments: 0..<60) func aRandomLifeAgreesWithThePlainList(_ seed: Int) {
        var chance = SeededChance(seed: UInt64(seed) + 1_234)
        var model = Model()
        var queue = TurnQueue(limits: model.limits)
        var now = WallTime(seconds: 1_000)
        for number in 1...400 {
            switch chance.next() % 9 {
            case 0, 1:
                let new = TurnQueue.Entry(
                    id: TransferID(high: 0, low: UInt64(number)), sequence: Int64(number),
                    priority: Int(chance.next() % 3), host: "h\(chance.next() % 3)",
                    group: chance.next() % 2 == 0 ? "" : "g")
                queue.add(new)
                model.waiting.append(new)
            case 2, 3:
                guard let gone = model.running.randomElement(using: &chance) else { break }
                queue.vacate(gone.id)
                model.running.removeAll { $0.id == gone.id }
            case 4:
                let host = "h\(chance.next() % 3)"
                let until = now + .seconds(Int64(chance.next() % 40))
                // The transfers that the host refused: four for each, one of them sometimes again.
                let id = TransferID(high: UInt64(host.utf8.last ?? 0), low: chance.next() % 4)
                queue.hold(host: host, until: until, for: id)
                model.hold(host, until: until, for: id)
            case 5:
                guard let hold = model.holds.randomElement(using: &chance) else { break }
                queue.release(hold.id, host: hold.host)
                model.holds.removeAll { $0.id == hold.id }
            case 6:
                guard let brave = model.waiting.randomElement(using: &chance) else { break }
                let isNews = queue.defy(brave)
                #expect(isNews == (model.isHeld(brave.host) && !model.defiant.contains(brave.id)))
                if isNews { model.defiant.insert(brave.id) }
                // Sometimes the hold could not be stored.
                guard isNews, chance.next() % 3 == 0 else { break }
                queue.obey(brave)
                model.defiant.remove(brave.id)
            case 7:
                guard let served = model.running.randomElement(using: &chance) else { break }
                queue.recordAnswer(served.id, host: served.host)
                if model.defiant.remove(served.id) != nil { model.holds.removeAll { $0.host == served.host } }
            default: now = now + .seconds(Int64(chance.next() % 20))
            }
            grantAll(&queue, &model, &chance, at: now)
            for entry in model.waiting {
                let isHeld = model.isHeld(entry.host) && !model.defiant.contains(entry.id)
                #expect((queue.limit(of: entry.id) == .heldHost) == isHeld)
                let end = model.holds.filter { $0.host == entry.host }.map(\.until).max()
                #expect(queue.holdEnd(of: entry.id) == (isHeld ? end : nil))
            }
        }
    }

    private func grantAll(
        _ queue: inout TurnQueue, _ model: inout Model, _ chance: inout SeededChance, at now: WallTime
    ) {
        while true {
            let expected = model.next(at: now)
            let got = queue.next(at: now)
            #expect(got == expected?.id)
            guard let expected, got != nil else { return }
            // Sometimes the turn cannot be used, and is granted again.
            if chance.next() % 4 == 0 {
                queue.takeTurnBack()
                model.running.removeAll { $0.id == expected.id }
                model.waiting.append(expected)
            } else {
                queue.occupy(expected)
            }
        }
    }
}
