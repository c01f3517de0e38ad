import CSQLite
import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreEventTests {
    private let world: StoreWorld
    private let time = WallTime(seconds: 5)

    init() throws {
        world = try StoreWorld()
    }

    @Test func eventsAreKeptInOrderUntilTheyAreAcknowledged() throws {
        let first = TransferID(high: 1, low: 1)
        do {
            let store = try world.open()
            try store.transaction {
                try store.addEvent(.transferFinished, transfer: first, wakes: false, at: time)
                try store.addEvent(.allTransfersFinished, transfer: nil, wakes: true, at: time)
            }
        }
        let store = try world.open()
        #expect(
            try store.events(after: 0, limit: 9) == [
                EventRecord(number: 1, at: time, kind: .transferFinished, transfer: first),
                EventRecord(number: 2, at: time, kind: .allTransfersFinished),
            ])
        #expect(try store.events(after: 1, limit: 9).map(\.number) == [2])
        #expect(try store.events(after: 0, limit: 1).map(\.number) == [1])
        #expect(try store.newestWakingEvent()?.number == 2)
        try store.transaction { try store.acknowledgeEvents(through: 1) }
        #expect(try store.eventCount() == 1)
        try store.transaction { try store.acknowledgeEvents(through: 2) }
        #expect(try store.newestWakingEvent() == nil)
        #expect(try !store.hasEvent(.allTransfersFinished))
    }

    @Test func numbersAreNotUsedAgain() throws {
        let store = try world.open()
        try store.transaction {
            try store.addEvent(.allTransfersFinished, transfer: nil, wakes: true, at: time)
            try store.acknowledgeEvents(through: 1)
        }
        try store.transaction {
            let number = try store.addEvent(.allTransfersFinished, transfer: nil, wakes: true, at: time)
            #expect(number == 2)
        }
    }

    @Test func theLatestOfAKindReplacesTheOneBefore() throws {
        let (one, other) = (TransferID(high: 1, low: 1), TransferID(high: 2, low: 2))
        let store = try world.open()
        try store.transaction {
            for id in [one, other, one] { try store.addEvent(.transferFinished, transfer: id, wakes: false, at: time) }
            for _ in 1...2 { try store.addEvent(.allTransfersFinished, transfer: nil, wakes: true, at: time) }
            try store.addEvent(.needsCredentials, transfer: one, wakes: true, at: time)
        }
        #expect(try store.events(after: 0, limit: 9).map(\.number) == [2, 3, 5, 6])
        try store.transaction { try store.withdrawEvents(.needsCredentials, of: one) }
        #expect(try store.events(after: 0, limit: 9).map(\.number) == [2, 3, 5])
        try store.transaction { try store.withdrawEvents(of: one) }
        #expect(try store.events(after: 0, limit: 9).map(\.number) == [2, 5])
        try store.transaction { try store.withdrawEvents(.allTransfersFinished, of: nil) }
        #expect(try store.events(after: 0, limit: 9).map(\.transfer) == [other])
    }

    @Test func theWayToStartTheAppIsKept() throws {
        let registration = WakeRegistration(.command(["/bin/true", "{session}"]), sessionSendsLaunchEvents: false)
        var record = WakeRecord()
        record.unanswered = 3
        record.outcome = .missing
        do {
            let store = try world.open()
            #expect(try store.wakeRegistration() == nil)
            #expect(try store.wakeRecord() == WakeRecord())
            #expect(try !store.keepsEvents())
            try store.transaction {
                try store.setWakeRegistration(registration)
                try store.setWakeRecord(record)
                try store.keepEvents()
            }
        }
        let store = try world.open()
        #expect(try store.wakeRegistration() == registration)
        #expect(try store.wakeRecord() == record)
        #expect(try store.keepsEvents())
        try store.transaction { try store.setWakeRegistration(nil) }
        #expect(try store.wakeRegistration() == nil)
    }

    /// A store of the first format is one without the tables of events and tasks, and without standings.
    @Test func aStoreOfTheFirstFormatIsBroughtUpToDateAndKeepsItsTransfers() throws {
        let records = try world.open().submit(0..<3)
        var handle: OpaquePointer?
        #expect(sqlite3_open(world.path, &handle) == SQLITE_OK)
        let first =
            "drop table event; drop table task; alter table transfer drop column standing; pragma user_version = 1"
        #expect(sqlite3_exec(handle, first, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
        let store = try world.open()
        #expect(try store.record(records[2].id) == records[2])
        #expect(try store.eventCount() == 0)
        try store.transaction { try store.addEvent(.allTransfersFinished, transfer: nil, wakes: true, at: time) }
        #expect(try store.newestEventNumber() == 1)
    }
}
