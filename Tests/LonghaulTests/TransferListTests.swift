import Longhaul
import LonghaulCore
import Testing

@Suite struct TransferListTests {
    private var list = TransferList()

    @Test mutating func theOrderIsThatOfSubmissionWhateverComesFirst() {
        list.apply(.inserting([.sample(2), .sample(5)], isInitial: true))
        list.apply(.inserting([.sample(3), .sample(1), .sample(9)]))
        #expect(list.transfers.map(\.sequence) == [1, 2, 3, 5, 9])
    }

    @Test mutating func changesAreMadeWhereTheTransferIs() {
        list.apply(.inserting((1...4).map { .sample($0) }, isInitial: true))
        var change = TransferListChange()
        change.removed = [TransferSnapshot.sample(2).id]
        change.updated = [.sample(3, bytesDone: 7)]
        change.inserted = [.sample(5)]
        list.apply(change)
        #expect(list.transfers == [.sample(1), .sample(3, bytesDone: 7), .sample(4), .sample(5)])
        #expect(list[TransferSnapshot.sample(3).id]?.bytesDone == 7)
        #expect(list[TransferSnapshot.sample(2).id] == nil)
    }

    @Test mutating func aChangeMadeTwiceIsMadeOnce() {
        let change = TransferListChange.inserting([.sample(1)])
        list.apply(change)
        list.apply(change)
        var removal = TransferListChange()
        removal.removed = [TransferSnapshot.sample(1).id, TransferSnapshot.sample(2).id]
        removal.updated = [.sample(2)]
        list.apply(removal)
        #expect(list.transfers.isEmpty)
    }

    @Test mutating func initialChangeReplacesTheList() {
        list.apply(.inserting([.sample(1)], isInitial: true))
        list.apply(.inserting([.sample(2)], isInitial: true))
        #expect(list.transfers == [.sample(2)])
    }

    @Test func changesApplyToArrayOfSnapshots() {
        var transfers: [TransferSnapshot] = []
        TransferListChange.inserting([.sample(2), .sample(5)], isInitial: true).apply(to: &transfers)
        var change = TransferListChange.inserting([.sample(3), .sample(5)])
        change.removed = [TransferSnapshot.sample(2).id]
        change.updated = [.sample(5, bytesDone: 7), .sample(4)]
        change.apply(to: &transfers)
        #expect(transfers == [.sample(3), .sample(5, bytesDone: 7)])
        TransferListChange.inserting([.sample(1)], isInitial: true).apply(to: &transfers)
        #expect(transfers == [.sample(1)])
    }

    @Test func unknownLengthLeavesGroupWithoutTotal() {
        var transfers: [TransferSnapshot] = [.sample(1, bytesDone: 5, bytesTotal: 10), .sample(2, bytesDone: 7)]
        let progress = GroupProgress(of: transfers)
        #expect(progress.paused == 2 && progress.bytesDone == 12 && progress.unknownLengths == 1)
        #expect(progress.bytesTotal == nil && progress.fractionCompleted == nil && !progress.isEnded)
        // A transfer that has ended gets no more bytes.
        transfers[1].state = .cancelled
        #expect(GroupProgress(of: transfers).bytesTotal == 17)
    }

    @Test func timeRemainingFollowsFromRateAndLength() {
        var transfer = TransferSnapshot.sample(1, bytesDone: 200, bytesTotal: 1_000)
        #expect(transfer.timeRemaining == nil && GroupProgress(of: [transfer]).timeRemaining == nil)
        transfer.rate = 100
        #expect(transfer.timeRemaining == .seconds(8))
        let waiting = TransferSnapshot.sample(2, bytesTotal: 1_000)
        #expect(GroupProgress(of: [transfer, waiting]).timeRemaining == .seconds(18))
        transfer.bytesTotal = nil
        #expect(transfer.timeRemaining == nil && GroupProgress(of: [transfer, waiting]).timeRemaining == nil)
    }
}

extension TransferListChange {
    fileprivate static func inserting(_ transfers: [TransferSnapshot], isInitial: Bool = false) -> Self {
        var change = TransferListChange()
        change.isInitial = isInitial
        change.inserted = transfers
        return change
    }
}

extension TransferSnapshot {
    static func sample(_ number: Int64, bytesDone: Int64 = 0, bytesTotal: Int64? = nil) -> Self {
        TransferSnapshot(
            id: TransferID(high: 1, low: UInt64(number)), sequence: number, key: nil, group: "", direction: .download,
            method: "GET", url: "http://127.0.0.1/", name: "file", path: nil, state: .paused, turnLimit: nil,
            priority: 0, bytesDone: bytesDone, bytesTotal: bytesTotal, rate: 0, attempts: 0,
            createdAt: WallTime(seconds: 0), startedAt: nil, endedAt: nil, status: nil)
    }
}
