import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreRecordTests {
    @Test func aRecordComesBackAsItWasInserted() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<3)
        #expect(records.map(\.sequence) == [1, 2, 3])
        for record in records { #expect(try store.record(record.id) == record) }
        #expect(try store.record(TransferID(high: 1, low: 2)) == nil)
    }

    @Test func anUpdateReplacesStateAndFacts() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var record = try store.submit(0..<1)[0]
        record.state = .failed(TransferFailure(.connectionLost, "Lost.", origin: .curl(56)))
        record.facts.bytesDone = 77
        record.facts.download.validators = Validators(entityTag: "\"a\"", lastModified: nil, isSoft: true, total: 100)
        try store.transaction { try store.update(record) }
        #expect(try store.record(record.id) == record)
    }

    @Test(arguments: [true, false])
    func wrongPreviousStateKeepsTotals(_ isRight: Bool) throws {
        let world = try StoreWorld()
        let store = try world.open()
        var record = try store.submit(0..<2)[0]
        let stored = isRight ? record.state : .paused
        record.state = .succeeded
        try store.transaction { try store.update(record, since: stored) }
        #expect(try store.record(record.id) == record)
        #expect(store.totals() == (try world.open().totals()))
        #expect(store.totals().waiting == 1 && store.totals().succeeded == 1)
    }

    @Test func recordsAreThereAfterReopening() throws {
        let world = try StoreWorld()
        var records: [TransferRecord] = []
        do {
            let store = try world.open()
            records = try store.submit(0..<5)
            records[2].state = .succeeded
            try store.transaction { try store.update(records[2]) }
        }
        let store = try world.open()
        #expect(try store.page(ListQuery()).records == records)
        #expect(store.totals().waiting == 4)
        #expect(store.totals().succeeded == 1)
    }

    @Test func aSequenceNumberIsNeverUsedAgain() throws {
        let world = try StoreWorld()
        let last = try world.open().submit(0..<3)[2]
        let store = try world.open()
        try store.transaction { try store.delete(last.id) }
        #expect(try store.submit(3..<4)[0].sequence == 4)
    }

    @Test func aDeletedRecordIsGoneWithItsHistory() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let record = try store.submit(0..<1)[0]
        try store.transaction {
            try store.appendHistory(record.id, at: record.facts.createdAt, event: "submitted", detail: "", bytesDone: 0)
            try store.delete(record.id)
            try store.delete(record.id)
        }
        #expect(try store.record(record.id) == nil)
        #expect(try store.history(of: record.id).isEmpty)
        #expect(store.totals() == SessionTotals())
    }

    @Test func aKeyBelongsToOneTransfer() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let first = try store.submit(0..<1) { $0.spec.options.key = "one" }[0]
        #expect(try store.record(key: "one")?.id == first.id)
        #expect(try store.record(key: "two") == nil)
        var second = TransferRecord.sample(1)
        second.spec.options.key = "one"
        try store.begin()
        let refusal = #expect(throws: TransferFailure.self) { try store.insert(&second, host: "h") }
        #expect(refusal?.code == .keyTaken)
        try store.releaseKey(of: first.id)
        try store.insert(&second, host: "h")
        try store.commit()
        #expect(try store.record(key: "one") == second)
        #expect(try store.record(first.id) == first)
    }

    @Test func anAppendedTransferDoesNotTakeTheKey() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<3) {
            $0.spec.options.key = "one"
            $0.spec.options.keyConflict = .append
        }
        #expect(try store.record(key: "one") == nil)
        #expect(try store.record(records[1].id)?.spec.options.key == "one")
    }

    @Test func workLeftBehindIsFound() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var records = try store.submit(0..<4)
        records[1].facts.cleanup = [.partialFile]
        records[3].facts.cleanup = [.remoteUpload, .record]
        try store.transaction { for record in records { try store.update(record) } }
        #expect(try store.pendingCleanup() == [records[1].id, records[3].id])
        records[1].facts.cleanup = []
        try store.transaction { try store.update(records[1]) }
        #expect(try store.pendingCleanup() == [records[3].id])
    }

    @Test func anUnknownTransferIsNotUpdated() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var stale = try store.submit(0..<2)[0]
        stale.sequence = 2
        try store.begin()
        let refusal = #expect(throws: TransferFailure.self) { try store.update(stale) }
        #expect(refusal?.code == .unknownTransfer)
        try store.commit()
    }

    @Test func emptyValuesAreKept() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var record = TransferRecord.sample(0)
        record.facts = TransferFacts(createdAt: WallTime(microseconds: 0), deadline: WallTime(microseconds: 0))
        record.spec.options.key = ""
        try store.transaction { try store.insert(&record, host: "") }
        #expect(try store.record(record.id) == record)
        #expect(try store.record(key: "") == record)
    }
}
