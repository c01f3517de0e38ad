import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreTransactionTests {
    @Test func aRollbackForgetsEverything() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let kept = try store.submit(0..<1)[0]
        try store.begin()
        #expect(store.isInTransaction)
        var record = TransferRecord.sample(1)
        try store.insert(&record, host: "h")
        try store.appendHistory(kept.id, at: kept.facts.createdAt, event: "started", detail: "", bytesDone: 0)
        try store.rollback()
        #expect(!store.isInTransaction)
        #expect(try store.record(record.id) == nil)
        #expect(try store.history(of: kept.id).isEmpty)
        #expect(store.totals().waiting == 1)
        try store.rollback()
    }

    @Test func aWriteOutsideOfATransactionIsRefused() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var record = TransferRecord.sample(0)
        #expect(throws: TransferFailure.self) { try store.insert(&record, host: "h") }
        #expect(throws: TransferFailure.self) { try store.setLimits(SessionLimits()) }
    }

    @Test func aTransactionWithAFailedWriteIsNotCommitted() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.begin()
        var record = TransferRecord.sample(0)
        try store.insert(&record, host: "h")
        #expect(throws: TransferFailure.self) { try store.insert(&record, host: "h") }
        #expect(throws: TransferFailure.self) { try store.commit() }
        #expect(!store.isInTransaction)
        #expect(try store.page(ListQuery()).records.isEmpty)
        try store.submit(1..<2)
        #expect(store.totals().waiting == 1)
    }

    @Test func aKillLeavesWhatWasCommitted() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var records = try store.submit(0..<20)
        let committed = records
        try store.begin()
        for index in records.indices {
            records[index].state = .running(.receiving)
            try store.update(records[index])
        }
        var uncommitted = TransferRecord.sample(20)
        try store.insert(&uncommitted, host: "h")
        let copy = try world.afterKill()
        try store.rollback()
        #expect(copy.names.contains("store.sqlite-wal"))
        #expect(try copy.open().page(ListQuery()).records == committed)
        try copy.open().check()
    }

    @Test func aKillAfterEachCommitKeepsIt() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var record = try store.submit(0..<1)[0]
        for step in 1...20 {
            record.facts.bytesDone = Int64(step)
            try store.transaction {
                try store.update(record)
                try store.appendHistory(
                    record.id, at: WallTime(seconds: Int64(step)), event: "waiting", detail: "", bytesDone: 0)
            }
            let copy = try world.afterKill().open()
            #expect(try copy.record(record.id) == record)
            #expect(try copy.history(of: record.id).map(\.number) == Array(1...Int64(step)))
        }
    }

    /// The mark of a store that is being created comes first.
    @Test(arguments: [false, true])
    func killDuringCreationLeavesStoreThatOpens(hasFile: Bool) throws {
        let world = try StoreWorld()
        try world.write([], to: world.path + ".new")
        if hasFile { try world.write([], to: world.path) }
        try world.open().submit(0..<1)
        #expect(try world.open().totals().waiting == 1)
        #expect(!world.names.contains("store.sqlite.new"))
    }
}
