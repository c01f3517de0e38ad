import LonghaulCore
import LonghaulStore
import Testing

/// Prints the speed of the store for its developers. Times are not asserted: machines differ.
@Suite struct StoreSpeedTests {
    @Test func aHundredThousandTransfers() throws {
        let world = try StoreWorld()
        var store = try world.open()
        let count = 100_000
        var records = (0..<count).map { TransferRecord.sample($0) }
        try measure("life of a transfer, 6 row writes each, one transaction", rows: 6 * count) {
            try store.transaction { for index in records.indices { try live(&records[index], store) } }
        }
        try measure("open") { store = try world.open() }
        var entries = 0
        try measure("queue entries", rows: count) { try store.queueEntries { _ in entries += 1 } }
        #expect(entries == count)
        let page = try measure("page of 10 000") { try store.page(ListQuery(limit: 10_000)) }
        #expect(page.records.count == 10_000)
        let middle = ListQuery(ended: false, afterSequence: 50_000, limit: 1_000)
        #expect(try measure("page of 1 000 from the middle, live") { try store.page(middle) }.hasMore)
        let ids = try measure("identifiers of all", rows: count) { try store.ids(.all, ended: false) }
        #expect(ids.count == count)
        try measure("full check") { try store.check() }
        #expect(store.totals().running == count)
    }

    /// Submits, starts, and receives: one insertion, two updates, three lines of history.
    private func live(_ record: inout TransferRecord, _ store: Store) throws {
        let now = record.facts.createdAt
        try store.insert(&record, host: "cdn.example.org")
        try store.appendHistory(record.id, at: now, event: "submitted", detail: "", bytesDone: 0)
        record.state = .running(.preparing)
        record.facts.attempts = 1
        try store.update(record)
        try store.appendHistory(record.id, at: now, event: "started", detail: "attempt 1", bytesDone: 0)
        record.state = .running(.receiving)
        record.facts.download.validators = Validators(entityTag: "\"5f3\"", lastModified: nil, isSoft: false, total: 9)
        try store.update(record)
        try store.appendHistory(record.id, at: now, event: "receiving", detail: "", bytesDone: 0)
    }

    private func measure<Value>(_ what: String, rows: Int = 0, _ body: () throws -> Value) throws -> Value {
        var value: Value?
        let duration = try ContinuousClock().measure { value = try body() }
        let seconds = Double(duration.components.attoseconds) / 1e18 + Double(duration.components.seconds)
        let rate = rows == 0 ? "" : ", \(Int(Double(rows) / seconds)) rows a second"
        print("store speed: \(what): \(Int(seconds * 1_000)) ms\(rate)")
        return try #require(value)
    }
}
