/// Assigns ranges of one file to connections: received, assigned, and open ranges.
///
/// At any time these three cover the file, and no byte is assigned to two connections.
package struct SegmentAllocator: Equatable, Sendable {
    /// The range of one connection.
    package struct Part: Equatable, Sendable {
        /// The offset of its first byte.
        package fileprivate(set) var start: Int64
        /// The offset of its next byte.
        package fileprivate(set) var position: Int64
        /// The offset at which it stops.
        package fileprivate(set) var end: Int64
        /// The end of its response, up to which its own end can be moved back.
        package fileprivate(set) var reach: Int64
        /// Bytes per second; `nil` until it is measured.
        package fileprivate(set) var rate: Int64?

        var rest: Int64 { end - position }
    }

    /// A range for a connection, and the connection that lost it.
    package struct Work: Equatable, Sendable {
        package var range: Range<Int64>
        /// The connection that now stops where the range begins.
        package var shortened: Ticket?
    }

    /// Ranges begin at whole blocks, so that two connections never write to the same page of the file.
    package static let block: Int64 = 64 << 10
    /// A smaller range is not worth a request.
    package static let leastWork: Int64 = 256 << 10
    /// The same limit while rates are unknown: other connections may finish before a response arrives.
    package static let leastUnmeasuredWork: Int64 = 1 << 20

    package let total: Int64
    /// Bytes from connections that have ended, and those that existed before.
    package private(set) var won: SegmentMap
    package private(set) var parts: [Ticket: Part] = [:]
    /// The rate of ended connections, to judge the last connection, which has no others for comparison.
    private var endedRate: Int64?

    package init(total: Int64, won: SegmentMap = SegmentMap()) {
        self.total = total
        self.won = won.clipped(to: total)
    }

    /// Whether every byte was received.
    package var isComplete: Bool { parts.isEmpty && won.front >= total }

    /// Bytes not received yet.
    package var rest: Int64 {
        total - won.count - parts.values.reduce(0) { $0 + ($1.position - $1.start) }
    }

    /// Ranges that no connection fetches.
    package var open: [Range<Int64>] {
        var map = won
        for part in parts.values { map.insert(part.start..<part.end) }
        return map.gaps(in: total)
    }

    /// Assigns a range to a connection. Its response may extend beyond the range.
    package mutating func begin(_ ticket: Ticket, _ range: Range<Int64>, reach: Int64? = nil) {
        parts[ticket] = Part(
            start: range.lowerBound, position: range.lowerBound, end: range.upperBound,
            reach: max(reach ?? range.upperBound, range.upperBound))
    }

    /// Moves the start of a connection to this byte, because another one continued up to it.
    package mutating func begin(_ ticket: Ticket, at position: Int64, behind other: Ticket) {
        parts[ticket]?.start = position
        parts[ticket]?.position = position
        if let part = parts[other] { parts[other]?.end = max(part.end, position) }
    }

    /// Returns the end of a part and of those behind it that these connections have.
    func end(of part: Part, through others: Set<Ticket>) -> Int64 {
        var last = part
        while let next = parts.first(where: {
            others.contains($0.key) && $0.value.start == last.end && $0.value.rest > 0
        }) {
            last = next.value
        }
        return last.end
    }

    /// The response of a connection ends sooner than requested; the rest is open again.
    package mutating func shorten(_ ticket: Ticket, to reach: Int64) {
        guard let part = parts[ticket] else { return }
        parts[ticket]?.reach = max(min(part.reach, reach), part.position)
        parts[ticket]?.end = max(min(part.end, reach), part.position)
    }

    /// A connection continued beyond its end, where no other connection fetches bytes up to this one.
    package mutating func lengthen(_ ticket: Ticket, to end: Int64) {
        guard let part = parts[ticket], let gap = open.first(where: { $0.lowerBound == part.end }) else { return }
        parts[ticket]?.end = min(end, gap.upperBound)
    }

    /// Notes that a connection has received up to this byte.
    package mutating func advance(_ ticket: Ticket, to position: Int64) {
        guard let part = parts[ticket] else { return }
        parts[ticket]?.position = min(max(part.position, position), part.end)
    }

    /// Notes a connection's recent rate.
    package mutating func update(_ ticket: Ticket, rate: Int64) { parts[ticket]?.rate = max(rate, 0) }

    /// Removes an ended connection, whose bytes are in the file up to this one.
    package mutating func end(_ ticket: Ticket, written: Int64) {
        guard let part = parts.removeValue(forKey: ticket) else { return }
        if let rate = part.rate { endedRate = (rate + (endedRate ?? rate)) / 2 }
        won.insert(part.start..<min(max(written, part.start), part.end))
    }

    /// Discards the bytes from this one on, after all connections have ended.
    package mutating func discard(from position: Int64) { won = won.clipped(to: position) }

    /// Returns the ranges in the file if active connections have written up to these offsets.
    package func map(written: [Ticket: Int64]) -> SegmentMap {
        var map = won
        for (ticket, part) in parts {
            if let end = written[ticket] { map.insert(part.start..<min(max(end, part.start), part.end)) }
        }
        return map
    }

    /// Extends connections into open ranges behind their ends, as far as their responses go. Returns the changed ends.
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

    /// Returns a range for one more connection: an open range, otherwise the last part of the slowest connection's range. Returns
    /// `nil` if no range is worth a request.
    ///
    /// - Parameter delay: Seconds until the new connection delivers, during which the other one continues.
    package mutating func work(after delay: Double = 0) -> Work? {
        if let gap = open.first { return Work(range: gap) }
        let known = parts.values.compactMap(\.rate) + (endedRate.map { [$0] } ?? [])
        let average = max(known.mean ?? 1, 1)
        guard let (ticket, part) = slowest(average) else { return nil }
        let rate = part.rate ?? average
        // A nearly stalled connection gives up its whole range; otherwise it keeps enough that both end together.
        let isStanding = rate < max(average / 16, 1)
        let (all, ours) = (Double(part.rest) + delay * Double(average), Double(rate) / (Double(average) + Double(rate)))
        let kept = Int64(min(all * ours, Double(part.rest)))
        let begin = isStanding ? part.position : Self.blockEnd(of: part.position + kept)
        let least = part.rate == nil ? Self.leastUnmeasuredWork : Self.leastWork
        guard begin < part.end, isStanding || part.end - begin >= least else { return nil }
        parts[ticket]?.end = begin
        return Work(range: begin..<part.end, shortened: ticket)
    }

    /// Returns the connection that ends last, if a split is worth it: it takes longer than a request does.
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
