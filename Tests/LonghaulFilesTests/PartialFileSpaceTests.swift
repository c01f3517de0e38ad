import LonghaulCore
import Testing

@testable import LonghaulFiles

/// Disk space that is promised before it is allocated.
@Suite struct PartialFileSpaceTests {
    private let room = ReservedSpace()

    private func promise(from start: Int64, to end: Int64, taken: Int64 = 0, free: Int64?) -> PartialFileSpace? {
        PartialFileSpace(room, device: 1, start: start, end: end, taken: taken, free: { free })
    }

    @Test func roomIsTakenInStepsThatDouble() throws {
        var partial = try #require(promise(from: 0, to: 1 << 30, free: nil))
        var steps: [Int64] = []
        var offset: Int64 = 1
        while let step = partial.step(before: offset) {
            steps.append((step.upperBound - step.lowerBound) >> 20)
            partial.advance(takenTo: step.upperBound)
            #expect(partial.step(before: step.upperBound) == nil)
            offset = min(step.upperBound + 1, 1 << 30)
        }
        #expect(steps == [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
    }

    @Test func aLongWriteIsCoveredByOneStepAndNoneGoesBeyondTheEnd() throws {
        let partial = try #require(promise(from: 100, to: 20 << 20, free: nil))
        #expect(partial.step(before: 9 << 20) == 100..<(9 << 20))
        #expect(partial.step(before: 20 << 20) == 100..<(20 << 20))
    }

    @Test func promisesAddUpAndComeBack() throws {
        var first = try #require(promise(from: 0, to: 60, free: 100))
        #expect(promise(from: 0, to: 60, free: 100) == nil)
        // Allocated space is no longer promised, and no longer free.
        first.advance(takenTo: 50)
        #expect(promise(from: 0, to: 60, free: 50) == nil)
        var second = try #require(promise(from: 0, to: 40, free: 50))
        first.release()
        second.release()
        #expect(promise(from: 0, to: 100, free: 100) != nil)
        #expect(promise(from: 0, to: .max, free: .max) == nil, "no sum goes beyond what a number can be")
    }

    @Test func existingBytesAreNotReserved() throws {
        #expect(promise(from: 10, to: 100, taken: 90, free: 10) != nil)
        #expect(promise(from: 10, to: 20, taken: 500, free: 0) == nil, "the earlier promise stands")
    }
}
