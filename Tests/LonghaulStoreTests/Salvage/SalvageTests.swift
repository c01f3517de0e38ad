import Glibc
import LonghaulCore
import Testing

@testable import LonghaulStore

/// Readable rows of a damaged store move to a new one, and the lost ones are listed.
@Suite struct SalvageTests {
    private static let now = WallTime(seconds: 1_738_367_999)

    /// Returns a closed store with 300 transfers, some with keys, and the other data of a session.
    private func closedStore() throws -> (world: StoreWorld, records: [TransferRecord]) {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submitTelling(0..<300)
        try store.transaction {
            try store.setLimits(SessionLimits(total: 7, perHost: 3))
            try store.setOwnerLossPolicy(.pause)
            try store.keepEvents()
            try store.addEvent(.transferFinished, transfer: records[5].id, wakes: true, at: Self.now)
        }
        return (world, records)
    }

    private func salvage(_ world: StoreWorld) throws -> SalvageReport {
        try Store.salvage(path: world.path, because: storeDamage("a test"), now: Self.now).report
    }

    @Test func aSoundStoreIsSavedAsItWas() throws {
        let (world, records) = try closedStore()
        let report = try salvage(world)
        #expect(report.saved == 300 && report.unsure.isEmpty && report.lost.isEmpty && report.settings.isEmpty)
        let store = try world.open()
        #expect(try store.page(ListQuery(limit: 1_000)).records == records)
        #expect(try store.record(key: "key-10")?.id == records[10].id)
        #expect(try store.limits() == SessionLimits(total: 7, perHost: 3))
        #expect(try store.ownerLossPolicy() == .pause)
        #expect(try store.keepsEvents())
        #expect(try store.events(after: 0, limit: 9).map(\.transfer) == [records[5].id])
        #expect(try store.newestWakingEvent()?.transfer == records[5].id)
        #expect(try store.history(of: records[299].id).map(\.event) == ["submitted", "started"])
        try store.check()
        #expect(try store.submit(300..<301).map(\.sequence) == [301], "no number is given twice")
    }

    /// For each page in turn, its rows are listed as lost, and no other row is affected.
    @Test func aLostPageCostsNoMoreThanItsRows() throws {
        let (sound, records) = try closedStore()
        let bytes = try sound.bytes(sound.path)
        var worst = 300
        for page in 0..<bytes.count / 4_096 {
            let world = try StoreWorld()
            var damaged = bytes
            for index in page * 4_096..<(page + 1) * 4_096 { damaged[index] = 0 }
            try world.write(damaged, to: world.path)
            let report = try salvage(world)
            let known = Set(try world.open().ids(.all, ended: nil) + report.lost.compactMap(\.id))
            #expect(known == Set(records.map(\.id)), "page \(page)")
            #expect(report.total == 300, "page \(page)")
            #expect(report.lost.allSatisfy { $0.name != nil }, "page \(page)")
            #expect(report.lost.count < 60, "page \(page)")
            worst = min(worst, report.saved)
            try world.open().check()
        }
        #expect(worst > 240)
    }

    @Test func specAloneIsEnoughForRetry() throws {
        let (world, records) = try closedStore()
        let store = try world.open()
        try store.connection.execute("update transfer set facts = x'ff' where sequence = 11")
        let report = try salvage(world)
        #expect(report.saved == 299 && report.unsure.map(\.key) == ["key-10"])
        let record = try #require(try world.open().record(key: "key-10"))
        #expect(record.spec == records[10].spec && record.sequence == 11)
        guard case .failed(let failure) = record.state else { return #expect(Bool(false), "\(record.state)") }
        #expect(failure.code == .storeDamaged)
    }

    @Test func unreadableTransferIsNamed() throws {
        let (world, records) = try closedStore()
        let store = try world.open()
        try store.connection.execute("update spec set spec = x'ff' where sequence = 11")
        let (place, report) = try Store.salvage(path: world.path, because: storeDamage("a test"), now: Self.now)
        #expect(report.lost.map(\.id) == [records[10].id] && report.lost.map(\.key) == ["key-10"])
        let text = String(decoding: try world.bytes(place + ".txt"), as: UTF8.self)
        #expect(text.contains("\n\(records[10].id), key \"key-10\""))
        #expect(Store.reportSentence(of: place) == report.sentence(place: place))
        #expect(!text.contains("0123456789abcdef"), "no secret of a request")
    }

    @Test func aSettingThatCannotBeReadIsNamedAndTheOthersStay() throws {
        let (world, _) = try closedStore()
        try world.open().connection.execute("update meta set value = x'ff' where name = 'limits'")
        let report = try salvage(world)
        #expect(report.settings == ["limits"] && report.saved == 300)
        #expect(try world.open().limits() == SessionLimits())
        #expect(try world.open().ownerLossPolicy() == .pause)
    }

    @Test func rememberedTransfersFillGap() throws {
        let (world, records) = try closedStore()
        try world.open().connection.execute("delete from transfer where sequence = 11")
        let known = StoredTransfer(record: records[10], host: "a")
        let report = try Store.salvage(
            path: world.path, because: storeDamage("a test"), remembered: [known], now: Self.now
        ).report
        #expect(report.saved == 300)
        #expect(try world.open().record(key: "key-10") == records[10])
    }

    /// A body of megabytes has separate pages.
    @Test func longBodiesAreSaved() throws {
        let world = try StoreWorld()
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let records = try world.open().submit(0..<3) { $0.spec.work = .request(body: body) }
        #expect(try salvage(world).saved == 3)
        #expect(try world.open().page(ListQuery()).records == records)
    }

    @Test(arguments: Store.SalvageStep.allCases)
    func aKillAtAnyStepLosesNothing(_ step: Store.SalvageStep) throws {
        let (world, records) = try closedStore()
        let store = try world.open()
        _ = try store.submit(300..<301)
        // With a log that is not merged into the file yet.
        let killed = try world.afterKill()
        try flip(64, of: killed)
        _ = try? Store.salvage(path: killed.path, because: storeDamage("a test"), now: Self.now) {
            done throws(TransferFailure) in
            if done == step { throw TransferFailure(.internalFault, "killed") }
        }
        do {
            #expect(try killed.open().ids(.all, ended: nil).count == 301)
        } catch let failure as TransferFailure {
            #expect(failure.code == .storeDamaged, "the old one is still to be salvaged")
            #expect(try salvage(killed).saved == 301)
        }
        #expect(try killed.open().ids(.all, ended: nil).prefix(300) == records.map(\.id)[...])
        #expect(killed.names.filter { $0.contains("salvaged") }.isEmpty, "no litter")
        #expect(killed.names.contains("store.sqlite.damaged-20250131T235959Z"))
    }

    private func flip(_ place: Int, of world: StoreWorld) throws {
        var bytes = try world.bytes(world.path)
        bytes[20] ^= UInt8(truncatingIfNeeded: place)
        try world.write(bytes, to: world.path)
    }
}

extension Store {
    /// Submits transfers with two lines of history each; every tenth has a key.
    func submitTelling(_ numbers: Range<Int>) throws -> [TransferRecord] {
        let records = try submit(numbers) { record in
            let number = Int(record.id.low & 0xFFFF)
            if number.isMultiple(of: 10) { record.spec.options.key = "key-\(number)" }
        }
        try transaction {
            for record in records {
                for event in ["submitted", "started"] {
                    try appendHistory(record.id, at: WallTime(seconds: 1), event: event, detail: "", bytesDone: 0)
                }
            }
        }
        return records
    }
}
