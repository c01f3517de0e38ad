import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreHistoryTests {
    @Test func linesComeBackInOrderWithRisingNumbers() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<2)
        let now = WallTime(seconds: 5)
        try store.transaction {
            for record in records {
                try store.appendHistory(record.id, at: now, event: "submitted", detail: "", bytesDone: 0)
            }
            try store.appendHistory(records[0].id, at: now, event: "started", detail: "attempt 1", bytesDone: 9)
        }
        let expected = [
            HistoryEntry(number: 1, at: now, event: "submitted", detail: "", bytesDone: 0),
            HistoryEntry(number: 3, at: now, event: "started", detail: "attempt 1", bytesDone: 9),
        ]
        #expect(try store.history(of: records[0].id) == expected)
        #expect(try store.history(of: records[1].id).map(\.number) == [2])
    }

    @Test func historyNumbersContinueAfterReopening() throws {
        let world = try StoreWorld()
        let record = try world.open().submit(0..<1)[0]
        for expected in 1...3 as ClosedRange<Int64> {
            let store = try world.open()
            try store.transaction {
                try store.appendHistory(record.id, at: WallTime(seconds: 1), event: "started", detail: "", bytesDone: 0)
            }
            #expect(try store.history(of: record.id).last?.number == expected)
        }
    }

    @Test func onlyTheNewestLinesAreKept() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<4)
        try store.transaction {
            for number in 0..<4_000 {
                try store.appendHistory(
                    records[number % 4].id, at: WallTime(seconds: 1), event: "waiting", detail: "", bytesDone: 0)
            }
        }
        for (index, record) in records.enumerated() {
            let numbers = try store.history(of: record.id).map(\.number)
            #expect(numbers == (800..<1_000).map { Int64(4 * $0 + index + 1) })
        }
    }

    @Test func theHistoryOfABusyTransferDoesNotGrowTheFile() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let record = try store.submit(0..<1)[0]
        try store.limitPages(to: 40)
        try store.transaction {
            for second in 0..<20_000 {
                try store.appendHistory(
                    record.id, at: WallTime(seconds: Int64(second)), event: "waiting", detail: "retry", bytesDone: 0)
            }
        }
        #expect(try store.history(of: record.id).last?.number == 20_000)
    }

    @Test func aLineNeedsItsTransfer() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.begin()
        let refusal = #expect(throws: TransferFailure.self) {
            try store.appendHistory(
                TransferID(high: 1, low: 1), at: WallTime(seconds: 1), event: "started", detail: "", bytesDone: 0)
        }
        #expect(refusal?.code == .unknownTransfer)
        try store.commit()
    }
}
