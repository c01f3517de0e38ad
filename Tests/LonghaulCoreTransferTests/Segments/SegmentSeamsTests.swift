import TestSupport
import Testing

@testable import LonghaulCore

@Suite struct SegmentSeamsTests {
    private let file: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }

    private func read(_ range: Range<Int64>) -> [UInt8] { Array(file[Int(range.lowerBound)..<Int(range.upperBound)]) }

    private func sample(before position: Int64, wrongAt offset: Int64? = nil) -> [UInt8] {
        let count = SegmentSeams.overlap(before: position)
        var sample = read(position - count..<position)
        if let offset, offset >= position - count { sample[Int(offset - (position - count))] ^= 1 }
        return sample
    }

    /// Compares as an engine does. Returns `nil` if nothing is due.
    private func agrees(_ seams: SegmentSeams, in map: SegmentMap) -> Bool? {
        let due = seams.due(in: map)
        return due.isEmpty ? nil : due.allSatisfy { read($0.range) == $0.sample }
    }

    @Test(arguments: [10_000, 100] as [Int64])
    func firstAndLastBytesAreCompared(position: Int64) {
        for (wrong, agrees) in [(nil, true), (position - 1, false), (max(position - 4_096, 0), false)]
            as [(Int64?, Bool)]
        {
            var seams = SegmentSeams()
            seams.add(sample(before: position, wrongAt: wrong), before: position)
            #expect(self.agrees(seams, in: SegmentMap([0..<position])) == agrees)
        }
    }

    /// Whichever arrives second: the neighbor's bytes, or the range's own.
    @Test func missingBytesAreComparedWhenTheyCome() {
        var seams = SegmentSeams()
        seams.add(sample(before: 10_000, wrongAt: 9_000), before: 10_000)
        #expect(agrees(seams, in: SegmentMap([0..<9_999, 10_000..<20_000])) == nil)
        #expect(agrees(seams, in: SegmentMap([0..<20_000])) == false)
    }

    @Test func droppedSamplesAreForgotten() {
        var seams = SegmentSeams()
        seams.add(sample(before: 10_000), before: 10_000)
        seams.drop(at: 10_000)
        #expect(seams == SegmentSeams())
    }

    @Test func headsOfRangesAreFetchedAgain() {
        let map = SegmentMap([0..<10, 5_000..<9_096, 10_000..<14_097]).withoutHeads()
        #expect(map == SegmentMap([0..<10, 14_096..<14_097]))
        #expect(map.heads(in: 20_000) == [10_000..<14_096])
        #expect(SegmentMap([0..<10]).withoutHeads() == SegmentMap([0..<10]))
        #expect(SegmentMap([100..<200]).heads(in: 200) == [0..<100])
    }
}
