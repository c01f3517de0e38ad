/// Divides a rate fairly (max-min): no claim gets more than it needs while another gets less than its share.
package enum FairShare {
    /// The limit and the use of one exchange or session.
    package struct Claim: Equatable, Sendable {
        /// The number of shares; 0 if it needs no rate.
        package var weight: Int
        /// Its own limit in bytes per second; `nil` if there is none.
        package var limit: Int64?
        /// The rate that it was measured to use; `nil` if it is not known yet.
        package var used: Int64?
        /// The rate that it was allowed.
        package var had: Int64?

        package init(weight: Int = 1, limit: Int64? = nil, used: Int64? = nil, had: Int64? = nil) {
            self.weight = weight
            self.limit = limit
            self.used = used
            self.had = had
        }

        /// The most that this claim can use. A claim that left a quarter of its share unused is slow for another
        /// reason: it may double until the next measurement, and more if others leave some rate. A difference of a few
        /// chunks says nothing, because the chunks may have been counted a moment earlier or later.
        var ceiling: Int64? {
            guard let used, let had, used < had - max(had / 4, FairShare.grain) else { return limit }
            return min(limit ?? .max, max(FairShare.least, used * 2))
        }
    }

    /// The minimum for each claim: a stalled exchange would be taken for a broken connection.
    package static let least: Int64 = 1_024

    /// Bytes are transferred in chunks of 16 KiB: within a second, one more or less says nothing.
    private static let grain: Int64 = 32 << 10

    /// Returns a rate for each claim, in bytes per second. Without a total, each claim gets its own limit, if it has
    /// one.
    package static func divide(_ total: Int64?, among claims: [Claim]) -> [Int64?] {
        guard let total else { return claims.map(\.limit) }
        var shares = [Int64?](repeating: nil, count: claims.count)
        var rest = total
        var open = claims.indices.filter { claims[$0].weight > 0 }
        // Claims that need less than an equal share are served first, and the rest is divided again.
        open.sort { (perShare(claims[$0]) ?? .max, $0) < (perShare(claims[$1]) ?? .max, $1) }
        var weights = open.reduce(Int64(0)) { $0 + Int64(claims[$1].weight) }
        for index in open {
            let weight = Int64(claims[index].weight)
            let share = max(least, min(claims[index].ceiling ?? .max, part(of: rest, weight, of: weights)))
            shares[index] = share
            rest = max(0, rest - share)
            weights -= weight
        }
        distribute(rest, to: claims, &shares)
        return shares
    }

    /// Divides the rest if all claims are slower than allowed: a claim that stalled for a moment must not stay at
    /// almost nothing because of it.
    private static func distribute(_ rest: Int64, to claims: [Claim], _ shares: inout [Int64?]) {
        var rest = rest
        var open = claims.indices.filter { claims[$0].weight > 0 }
        // The claim that lacks least comes first: its rest is for the others.
        func lack(_ index: Int) -> Int64 { max(0, (claims[index].limit ?? .max) - (shares[index] ?? 0)) }
        func lackPerShare(_ index: Int) -> Int64 { lack(index) / Int64(claims[index].weight) }
        open.sort { (lackPerShare($0), $0) < (lackPerShare($1), $1) }
        var weights = open.reduce(Int64(0)) { $0 + Int64(claims[$1].weight) }
        for index in open {
            let more = min(lack(index), part(of: rest, Int64(claims[index].weight), of: weights))
            shares[index]? += more
            rest -= more
            weights -= Int64(claims[index].weight)
        }
    }

    /// Returns the part of the rest for a weight. If the sum of the weights saturated, the remaining sum can be less
    /// than this weight.
    private static func part(of rest: Int64, _ weight: Int64, of left: Int64) -> Int64 {
        let weights = max(left, weight)
        return rest / weights * weight + rest % weights * weight / weights
    }

    private static func perShare(_ claim: Claim) -> Int64? {
        claim.ceiling.map { $0 / Int64(claim.weight) }
    }
}

extension RateDemand {
    /// Returns a session's claim to the common rate: one share, however many exchanges divide it.
    package func claim(had: Int64?) -> FairShare.Claim {
        FairShare.Claim(weight: min(1, flows), used: used, had: had)
    }
}
