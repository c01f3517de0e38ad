import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreListTests {
    /// Thirty transfers: every third is in the group "films", every fifth has ended.
    private func submit(to store: Store) throws -> [TransferRecord] {
        try store.submit(0..<30) { record in
            let number = Int(record.facts.createdAt.seconds - 1_700_000_000)
            record.spec.options.group = number % 3 == 0 ? "films" : ""
            if number % 5 == 0 { record.state = .succeeded }
        }
    }

    @Test(arguments: [TransferSelection.all, .group("films"), .group(""), .group("none")], [true, false, nil])
    func pagesFollowOneAnotherToTheEnd(selection: TransferSelection, ended: Bool?) throws {
        let world = try StoreWorld()
        let store = try world.open()
        let expected = try submit(to: store).filter { record in
            let isMeant = if case .group(let group) = selection { record.spec.options.groupName == group } else { true }
            return isMeant && (ended == nil || record.state.isEnded == ended)
        }
        var query = ListQuery(selection: selection, ended: ended, limit: 4)
        var found: [TransferRecord] = []
        var hasMore = true
        while hasMore {
            let page = try store.page(query)
            #expect(page.records.count <= 4)
            found += page.records
            query.afterSequence = found.last?.sequence ?? 0
            hasMore = page.hasMore
        }
        #expect(found == expected)
        #expect(try store.ids(selection, ended: ended) == expected.map(\.id))
    }

    @Test func identifiersAreListedOnceInOrderOfSubmission() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try submit(to: store)
        let unknown = TransferID(high: 9, low: 9)
        let selection = TransferSelection.ids([records[6].id, unknown, records[5].id, records[2].id, records[6].id])
        #expect(try store.ids(selection, ended: nil) == [2, 5, 6].map { records[$0].id })
        #expect(try store.ids(selection, ended: true) == [records[5].id])
        let page = try store.page(ListQuery(selection: selection, afterSequence: 3, limit: 1))
        #expect(page.records == [records[5]])
        #expect(page.hasMore)
    }

    @Test func absurdLimitsAreHarmless() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.submit(0..<2)
        #expect(try store.page(ListQuery(limit: -1)).records.isEmpty)
        #expect(try store.page(ListQuery(limit: 0)).hasMore)
        #expect(try store.page(ListQuery(limit: .max)).records.count == 2)
        #expect(try store.page(ListQuery(afterSequence: .max)).records.isEmpty)
    }

    @Test func totalsFollowEveryState() throws {
        let world = try StoreWorld()
        let store = try world.open()
        var records = try store.submit(0..<7)
        let failure = TransferFailure(.notFound, "Not there.", origin: .status(404))
        let states: [TransferState] = [
            .running(.sending), .awaitingResponse, .paused, .succeeded, .failed(failure), .cancelled,
        ]
        for (index, state) in states.enumerated() { records[index].state = state }
        try store.transaction { for record in records { try store.update(record) } }
        var expected = SessionTotals()
        (expected.waiting, expected.running, expected.paused) = (1, 2, 1)
        (expected.succeeded, expected.failed, expected.cancelled) = (1, 1, 1)
        #expect(store.totals() == expected)
        #expect(try world.open().totals() == expected)
    }
}
