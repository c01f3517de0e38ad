import TestSupport
import Testing

@testable import LonghaulCore

@Suite struct SegmentAllocatorTests {
    private static let mebibyte: Int64 = 1 << 20

    private func next(of board: inout SegmentAllocator) throws -> SegmentAllocator.Work {
        let work = board.work()
        return try #require(work)
    }

    @Test func secondConnectionTakesSecondHalf() throws {
        var board = SegmentAllocator(total: 16 * Self.mebibyte)
        board.begin(Ticket(1), 0..<16 * Self.mebibyte)
        let work = try next(of: &board)
        #expect(work.range == 8 * Self.mebibyte..<16 * Self.mebibyte && work.shortened == Ticket(1))
        #expect(board.parts[Ticket(1)]?.end == 8 * Self.mebibyte)
    }

    @Test func aHoleComesBeforeWhatOthersHave() throws {
        var board = SegmentAllocator(
            total: 16 * Self.mebibyte, won: SegmentMap([0..<100, 200..<8 * Self.mebibyte]))
        board.begin(Ticket(1), 8 * Self.mebibyte..<16 * Self.mebibyte)
        #expect(try next(of: &board) == SegmentAllocator.Work(range: 100..<200))
    }

    @Test func bothEndTogetherWhenOneIsThreeTimesAsFast() throws {
        var board = SegmentAllocator(total: 40 * Self.mebibyte)
        board.begin(Ticket(1), 0..<40 * Self.mebibyte)
        board.begin(Ticket(2), 40 * Self.mebibyte..<40 * Self.mebibyte)
        board.update(Ticket(1), rate: Self.mebibyte)
        board.update(Ticket(2), rate: 5 * Self.mebibyte)
        let work = try next(of: &board)
        #expect(work.range.lowerBound == 10 * Self.mebibyte, "the average has three times its rate")
    }

    /// Both end together even if the new one starts a second late; if that is too late, it gets nothing.
    @Test func lateConnectionGetsSmallerRange() throws {
        var board = SegmentAllocator(total: 20 * Self.mebibyte)
        board.begin(Ticket(1), 0..<20 * Self.mebibyte)
        board.update(Ticket(1), rate: 4 * Self.mebibyte)
        var other = board
        let work = board.work(after: 1)
        #expect(work?.range.lowerBound == 12 * Self.mebibyte)
        other.advance(Ticket(1), to: 16 * Self.mebibyte)
        #expect(other.work(after: 1) == nil)
    }

    @Test func stalledConnectionGivesUpItsRange() throws {
        var board = SegmentAllocator(total: 20 * Self.mebibyte)
        board.begin(Ticket(1), 0..<100)
        board.begin(Ticket(2), 100..<20 * Self.mebibyte)
        board.advance(Ticket(1), to: 40)
        board.update(Ticket(1), rate: 0)
        board.update(Ticket(2), rate: Self.mebibyte)
        board.end(Ticket(2), written: 20 * Self.mebibyte)
        board.begin(Ticket(3), 20 * Self.mebibyte..<20 * Self.mebibyte)
        board.update(Ticket(3), rate: Self.mebibyte)
        #expect(try next(of: &board) == SegmentAllocator.Work(range: 40..<100, shortened: Ticket(1)))
    }

    @Test func nearlyFinishedRangeIsNotSplit() {
        var board = SegmentAllocator(total: 20 * Self.mebibyte)
        board.begin(Ticket(1), 0..<20 * Self.mebibyte)
        board.advance(Ticket(1), to: 19 * Self.mebibyte)
        board.update(Ticket(1), rate: 4 * Self.mebibyte)
        #expect(board.work() == nil)
    }

    @Test func runningResponseReclaimsUnwrittenRangeOfNeighbor() throws {
        var board = SegmentAllocator(total: 16 * Self.mebibyte)
        board.begin(Ticket(1), 0..<16 * Self.mebibyte)
        let work = try next(of: &board)
        board.begin(Ticket(2), work.range)
        board.end(Ticket(2), written: work.range.lowerBound + 5)
        #expect(board.extend().isEmpty, "five bytes lie between")
        board.begin(Ticket(3), work.range.lowerBound + 5..<16 * Self.mebibyte)
        board.end(Ticket(3), written: 0)
        var other = SegmentAllocator(total: 16 * Self.mebibyte)
        other.begin(Ticket(1), 0..<16 * Self.mebibyte)
        let second = try next(of: &other)
        other.begin(Ticket(2), second.range)
        other.end(Ticket(2), written: 0)
        #expect(other.extend().map(\.end) == [16 * Self.mebibyte])
        #expect(other.open.isEmpty)
    }

    /// The last active connection has no other to be compared with.
    @Test(arguments: [0, 1_000] as [Int64]) func theLastConnectionIsJudgedByThoseThatHaveEnded(rate: Int64) throws {
        var board = SegmentAllocator(total: 2 * Self.mebibyte)
        board.begin(Ticket(1), 0..<2 * Self.mebibyte)
        let work = try next(of: &board)
        board.begin(Ticket(2), work.range)
        board.update(Ticket(2), rate: 4 * Self.mebibyte)
        board.end(Ticket(2), written: work.range.upperBound)
        let position = work.range.lowerBound - SegmentAllocator.leastWork / 2
        board.advance(Ticket(1), to: position)
        board.update(Ticket(1), rate: rate)
        #expect(board.work()?.range == position..<work.range.lowerBound)
    }

    @Test func loneStalledConnectionIsReplaced() throws {
        var board = SegmentAllocator(total: Self.mebibyte)
        board.begin(Ticket(1), 0..<Self.mebibyte)
        board.advance(Ticket(1), to: Self.mebibyte - 5)
        board.update(Ticket(1), rate: 0)
        #expect(board.work()?.range == Self.mebibyte - 5..<Self.mebibyte)
    }

    /// Connections start, are cut, break, and end in any order: every byte is assigned to exactly one of them, and all arrive.
    @Test(arguments: 0..<40 as Range<UInt64>) func everyByteIsFetchedOnce(seed: UInt64) throws {
        var chance = SeededChance(seed: seed)
        let total = Int64.random(in: 1...40 * Self.mebibyte, using: &chance)
        var board = SegmentAllocator(total: total)
        var number: UInt64 = 1
        board.begin(Ticket(1), 0..<total)
        for _ in 0..<5_000 where !board.isComplete {
            switch Int.random(in: 0..<8, using: &chance) {
            case 0 where board.parts.count < 6:
                guard let work = board.work() else { break }
                number += 1
                board.begin(Ticket(number), work.range)
            case 1: _ = board.extend()
            case 2:
                guard let (ticket, part) = Self.any(board, &chance) else { break }
                let step = part.position + Int64.random(in: 0...2 * Self.mebibyte, using: &chance)
                board.shorten(ticket, to: step)
            case 3:
                guard let (ticket, part) = Self.any(board, &chance) else { break }
                board.end(ticket, written: part.position)
            default:
                guard let (ticket, part) = Self.any(board, &chance) else { break }
                board.update(ticket, rate: Int64.random(in: 0...4 * Self.mebibyte, using: &chance))
                board.advance(ticket, to: part.position + Int64.random(in: 0...3 * Self.mebibyte, using: &chance))
                if let part = board.parts[ticket], part.position == part.end { board.end(ticket, written: part.end) }
            }
            Self.check(board)
        }
    }

    private static func any(
        _ board: SegmentAllocator, _ chance: inout SeededChance
    ) -> (Ticket, SegmentAllocator.Part)? {
        board.parts.sorted { $0.key.number < $1.key.number }.randomElement(using: &chance)
    }

    private static func check(_ board: SegmentAllocator) {
        let pieces = board.won.ranges + board.parts.values.map { $0.start..<$0.end } + board.open
        let sorted = pieces.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        #expect(sorted.first?.lowerBound ?? 0 == 0 && sorted.last?.upperBound ?? board.total == board.total)
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(board.rest >= 0)
    }
}
