import LonghaulCore
import Testing

@testable import LonghaulCurl

/// The first connection to an origin.
@Suite struct OriginProbesTests {
    private func ticket(_ number: UInt64) -> Ticket { Ticket(number) }

    /// Returns which of these may connect.
    private func going(_ scouts: inout OriginProbes, _ numbers: [UInt64], to origin: String, at now: Int64 = 0)
        -> [UInt64]
    {
        numbers.filter { scouts.mayConnect(ticket($0), to: origin, at: now) }
    }

    private func allReady(_ scouts: inout OriginProbes) -> Set<Ticket> {
        var ready: Set<Ticket> = []
        while let ticket = scouts.nextReady() { ready.insert(ticket) }
        return ready
    }

    @Test func theFirstGoesAndTheOthersFollowWhenItHasFoundTheWay() {
        var scouts = OriginProbes()
        #expect(going(&scouts, [1, 2, 3], to: "a") == [1])
        #expect(going(&scouts, [4], to: "b") == [4])
        #expect(allReady(&scouts) == [])
        scouts.opened(by: ticket(1), at: 0)
        #expect(allReady(&scouts) == [ticket(2), ticket(3)])
        #expect(going(&scouts, [2, 5], to: "a") == [2, 5])
        scouts.opened(by: ticket(1), at: 0)
        #expect(allReady(&scouts) == [])
    }

    @Test func redirectedProbeLeavesFirstOriginOpen() {
        var scouts = OriginProbes()
        #expect(going(&scouts, [1, 2], to: "a") == [1])
        #expect(going(&scouts, [1], to: "b") == [1])
        #expect(scouts.isScout(ticket(1)))
        #expect(allReady(&scouts) == [ticket(2)])
        #expect(going(&scouts, [3], to: "b") == [])
    }

    @Test func anOriginIsScoutedAgainWhenItsAddressIsForgotten() {
        var scouts = OriginProbes()
        #expect(going(&scouts, [1], to: "a") == [1])
        scouts.opened(by: ticket(1), at: 0)
        #expect(going(&scouts, [2], to: "a", at: OriginProbes.memory - 1) == [2])
        #expect(!scouts.isScout(ticket(2)))
        #expect(going(&scouts, [3, 4], to: "a", at: 2 * OriginProbes.memory - 1) == [3])
        #expect(scouts.isScout(ticket(3)))
    }

    @Test func anOriginThatIsForgottenIsScoutedAgainByOne() {
        var scouts = OriginProbes()
        #expect(going(&scouts, [1], to: "a") == [1])
        scouts.opened(by: ticket(1), at: 0)
        scouts.forget("a")
        #expect(going(&scouts, [2], to: "a") == [2] && scouts.isScout(ticket(2)))
        // Another connection is already being made.
        scouts.forget("a")
        #expect(going(&scouts, [3], to: "a") == [])
    }

    @Test func manyOriginsDoNotStayForEver() {
        var scouts = OriginProbes()
        for number in 0..<20_000 {
            _ = scouts.mayConnect(ticket(UInt64(number)), to: "h\(number)", at: 0)
            scouts.opened(by: ticket(UInt64(number)), at: 0)
        }
        #expect(going(&scouts, [50_000], to: "h0") == [50_000] && scouts.isScout(ticket(50_000)))
    }
}
