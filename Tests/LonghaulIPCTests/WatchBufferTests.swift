import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import Testing

@Suite struct WatchBufferTests {
    private var buffer = WatchBuffer()

    @Test mutating func emptyBufferYieldsNothing() {
        #expect(buffer.removeNext() == nil)
    }

    @Test mutating func theFirstUpdateIsGivenAlsoWhenItIsEmpty() {
        buffer.merge(WatchUpdate(changed: [], removed: []))
        #expect(buffer.removeNext() == WatchUpdate(changed: [], removed: []))
        buffer.merge(WatchUpdate(changed: [], removed: []))
        #expect(buffer.removeNext() == nil)
    }

    @Test mutating func onlyTheNewestSnapshotOfATransferIsKept() {
        for bytes in 1...100 as ClosedRange<Int64> {
            buffer.merge(WatchUpdate(changed: [.sample(1, bytesDone: bytes), .sample(2)], removed: []))
        }
        let expected = [TransferSnapshot.sample(1, bytesDone: 100), .sample(2)]
        #expect(buffer.removeNext() == WatchUpdate(changed: expected, removed: []))
        #expect(buffer.isEmpty)
    }

    @Test mutating func aTransferThatIsGoneReplacesItsSnapshot() {
        let id = TransferSnapshot.sample(1).id
        buffer.merge(WatchUpdate(changed: [.sample(1)], removed: []))
        buffer.merge(WatchUpdate(changed: [], removed: [id]))
        #expect(buffer.removeNext() == WatchUpdate(changed: [], removed: [id]))
    }

    @Test mutating func aSuccessInBriefReplacesItsSnapshotAndIsReplacedByOne() {
        let success = WatchUpdate.Success(id: TransferSnapshot.sample(1).id, path: "/out/a")
        buffer.merge(WatchUpdate(changed: [.sample(1)], removed: []))
        buffer.merge(WatchUpdate(changed: [], removed: [], succeeded: [success]))
        #expect(buffer.removeNext() == WatchUpdate(changed: [], removed: [], succeeded: [success]))
        buffer.merge(WatchUpdate(changed: [], removed: [], succeeded: [success]))
        buffer.merge(WatchUpdate(changed: [.sample(1)], removed: []))
        #expect(buffer.removeNext() == WatchUpdate(changed: [.sample(1)], removed: []))
    }

    @Test mutating func piecesTogetherAreTheWhole() {
        buffer.merge(WatchUpdate(changed: (1...10).map { .sample($0) }, removed: []))
        var numbers: [Int64] = []
        while let piece = buffer.removeNext(limit: 3) {
            #expect(piece.changed.count <= 3)
            numbers += piece.changed.map(\.sequence)
        }
        #expect(numbers == Array(1...10))
    }

    @Test mutating func laterChangeIsDeliveredAgain() {
        buffer.merge(WatchUpdate(changed: [.sample(1), .sample(2)], removed: []))
        #expect(buffer.removeNext(limit: 1)?.changed == [.sample(1)])
        buffer.merge(WatchUpdate(changed: [.sample(1, bytesDone: 5)], removed: []))
        #expect(buffer.removeNext()?.changed == [.sample(2), .sample(1, bytesDone: 5)])
    }

    @Test mutating func restartedListReplacesPendingUpdates() {
        buffer.merge(WatchUpdate(changed: [.sample(1), .sample(2)], removed: [], completesList: true))
        #expect(buffer.removeNext(limit: 1)?.changed == [.sample(1)])
        buffer.merge(WatchUpdate(changed: [.sample(1)], removed: [], beginsList: true))
        #expect(buffer.removeNext() == WatchUpdate(changed: [.sample(1)], removed: [], beginsList: true))
        buffer.merge(WatchUpdate(changed: [.sample(3)], removed: [], completesList: true))
        #expect(buffer.removeNext() == WatchUpdate(changed: [.sample(3)], removed: [], completesList: true))
    }

    @Test mutating func theListIsCompleteWithItsLastPiece() {
        buffer.merge(WatchUpdate(changed: [.sample(1), .sample(2)], removed: []))
        buffer.merge(WatchUpdate(changed: [.sample(3)], removed: [], completesList: true))
        #expect(buffer.removeNext(limit: 2)?.completesList == false)
        #expect(buffer.removeNext() == WatchUpdate(changed: [.sample(3)], removed: [], completesList: true))
        #expect(buffer.removeNext() == nil)
    }
}
