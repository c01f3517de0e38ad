/// Divides a rate among those who want some of it: nobody gets more than it wants while another gets less than its share.
package enum FairShare {
    /// What one of them may and can use.
    package struct Claim: Equatable, Sendable {
        /// How many shares it has: none for one that wants nothing.
        package var weight: Int
        /// Its own limit, in bytes a second; `nil` for none.
        package var limit: Int64?
        /// What it was seen to use of what it had; `nil` when that is not known yet.
        package var used: Int64?
        /// What it had.
        package var had: Int64?

        package init(weight: Int = 1, limit: Int64? = nil, used: Int64? = nil, had: Int64? = nil) {
            self.weight = weight
            self.limit = limit
            self.used = used
            self.had = had
        }

        /// The most that this claim can use. A claim that left a quarter of its share unused is slow for another reason: it
        /// gets room to double until the next look, and more where the others leave it. A difference of a few pieces says
        /// nothing, since the pieces may have been counted a moment earlier or later.
        var ceiling: Int64? {
            guard let used, let had, used < had - max(had / 4, FairShare.grain) else { return limit }
            return min(limit ?? .max, max(FairShare.least, used * 2))
        }
    }

    /// Nobody gets less: an exchange that stands still is taken for a broken connection.
    package static let least: Int64 = 1_024

    /// Bytes move in pieces of 16 KiB: in a second, one more or less of them says nothing.
    private static let grain: Int64 = 32 << 10

    /// A rate for each claim, in bytes a second; without a total each gets its own limit, if it has one.
    package static func divide(_ total: Int64?, among claims: [Claim]) -> [Int64?] {
        guard let total else { return claims.map(\.limit) }
        var shares = [Int64?](repeating: nil, count: claims.count)
        var rest = total
        var open = claims.indices.filter { claims[$0].weight > 0 }
        // Those who want less than an equal share are served first, and what they leave is divided again.
        open.sort { (perShare(claims[$0]) ?? .max, $0) < (perShare(claims[$1]) ?? .max, $1) }
        var weights = open.reduce(Int64(0)) { $0 + Int64(claims[$1].weight) }
        for index in open {
            let weight = Int64(claims[index].weight)
            let share = max(least, min(claims[index].ceiling ?? .max, part(of: rest, weight, of: weights)))
            shares[index] = share
            rest = max(0, rest - share)
            weights -= weight
        }
        leave(rest, to: claims, &shares)
        return shares
    }

    /// What is left when all are slower than they might be is for them too: one that stood still for a moment must not be
    /// kept at next to nothing because of it.
    private static func leave(_ rest: Int64, to claims: [Claim], _ shares: inout [Int64?]) {
        var rest = rest
        var open = claims.indices.filter { claims[$0].weight > 0 }
        // Who lacks least comes first: what it does not take is for the others.
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

    /// What belongs to some of the shares in all. A sum of weights that saturated leaves less than there is, even less than this weight.
    private static func part(of rest: Int64, _ weight: Int64, of left: Int64) -> Int64 {
        let weights = max(left, weight)
        return rest / weights * weight + rest % weights * weight / weights
    }

    private static func perShare(_ claim: Claim) -> Int64? {
        claim.ceiling.map { $0 / Int64(claim.weight) }
    }
}

extension RateDemand {
    /// What a session wants of the common rate: one share, however many exchanges it divides that among.
    package func claim(had: Int64?) -> FairShare.Claim {
        FairShare.Claim(weight: min(1, flows), used: used, had: had)
    }
}
