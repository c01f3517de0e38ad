/// Who fetches which range of one file: what has been won, what connections are at, and what nobody has.
///
/// At any time these three cover the file, and no byte is given to two connections.
package struct SegmentBoard: Equatable, Sendable {
    /// What one connection fetches.
    package struct Part: Equatable, Sendable {
        /// Where its first byte lies.
        package fileprivate(set) var start: Int64
        /// Where its next byte will lie.
        package fileprivate(set) var position: Int64
        /// Where it stops.
        package fileprivate(set) var end: Int64
        /// How far its answer goes: so far its end can be moved back again.
        package fileprivate(set) var reach: Int64
        /// Bytes a second; `nil` before anything is known.
        package fileprivate(set) var rate: Int64?

        var rest: Int64 { end - position }
    }

    /// A range for a connection, and whose end it was.
    package struct Work: Equatable, Sendable {
        package var range: Range<Int64>
        /// The connection that stops where the range begins from now on.
        package var shortened: Ticket?
    }

    /// Ranges begin at whole blocks, so that two connections never write to the same page of the file.
    package static let block: Int64 = 64 << 10
    /// Less is not worth a request.
    package static let leastWork: Int64 = 256 << 10
    /// The same while nobody knows how fast the others are: they may be at their ends before an answer comes.
    package static let leastUnmeasuredWork: Int64 = 1 << 20

    package let total: Int64
    /// What connections that have ended have brought, and what was there before.
    package private(set) var won: SegmentMap
    package private(set) var parts: [Ticket: Part] = [:]
    /// How fast connections that have ended were: by that the last ones are judged, which nobody else is at work beside.
    private var endedRate: Int64?

    package init(total: Int64, won: SegmentMap = SegmentMap()) {
        self.total = total
        self.won = won.clipped(to: total)
    }

    /// Whether every byte is there.
    package var isComplete: Bool { parts.isEmpty && won.front >= total }

    /// Bytes that are still to come.
    package var rest: Int64 {
        total - won.count - parts.values.reduce(0) { $0 + ($1.position - $1.start) }
    }

    /// What nobody fetches.
    package var open: [Range<Int64>] {
        var map = won
        for part in parts.values { map.insert(part.start..<part.end) }
        return map.gaps(in: total)
    }

    /// A connection fetches this range from now on. Its answer may go further than it is wanted to.
    package mutating func begin(_ ticket: Ticket, _ range: Range<Int64>, reach: Int64? = nil) {
        parts[ticket] = Part(
            start: range.lowerBound, position: range.lowerBound, end: range.upperBound,
            reach: max(reach ?? range.upperBound, range.upperBound))
    }

    /// A connection brings nothing before this byte, since another one continued up to it.
    package mutating func begin(_ ticket: Ticket, at position: Int64, behind other: Ticket) {
        parts[ticket]?.start = position
        parts[ticket]?.position = position
        if let part = parts[other] { parts[other]?.end = max(part.end, position) }
    }

    /// The answer of a connection ends sooner than was asked for; the rest is nobody's again.
    package mutating func shorten(_ ticket: Ticket, to reach: Int64) {
        guard let part = parts[ticket] else { return }
        parts[ticket]?.reach = max(min(part.reach, reach), part.position)
        parts[ticket]?.end = max(min(part.end, reach), part.position)
    }

    /// A connection has gone on beyond its end, where nobody else fetches anything up to this byte.
    package mutating func lengthen(_ ticket: Ticket, to end: Int64) {
        guard let part = parts[ticket], let gap = open.first(where: { $0.lowerBound == part.end }) else { return }
        parts[ticket]?.end = min(end, gap.upperBound)
    }

    /// A connection has received up to this byte.
    package mutating func advance(_ ticket: Ticket, to position: Int64) {
        guard let part = parts[ticket] else { return }
        parts[ticket]?.position = min(max(part.position, position), part.end)
    }

    /// How fast it has been of late.
    package mutating func note(_ ticket: Ticket, rate: Int64) { parts[ticket]?.rate = max(rate, 0) }

    /// A connection has ended, and what it brought is in the file up to this byte.
    package mutating func end(_ ticket: Ticket, written: Int64) {
        guard let part = parts.removeValue(forKey: ticket) else { return }
        if let rate = part.rate { endedRate = (rate + (endedRate ?? rate)) / 2 }
        won.insert(part.start..<min(max(written, part.start), part.end))
    }

    /// What is in the file, if connections that have not ended have written up to these bytes.
    package func map(written: [Ticket: Int64]) -> SegmentMap {
        var map = won
        for (ticket, part) in parts {
            if let end = written[ticket] { map.insert(part.start..<min(max(end, part.start), part.end)) }
        }
        return map
    }

    /// Lets connections fetch what lies behind their ends and is nobody's, as far as their answers go. Tells which have another end.
    package mutating func extend() -> [(ticket: Ticket, end: Int64)] {
        var changed: [(Ticket, Int64)] = []
        for gap in open {
            guard
                let (ticket, part) = parts.first(where: {
                    $0.value.end == gap.lowerBound && $0.value.reach > gap.lowerBound
                })
            else { continue }
            let end = min(gap.upperBound, part.reach)
            parts[ticket]?.end = end
            changed.append((ticket, end))
        }
        return changed
    }

    /// What one more connection is to fetch: what is nobody's, else the last part of what the slowest one has before it.
    /// `nil` when nothing is left that is worth a request.
    ///
    /// - Parameter delay: So many seconds it brings nothing, while the other one goes on.
    package mutating func work(after delay: Double = 0) -> Work? {
        if let gap = open.first { return Work(range: gap) }
        let known = parts.values.compactMap(\.rate) + (endedRate.map { [$0] } ?? [])
        let average = max(known.mean ?? 1, 1)
        guard let (ticket, part) = slowest(average) else { return nil }
        let rate = part.rate ?? average
        // One that brings hardly anything leaves all of it; else so much that both end together.
        let isStanding = rate < max(average / 16, 1)
        let (all, ours) = (Double(part.rest) + delay * Double(average), Double(rate) / (Double(average) + Double(rate)))
        let kept = Int64(min(all * ours, Double(part.rest)))
        let begin = isStanding ? part.position : Self.blockEnd(of: part.position + kept)
        let least = part.rate == nil ? Self.leastUnmeasuredWork : Self.leastWork
        guard begin < part.end, isStanding || part.end - begin >= least else { return nil }
        parts[ticket]?.end = begin
        return Work(range: begin..<part.end, shortened: ticket)
    }

    /// Whose end is furthest away in time, and worth bringing nearer: it takes longer than a request does.
    private func slowest(_ average: Int64) -> (Ticket, Part)? {
        func seconds(_ part: Part) -> Double { Double(part.rest) / Double(max(part.rate ?? average, 1)) }
        let found = parts.filter { $0.value.rest > 0 }.max {
            (seconds($0.value), $0.key.number) < (seconds($1.value), $1.key.number)
        }
        guard let found, found.value.rate == nil || seconds(found.value) > 0.5 else { return nil }
        return (found.key, found.value)
    }

    private static func blockEnd(of position: Int64) -> Int64 {
        let (blocks, rest) = position.quotientAndRemainder(dividingBy: block)
        return rest == 0 ? position : (blocks + 1) * block
    }
}
