import LonghaulCore
import TestSupport
import Testing

@Suite struct FairShareTests {
    typealias Claim = FairShare.Claim

    @Test func withoutATotalEachHasItsOwnLimit() {
        #expect(FairShare.divide(nil, among: [Claim(), Claim(limit: 5)]) == [nil, 5])
        #expect(FairShare.divide(1_000_000, among: []) == [])
    }

    @Test func aSessionHasOneShareHoweverManyExchangesItHas() {
        let claims = [100, 1, 0].map { RateDemand(flows: $0).claim(had: nil) }
        #expect(FairShare.divide(1_000_000, among: claims)[..<2] == [500_000, 500_000])
    }

    @Test func aHugeOneGetsNoMoreThanASmallOne() {
        #expect(FairShare.divide(3_000_000, among: [Claim(), Claim(), Claim()]) == [1_000_000, 1_000_000, 1_000_000])
    }

    @Test func unusedShareGoesToOthers() {
        #expect(
            FairShare.divide(900_000, among: [Claim(), Claim(limit: 100_000), Claim()]) == [400_000, 100_000, 400_000])
        // It had 300000 and used 50000: it keeps enough to double its rate.
        let slow = Claim(used: 50_000, had: 300_000)
        #expect(FairShare.divide(900_000, among: [slow, Claim(), Claim()]) == [100_000, 400_000, 400_000])
        let busy = Claim(used: 290_000, had: 300_000)
        #expect(FairShare.divide(900_000, among: [busy, Claim(), Claim()]) == [300_000, 300_000, 300_000])
        // No bytes arrived in this second, at a rate of one piece in two.
        let seldom = Claim(used: 0, had: 8_000)
        #expect(FairShare.divide(16_000, among: [seldom, Claim()]) == [8_000, 8_000])
    }

    /// Otherwise, its share would stay near zero because of the second in which it could not use it.
    @Test func stalledClaimGetsUnclaimedRate() {
        let still = Claim(used: 0, had: 2_000_000)
        #expect(FairShare.divide(1_000_000, among: [still]) == [1_000_000])
        #expect(FairShare.divide(1_000_000, among: [still, still]) == [500_000, 500_000])
        #expect(
            FairShare.divide(1_000_000, among: [Claim(limit: 100_000, used: 0, had: 100_000), still])
                == [100_000, 900_000])
    }

    @Test func aSessionCountsOnceForEachOfItsExchanges() {
        #expect(FairShare.divide(400_000, among: [Claim(weight: 3), Claim(weight: 1)]) == [300_000, 100_000])
        #expect(FairShare.divide(400_000, among: [Claim(weight: 0), Claim(weight: 2)]) == [nil, 400_000])
    }

    @Test func moreSharesThanANumberHoldsAreDivided() {
        let shares = FairShare.divide(400_000, among: [Claim(weight: .max), Claim(weight: .max), Claim()])
        #expect(shares.allSatisfy { $0.map { (FairShare.least...400_000).contains($0) } ?? false }, "\(shares)")
    }

    @Test func sharesAreAtLeastMinimumWithinTotal() {
        var chance = SeededChance(seed: 4)
        for _ in 0..<2_000 {
            let claims = (0..<Int(1 + chance.next() % 12)).map { _ in
                Claim(
                    weight: 1, limit: chance.next() % 3 == 0 ? Int64(1_024 + chance.next() % 100_000) : nil,
                    used: chance.next() % 3 == 0 ? Int64(chance.next() % 100_000) : nil,
                    had: Int64(1_024 + chance.next() % 100_000))
            }
            let total = Int64(12 * 1_024 + chance.next() % 1_000_000)
            let shares = FairShare.divide(total, among: claims).compactMap { $0 }
            #expect(shares.count == claims.count && shares.allSatisfy { $0 >= FairShare.least })
            #expect(shares.reduce(0, +) <= total)
            for (claim, share) in zip(claims, shares) { #expect(share <= max(claim.limit ?? .max, FairShare.least)) }
        }
    }
}
