import LonghaulCore
import TestSupport
import Testing

@Suite struct SegmentMapTests {
    @Test func rangesThatOverlapOrTouchBecomeOne() {
        var map = SegmentMap([10..<20, 30..<40, 50..<60])
        map.insert(20..<30)
        #expect(map.ranges == [10..<40, 50..<60])
        map.insert(0..<100)
        #expect(map.ranges == [0..<100])
        #expect(map.front == 100 && map.end == 100 && map.count == 100)
    }

    @Test func gapsAreHolesAndEnd() {
        let map = SegmentMap([10..<20, 30..<40])
        #expect(map.gaps(in: 50) == [0..<10, 20..<30, 40..<50])
        #expect(map.gaps(in: 35) == [0..<10, 20..<30])
        #expect(map.gaps(in: 15) == [0..<10])
        #expect(map.front == 0 && SegmentMap().gaps(in: 3) == [0..<3] && map.gaps(in: 0).isEmpty)
    }

    @Test func aShorterFileHasLessOfIt() {
        let map = SegmentMap([0..<10, 20..<30])
        #expect(map.clipped(to: 25).ranges == [0..<10, 20..<25])
        #expect(map.clipped(to: 10).ranges == [0..<10])
        #expect(map.clipped(to: -1).isEmpty)
    }

    @Test func numbersOfAnySizeAreTaken() {
        var map = SegmentMap([Int64.min..<Int64.min + 5, -7 ..< -3, -1..<4, 9..<9, Int64.max - 1..<Int64.max])
        map.insert(Int64.min..<Int64.max)
        #expect(map.ranges == [0..<Int64.max] && map.count == .max)
        #expect(map.gaps(in: .min).isEmpty)
    }

    @Test func moreRangesThanAnyDownloadMakesAreNotKept() {
        let map = SegmentMap((0..<10_000).map { Int64($0) * 10..<Int64($0) * 10 + 5 })
        #expect(map.ranges.count == 4_096)
    }

    /// Against a set of bytes that knows no ranges.
    @Test(arguments: 0..<20 as Range<UInt64>) func mapContainsInsertedBytes(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        var (map, bytes) = (SegmentMap(), Set<Int64>())
        for _ in 0..<60 {
            let start = Int64.random(in: 0..<200, using: &chance)
            let range = start..<start + Int64.random(in: 0..<12, using: &chance)
            map.insert(range)
            bytes.formUnion(range)
            #expect(Set(map.ranges.joined()) == bytes && map.count == Int64(bytes.count))
            #expect(zip(map.ranges, map.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(map.contains(SegmentMap([range])) && map.union(map) == map)
            #expect(map.contains(SegmentMap([50..<70])) == Set(50..<70).isSubset(of: bytes))
            #expect(Set(map.gaps(in: 250).joined()) == Set(0..<250).subtracting(bytes))
        }
    }
}
