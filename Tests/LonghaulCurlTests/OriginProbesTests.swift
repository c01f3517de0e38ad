import LonghaulCore
import Testing

@testable import LonghaulCurl

/// The first connection to an origin.
@Suite struct OriginProbesTests {
    private func ticket(_ number: UInt64) -> Ticket { Ticket(number) }

    /// Returns which of these may connect.
    private func going(_ originProbes: inout OriginProbes, _ numbers: [UInt64], to origin: String, at now: Int64 = 0)
        -> [UInt64]
    {
        numbers.filter { originProbes.mayConnect(ticket($0), to: origin, at: now) }
    }

    private func allReady(_ originProbes: inout OriginProbes) -> Set<Ticket> {
        var ready: Set<Ticket> = []
        while let ticket = originProbes.nextReady() { ready.insert(ticket) }
        return ready
    }

    @Test func theFirstGoesAndTheOthersFollowWhenItHasFoundTheWay() {
        var originProbes = OriginProbes()
        #expect(going(&originProbes, [1, 2, 3], to: "a") == [1])
        #expect(going(&originProbes, [4], to: "b") == [4])
        #expect(allReady(&originProbes) == [])
        originProbes.opened(by: ticket(1), at: 0)
        #expect(allReady(&originProbes) == [ticket(2), ticket(3)])
        #expect(going(&originProbes, [2, 5], to: "a") == [2, 5])
        originProbes.opened(by: ticket(1), at: 0)
        #expect(allReady(&originProbes) == [])
    }

    @Test func redirectedProbeLeavesFirstOriginOpen() {
        var originProbes = OriginProbes()
        #expect(going(&originProbes, [1, 2], to: "a") == [1])
        #expect(going(&originProbes, [1], to: "b") == [1])
        #expect(originProbes.isProbe(ticket(1)))
        #expect(allReady(&originProbes) == [ticket(2)])
        #expect(going(&originProbes, [3], to: "b") == [])
    }

    @Test func anOriginIsScoutedAgainWhenItsAddressIsForgotten() {
        var originProbes = OriginProbes()
        #expect(going(&originProbes, [1], to: "a") == [1])
        originProbes.opened(by: ticket(1), at: 0)
        #expect(going(&originProbes, [2], to: "a", at: OriginProbes.memory - 1) == [2])
        #expect(!originProbes.isProbe(ticket(2)))
        #expect(going(&originProbes, [3, 4], to: "a", at: 2 * OriginProbes.memory - 1) == [3])
        #expect(originProbes.isProbe(ticket(3)))
    }

    @Test func anOriginThatIsForgottenIsScoutedAgainByOne() {
        var originProbes = OriginProbes()
        #expect(going(&originProbes, [1], to: "a") == [1])
        originProbes.opened(by: ticket(1), at: 0)
        originProbes.forget("a")
        #expect(going(&originProbes, [2], to: "a") == [2] && originProbes.isProbe(ticket(2)))
        // Another connection is already being made.
        originProbes.forget("a")
        #expect(going(&originProbes, [3], to: "a") == [])
    }

    @Test func manyOriginsDoNotStayForEver() {
        var originProbes = OriginProbes()
        for number in 0..<20_000 {
            _ = originProbes.mayConnect(ticket(UInt64(number)), to: "h\(number)", at: 0)
            originProbes.opened(by: ticket(UInt64(number)), at: 0)
        }
        #expect(going(&originProbes, [50_000], to: "h0") == [50_000] && originProbes.isProbe(ticket(50_000)))
    }
}
