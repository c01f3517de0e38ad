import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreQueueTests {
    private func entries(_ store: Store) throws -> [QueueEntry] {
        var entries: [QueueEntry] = []
        try store.queueEntries { entries.append($0) }
        return entries
    }

    @Test func queueEntryContainsSchedulingFields() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let until = WallTime(seconds: 1_800_000_000)
        let record = try store.submit(0..<1) { record in
            record.spec.options.group = "films"
            record.spec.options.priority = -3
            record.facts.deadline = record.facts.createdAt + .seconds(60)
            record.state = .waiting(Waiting(.retry, since: record.facts.createdAt, until: until))
        }[0]
        let entry = try #require(try entries(store).first)
        #expect(entry.id == record.id)
        #expect(entry.sequence == 1)
        #expect(entry.priority == -3)
        #expect(entry.host == "host0.example.org")
        #expect(entry.group == "films")
        #expect(entry.kind == .waiting(.retry))
        #expect(entry.until == until)
        #expect(entry.deadline == record.facts.createdAt + .seconds(60))
    }

    @Test func everyLiveStateIsQueuedAndNoEndedOne() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let now = WallTime(seconds: 1)
        let reasons = Waiting.Reason.allCases
        let phases = (0...3).compactMap(TransferState.Phase.init(wireNumber:))
        var states = reasons.map { TransferState.waiting(Waiting($0, since: now)) } + phases.map { .running($0) }
        states += [.awaitingResponse, .paused, .succeeded, .failed(TransferFailure(.offline, "")), .cancelled]
        var next = states.makeIterator()
        try store.submit(0..<states.count) { $0.state = next.next() ?? .paused }
        let kinds: [QueueEntry.Kind] = reasons.map { .waiting($0) } + phases.map { .running($0) }
        #expect(try entries(store).map(\.kind) == kinds + [.awaitingResponse, .paused])
        #expect(try entries(store).allSatisfy { $0.until == nil })
    }

    @Test func aFailureOfTheReaderEndsTheReading() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.submit(0..<3)
        let failure = TransferFailure(.interrupted, "Enough.")
        var seen = 0
        #expect(throws: failure) {
            try store.queueEntries { _ throws(TransferFailure) in
                seen += 1
                throw failure
            }
        }
        #expect(seen == 1)
        #expect(try entries(store).count == 3)
    }
}
