import TestSupport
import Testing

@testable import LonghaulCore

@Suite struct SegmentSeamsTests {
    private let file: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }

    private func read(_ range: Range<Int64>) -> [UInt8] { Array(file[Int(range.lowerBound)..<Int(range.upperBound)]) }

    private func sample(before position: Int64, wrongAt offset: Int64? = nil) -> [UInt8] {
        let count = SegmentSeams.overlap(before: position)
        var sample = read(position - count..<position)
        if let offset { sample[Int(offset - (position - count))] ^= 1 }
        return sample
    }

    @Test(arguments: [(10_000, 10_000), (10_000, 5_904), (100, 100)] as [(Int64, Int64)])
    func firstAndLastBytesAreCompared(position: Int64, end: Int64) throws {
        for (wrong, agrees) in [(nil, true), (position - 1, false), (max(position - 4_096, 0), false)]
            as [(Int64?, Bool)]
        {
            var seams = SegmentSeams()
            let sample = sample(before: position, wrongAt: wrong)
            #expect(try seams.add(sample, before: position, in: SegmentMap([0..<position]), with: read) == agrees)
            var later = SegmentSeams()
            later.add(sample, before: position)
            #expect(try later.agree(in: SegmentMap([0..<20_000]), with: read) == agrees)
        }
    }

    /// Whichever comes second: the neighbor's bytes, or the range's own.
    @Test func missingBytesAreComparedWhenTheyCome() throws {
        var seams = SegmentSeams()
        let early = SegmentMap([0..<9_999, 10_000..<20_000])
        let wrong = sample(before: 10_000, wrongAt: 9_000)
        #expect(try seams.add(wrong, before: 10_000, in: early, with: read))
        #expect(try seams.agree(in: early, with: read))
        #expect(try !seams.agree(in: SegmentMap([0..<20_000]), with: read))
    }

    @Test func comparedAndDroppedSamplesAreForgotten() throws {
        var seams = SegmentSeams()
        seams.add(sample(before: 10_000), before: 10_000)
        seams.add(sample(before: 15_000, wrongAt: 14_999), before: 15_000)
        seams.drop(at: 15_000)
        #expect(try seams.agree(in: SegmentMap([0..<20_000]), with: read))
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
