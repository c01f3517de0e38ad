import TestSupport
import Testing

@testable import LonghaulCore

/// The queue with hosts that are held now and then, against a plain list.
@Suite struct HeldHostTests {
    private struct Model {
        var waiting: [TurnQueue.Entry] = []
        var running: [TurnQueue.Entry] = []
        var heldUntil: [String: WallTime] = [:]
        let limits = SessionLimits(total: 4, perHost: 2, perGroup: ["g": 2])

        mutating func next(at now: WallTime) -> TurnQueue.Entry? {
            guard running.count < limits.total else { return nil }
            let best = waiting.filter { entry in
                running.count { $0.host == entry.host } < limits.perHost && (heldUntil[entry.host] ?? now) <= now
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
            switch chance.next() % 6 {
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
                queue.hold(host: host, until: until)
                model.heldUntil[host] = max(model.heldUntil[host] ?? until, until)
            default: now = now + .seconds(Int64(chance.next() % 20))
            }
            grantAll(&queue, &model, &chance, at: now)
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
            // Now and then the turn cannot be taken, and is given again.
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
