/// The ranges of a file that were received: in ascending order, neither overlapping nor adjacent.
package struct SegmentMap: Equatable, Sendable {
    /// More than any download creates. Ranges of an external map beyond this limit count as missing, and are just fetched again.
    static let mostRanges = 4_096

    package private(set) var ranges: [Range<Int64>] = []

    package init() {}

    /// Accepts ranges in any order, overlapping or not.
    package init(_ ranges: [Range<Int64>]) {
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The number of received bytes.
    package var count: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// The offset of the first hole.
    package var front: Int64 {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// The end of the last received byte.
    package var end: Int64 { ranges.last?.upperBound ?? 0 }

    package mutating func insert(_ range: Range<Int64>) {
        var range = range.clamped(to: 0..<Int64.max)
        guard !range.isEmpty else { return }
        // The first range that is not entirely before it, and the first that is entirely behind it; those between touch it.
        let first = ranges.partitioningIndex { $0.upperBound >= range.lowerBound }
        let next = ranges.partitioningIndex { $0.lowerBound > range.upperBound }
        if first < next {
            range =
                min(range.lowerBound, ranges[first].lowerBound)..<max(range.upperBound, ranges[next - 1].upperBound)
        } else if ranges.count >= Self.mostRanges {
            return
        }
        ranges.replaceSubrange(first..<next, with: [range])
    }

    package func union(_ other: SegmentMap) -> SegmentMap {
        var map = self
        for range in other.ranges { map.insert(range) }
        return map
    }

    package func contains(_ other: SegmentMap) -> Bool {
        other.ranges.allSatisfy { range in
            let place = ranges.partitioningIndex { $0.upperBound >= range.upperBound }
            return place < ranges.count && ranges[place].lowerBound <= range.lowerBound
        }
    }

    /// Returns the missing ranges of a file of this length, in ascending order.
    package func gaps(in total: Int64) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position: Int64 = 0
        for range in ranges where position < total {
            if range.lowerBound > position { gaps.append(position..<min(range.lowerBound, total)) }
            position = range.upperBound
        }
        if position < total { gaps.append(position..<total) }
        return gaps
    }

    /// Returns the ranges within a file of this length.
    package func clipped(to length: Int64) -> SegmentMap {
        var map = SegmentMap()
        map.ranges = ranges.map { $0.clamped(to: 0..<max(length, 0)) }.filter { !$0.isEmpty }
        return map
    }
}
