import TestSupport
import Testing

@testable import LonghaulCore

/// The division of a process's slots among its sessions.
@Suite struct SlotShareTests {
    @Test func waitingHolderOfFewerGoesFirst() {
        let waiting = SlotShare.Claim(held: 1, isWaiting: true)
        #expect(SlotShare.mayTake(0, beside: [SlotShare.Claim(held: 15)], of: 16))
        #expect(!SlotShare.mayTake(0, beside: [SlotShare.Claim(held: 16)], of: 16))
        #expect(!SlotShare.mayTake(14, beside: [waiting], of: 16), "the last one is the other's")
        #expect(SlotShare.mayTake(1, beside: [waiting], of: 16))
        #expect(
            SlotShare.mayTake(14, beside: [SlotShare.Claim(held: 1)], of: 16),
            "a session that does not wait needs no slot")
        #expect(!SlotShare.mayTake(.max, beside: [waiting], of: .max), "the largest numbers do not overflow")
    }

    /// A session with all slots keeps them until its transfers end; from then on, each freed slot goes to the new session, until both have
    /// the same number.
    @Test func aGreedySessionGivesWayAsItsTransfersEnd() {
        var held = [16, 0]
        for _ in 0..<8 {
            held[0] -= 1
            #expect(!SlotShare.mayTake(held[0], beside: [SlotShare.Claim(held: held[1], isWaiting: true)], of: 16))
            #expect(SlotShare.mayTake(held[1], beside: [SlotShare.Claim(held: held[0], isWaiting: true)], of: 16))
            held[1] += 1
        }
        #expect(held == [8, 8])
    }

    /// Sessions start and end transfers in any order. They never exceed the capacity, and equal demand gets equal shares.
    @Test(arguments: 0..<20) func noSessionStarvesAnother(seed: UInt64) throws {
        var chance = SeededChance(seed: seed)
        let capacity = 6 + Int(chance.next() % 20)
        var claims = [SlotShare.Claim](repeating: SlotShare.Claim(), count: 2 + Int(chance.next() % 4))
        // The first session requests a hundred slots before the others start.
        for round in 0..<2_000 {
            let index = round < 100 ? 0 : Int(chance.next() % UInt64(claims.count))
            if round >= 100, chance.next() % 3 == 0, claims[index].held > 0 { claims[index].held -= 1 }
            let others = claims.enumerated().filter { $0.offset != index }.map(\.element)
            let isGranted = SlotShare.mayTake(claims[index].held, beside: others, of: capacity)
            claims[index].held += isGranted ? 1 : 0
            claims[index].isWaiting = !isGranted
            #expect(claims.map(\.held).reduce(0, +) <= capacity)
        }
        // From here on, only the session with the most slots ends transfers.
        for _ in 0..<100 {
            let most = try #require(claims.indices.max { claims[$0].held < claims[$1].held })
            claims[most].held -= 1
            for index in claims.indices.sorted(by: { claims[$0].held < claims[$1].held }) {
                let others = claims.enumerated().filter { $0.offset != index }.map(\.element)
                let isGranted = SlotShare.mayTake(claims[index].held, beside: others, of: capacity)
                claims[index].held += isGranted ? 1 : 0
                claims[index].isWaiting = true
            }
        }
        let held = claims.map(\.held)
        #expect((held.max() ?? 0) - (held.min() ?? 0) <= 1, "\(held) of \(capacity)")
    }
}
