/// Offsets in one file at which the bytes of two responses meet.
///
/// Two responses with equal validators can still have different bytes: nginx builds its entity tag from date and length, and a faulty
/// node can shift its output. So each range begins with a few KiB that its left neighbor fetches too. As soon as the file has the
/// neighbor's bytes, both are compared. Until then no map joins the two ranges.
package struct SegmentSeams: Equatable, Sendable {
    /// How many bytes before a range its own response repeats.
    package static let overlap = ResumeLadder.usualOverlap

    /// Bytes that two responses have in common.
    package struct Overlap: Equatable, Sendable {
        /// The offset at which the range of the second response begins.
        package let end: Int64
        /// The preceding bytes, from the second response.
        package let sample: [UInt8]

        /// The range of these bytes in the file, from the first response.
        package var range: Range<Int64> { end - Int64(sample.count)..<end }
    }

    /// The bytes before each seam, from the response that continues after it.
    private var samples: [Int64: [UInt8]] = [:]

    package init() {}

    /// Reads the samples of an earlier attempt's ranges (`withoutHeads`).
    package init(
        of map: SegmentMap, _ total: Int64, in file: (Range<Int64>) throws(TransferFailure) -> [UInt8]
    ) throws(TransferFailure) {
        for head in map.heads(in: total) { samples[head.upperBound] = try file(head) }
    }

    /// Returns how many bytes of its neighbor a range at this offset repeats.
    package static func overlap(before position: Int64) -> Int64 { min(overlap, position) }

    /// Adds the bytes before `position` from the response of the range that begins there.
    package mutating func add(_ sample: [UInt8], before position: Int64) { samples[position] = sample }

    /// Removes the sample of a range that was compared, or has delivered nothing.
    package mutating func drop(at position: Int64) { samples[position] = nil }

    /// Returns the samples whose bytes are in `map`, and so can be compared with the file.
    package func due(in map: SegmentMap) -> [Overlap] {
        samples.map { Overlap(end: $0.key, sample: $0.value) }.filter { map.contains(SegmentMap([$0.range])) }
            .sorted { $0.end < $1.end }
    }
}

extension SegmentMap {
    /// Returns the map of a file whose holes another attempt fills.
    ///
    /// The samples of the earlier attempt are lost, so the first bytes of each range become its sample: they count as missing, and
    /// are compared with their replacements. After a crash while they are overwritten, the map never contained them.
    package func withoutHeads() -> SegmentMap {
        let overlap = SegmentSeams.overlap
        return SegmentMap(
            ranges.compactMap { range in
                if range.lowerBound == 0 { return range }
                let start = range.lowerBound + overlap
                return start < range.upperBound ? start..<range.upperBound : nil
            })
    }

    /// Returns the ranges that `withoutHeads` removed before received bytes, in a file of this length.
    package func heads(in total: Int64) -> [Range<Int64>] {
        gaps(in: total).filter { $0.upperBound < total }.map {
            max($0.lowerBound, $0.upperBound - SegmentSeams.overlap)..<$0.upperBound
        }
    }
}
