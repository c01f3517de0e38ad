import LonghaulCore
import LonghaulStore
import Testing

/// Transfers that are submitted in large numbers, and share their statements.
@Suite struct StoreInsertionTests {
    private func arrivals(_ numbers: Range<Int>) -> [StoredTransfer] {
        numbers.map { StoredTransfer(record: .sample($0), host: "host\($0 % 7).example.org") }
    }

    @Test(arguments: [1, 15, 16, 17, 100])
    func manyComeBackAsOneByOne(_ count: Int) throws {
        let world = try StoreWorld()
        let store = try world.open()
        var many = arrivals(0..<count)
        try store.transaction { try store.insert(&many) }
        #expect(many.map(\.record.sequence) == (1...count).map(Int64.init))
        for arrival in many { #expect(try store.transfer(arrival.record.id) == arrival) }
        #expect(store.totals().waiting == count)
        let reopened = try world.open()
        #expect(reopened.totals() == store.totals())
        for (index, arrival) in many.enumerated() {
            let line = HistoryEntry(
                number: Int64(index + 1), at: arrival.record.facts.createdAt, event: "submitted", detail: "",
                bytesDone: 0)
            #expect(try reopened.history(of: arrival.record.id) == [line])
        }
        try reopened.check()
    }

    @Test func sequencesContinueAfterDeletionsAndReopening() throws {
        let world = try StoreWorld()
        var first = arrivals(0..<32)
        do {
            let store = try world.open()
            try store.transaction { try store.insert(&first) }
            try store.transaction { for arrival in first.suffix(5) { try store.delete(arrival.record.id) } }
        }
        let store = try world.open()
        var second = arrivals(32..<64)
        try store.transaction { try store.insert(&second) }
        #expect(second.first?.record.sequence == 33)
    }

    @Test func keysAreKeptAmongMany() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var many = arrivals(0..<32)
        many[20].record.spec.options.key = "mine"
        try store.transaction { try store.insert(&many) }
        #expect(try store.record(key: "mine") == many[20].record)
        #expect(try store.page(ListQuery()).records == many.map(\.record))
    }

    @Test func aRollbackTakesAllOfThemBack() throws {
        let world = try StoreWorld()
        let store = try world.open()
        for room in 0..<4 {
            store.writesLeft = room
            var many = arrivals(0..<48)
            #expect(throws: TransferFailure.self) { try store.transaction { try store.insert(&many) } }
            store.writesLeft = nil
            try store.rollback()
            #expect(try store.page(ListQuery()).records.isEmpty && store.totals() == SessionTotals())
        }
        var many = arrivals(0..<48)
        try store.transaction { try store.insert(&many) }
        #expect(many.last?.record.sequence == 48)
        #expect(try store.history(of: many[47].record.id).map(\.number) == [48])
    }

    @Test func aKillBeforeTheCommitLeavesNone() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.begin()
        var many = arrivals(0..<32)
        try store.insert(&many)
        let before = try world.afterKill().open()
        #expect(try before.page(ListQuery()).records.isEmpty)
        try store.commit()
        let after = try world.afterKill().open()
        #expect(try after.page(ListQuery()).records == many.map(\.record))
        try after.check()
    }
}
