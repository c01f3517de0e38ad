import TestSupport
import Testing

@testable import LonghaulCore

/// The choice of the next source.
@Suite struct MirrorTableTests {
    private static let start = WallTime(seconds: 1_800_000_000)

    @Test func equalURLsAreOnePlaceAndThereAreOnlySoMany() {
        #expect(MirrorTable(["a", "b", "a"]).places.map(\.url) == ["a", "b"])
        #expect(MirrorTable((0..<100).map(String.init)).places.count == MirrorTable.mostPlaces)
    }

    @Test func nextSourceIsFastestAndFailedSourceIsLast() {
        var table = MirrorTable(["a", "b", "c"])
        #expect(table.choice(at: Self.start, isProven: false) == .use(0))
        table.update(rate: 5, of: "b")
        table.update(rate: 9, of: "c")
        #expect(table.choice(at: Self.start, isProven: false) == .use(2))
        table.current = 2
        table.rest(until: Self.start + .seconds(5))
        #expect(table.choice(at: Self.start, isProven: false) == .use(1))
        #expect(table.choice(at: Self.start + .seconds(6), isProven: false) == .use(1))
        table.won(10)
        #expect(table.choice(at: Self.start, isProven: false) == .use(2))
    }

    @Test func onlySourceOfVersionIsAwaitedThenDropped() {
        var table = MirrorTable(["a", "b"])
        table.acceptVersion()
        table.rest(until: Self.start + .seconds(5))
        #expect(table.choice(at: Self.start, isProven: false) == .wait(0, until: Self.start + .seconds(5)))
        #expect(table.choice(at: Self.start, isProven: true) == .use(1))
        table.rest(until: Self.start + .seconds(5))
        table.rest(until: Self.start + .seconds(5))
        #expect(table.choice(at: Self.start, isProven: false) == .beginAnew(1))
    }

    /// In every case, a source that refused is never chosen, nor one with another version to resume from; as long as a
    /// source is left, there is a choice.
    @Test(arguments: 0..<200) func aRandomWalkNeverJoinsWhatIsNotProved(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        var table = MirrorTable((0..<(1 + Int(chance.next() % 5))).map { "http://\($0)/" })
        var now = Self.start
        for _ in 0..<200 {
            now = now + .seconds(Int64(chance.next() % 4))
            let place = Int(chance.next() % UInt64(table.places.count))
            switch chance.next() % 9 {
            case 0: table.acceptVersion()
            case 1: table.forgetVersion()
            case 2: table.rest(until: now + .seconds(Int64(chance.next() % 9)))
            case 3: table.lower(table.places[place].url, to: .otherVersion)
            case 4: if chance.next() % 8 == 0 { table.lower(table.places[place].url, to: .refused) }
            case 5: table.won(Int64(chance.next() % 1_000))
            case 6: table.credit(table.places[place].url, Int64(chance.next() % 1_000))
            case 7: table.update(rate: Int64(chance.next() % 1_000), of: table.places[place].url)
            default: table.forgive()
            }
            let isProven = chance.next() % 2 == 0
            switch table.choice(at: now, isProven: isProven) {
            case .use(let next):
                #expect(table.places[next].standing == .good)
                #expect(isProven || table.origin == nil || table.origin == next)
                table.current = next
            case .wait(let next, let until):
                #expect(until > now && table.places[next].standing == .good)
                #expect(isProven || table.origin == nil || table.origin == next)
            case .beginAnew(let next):
                #expect(table.places[next].standing != .refused)
                table.forgetVersion()
                table.current = next
            case .nobody: #expect(table.places.allSatisfy { $0.standing == .refused })
            }
        }
    }
}

/// The distribution of a download's connections among its sources.
@Suite struct MirrorSelectorTests {
    @Test func eachIsTriedOnceAndThenWhoBringsMost() throws {
        var board = MirrorSelector(["a", "b"])
        board.sit(Ticket(1), at: 0)
        #expect(board.choose(at: 0) == 1)
        board.sit(Ticket(2), at: 1)
        board.update(Ticket(1), rate: 100)
        board.update(Ticket(2), rate: 1_000)
        #expect(board.choose(at: 0) == 1)
        var chosen: [Int] = []
        for ticket in 3..<33 {
            let place = try #require(board.choose(at: 0))
            board.sit(Ticket(UInt64(ticket)), at: place)
            chosen.append(place)
        }
        #expect(chosen.prefix(10) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(chosen.contains(0), "enough connections share what the fast one gives")
    }

    @Test func failingMirrorRestsLongerAndDropsVersionMismatch() {
        var board = MirrorSelector(["a", "b"])
        for number in 1...2 {
            board.sit(Ticket(UInt64(number)), at: 1)
            board.remove(Ticket(UInt64(number)), won: 0, hasFailed: true, at: 0)
        }
        board.sit(Ticket(9), at: 0)
        #expect(board.choose(at: 3_000_000_000) == 0)
        #expect(board.choose(at: 4_000_000_000) == 1)
        board.drop(1)
        #expect(board.choose(at: 4_000_000_000) == 0)
        #expect(board.takeStatistics(underWay: [:]).map(\.isOfOtherVersion) == [true])
        board.drop(0)
        #expect(board.choose(at: 0) == 0, "the download's own place decides which version there is")
    }

    @Test func rejectedCertificateIsReportedOnce() {
        var board = MirrorSelector(["a", "b", "c"])
        let rejection = TransferFailure(.certificateRejected, "It was rejected.")
        board.reject(1, rejection)
        board.ban(2)
        #expect(board.choose(at: 0) == 0)
        #expect(board.takeStatistics(underWay: [:]).map(\.rejection) == [rejection])
        #expect(board.takeStatistics(underWay: [:]).isEmpty)
    }

    @Test func onlyMirrorNeverRests() {
        var board = MirrorSelector(["a"])
        for number in 1...9 {
            board.sit(Ticket(UInt64(number)), at: 0)
            board.remove(Ticket(UInt64(number)), won: 0, hasFailed: true, at: 0)
        }
        #expect(board.choose(at: 0) == 0)
    }

    @Test func mirrorProgressIsReportedOnce() {
        var board = MirrorSelector(["a", "b"])
        board.sit(Ticket(1), at: 0)
        board.sit(Ticket(2), at: 1)
        #expect(board.takeStatistics(underWay: [Ticket(1): 50, Ticket(2): 70]).map(\.bytes) == [70])
        #expect(board.takeStatistics(underWay: [Ticket(1): 60, Ticket(2): 90]).map(\.bytes) == [20])
        board.remove(Ticket(2), won: 100, hasFailed: false, at: 0)
        #expect(board.takeStatistics(underWay: [:]).map(\.bytes) == [10])
        #expect(board.takeStatistics(underWay: [:]).isEmpty)
    }
}
