import CSQLite
import Glibc
import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreDamageTests {
    /// A closed store in one file.
    private func closedStore(
        _ count: Int = 200, change: (inout TransferRecord) -> Void = { _ in }
    ) throws -> StoreWorld {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<count, change: change)
        try store.transaction {
            for record in records {
                try store.appendHistory(record.id, at: WallTime(seconds: 1), event: "started", detail: "", bytesDone: 0)
            }
        }
        return world
    }

    /// Uses everything; the failure that ends it, if one does.
    private func failure(of world: StoreWorld) -> TransferFailure? {
        do throws(TransferFailure) {
            let store = try Store(path: world.path)
            try store.queueEntries { _ in }
            for record in try store.page(ListQuery()).records { _ = try store.history(of: record.id) }
            _ = (try store.limits(), try store.pendingCleanup())
            try store.check()
            return nil
        } catch {
            return error
        }
    }

    @Test func aSoundStoreIsSound() throws {
        let world = try closedStore()
        #expect(world.names == ["store.sqlite"])
        #expect(failure(of: world) == nil)
    }

    @Test(arguments: [2, 99, 4_096, 5_000, 40_960, 90_000])
    func aTruncatedStoreIsDamaged(length: Int) throws {
        let world = try closedStore()
        try world.write(Array(try world.bytes(world.path).prefix(length)), to: world.path)
        #expect(failure(of: world)?.code == .storeDamaged)
    }

    @Test func emptiedStoreIsDamaged() throws {
        let world = try closedStore()
        try world.write([], to: world.path)
        let damage = try #require(failure(of: world))
        #expect(damage.code == .storeDamaged && damage.message.contains("it is empty"))
        let report = try Store.salvage(path: world.path, because: damage, now: WallTime(seconds: 1_738_367_999)).report
        #expect(report.sentence(place: "P").contains("no transfer could be read"))
        #expect(failure(of: world) == nil)
    }

    /// A valid database without tables is not new either.
    @Test func databaseWithoutTablesIsDamaged() throws {
        let world = try StoreWorld()
        var handle: OpaquePointer?
        #expect(sqlite3_open(world.path, &handle) == SQLITE_OK)
        #expect(sqlite3_exec(handle, "pragma journal_mode = wal", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
        #expect(failure(of: world)?.code == .storeDamaged)
    }

    /// Each root page is replaced by each other one of the same store. An opening must not take the rest for everything.
    @Test(arguments: [3, 200])
    func foreignRootPageNeverHidesTransfers(count: Int) throws {
        let sound = try closedStore(count) { record in
            record.spec.options.key = "key \(record.id)"
            record.spec.options.group = "films"
        }
        let bytes = try sound.bytes(sound.path)
        let world = try StoreWorld()
        // The roots of transfer, its filled indexes, and spec.
        for root in [2, 3, 5, 6, 7, 9] {
            for foreign in 2...17 where foreign != root {
                var damaged = bytes
                let page = bytes[(foreign - 1) * 4_096..<foreign * 4_096]
                damaged.replaceSubrange((root - 1) * 4_096..<root * 4_096, with: page)
                try world.write(damaged, to: world.path)
                let damage = openingFailure(of: world)
                #expect(damage?.code == .storeDamaged, "page \(foreign) over \(root)")
                for name in world.names { unlink(world.directory + "/" + name) }
            }
        }
    }

    @Test func foreignRootOfSettingsIsFoundAtOpening() throws {
        let world = try closedStore()
        var bytes = try world.bytes(world.path)
        bytes.replaceSubrange(10 * 4_096..<11 * 4_096, with: bytes[7 * 4_096..<8 * 4_096])
        try world.write(bytes, to: world.path)
        #expect(openingFailure(of: world)?.code == .storeDamaged)
    }

    /// Returns the failure of the opening and of what a session reads after it.
    private func openingFailure(of world: StoreWorld) -> TransferFailure? {
        do throws(TransferFailure) {
            let store = try Store(path: world.path)
            try store.queueEntries { _ in }
            for record in try store.page(ListQuery()).records { _ = try store.history(of: record.id) }
            return nil
        } catch {
            return error
        }
    }

    @Test func garbageIsNoStore() throws {
        let world = try closedStore()
        var bytes = try world.bytes(world.path)
        for index in 0..<100 { bytes[index] = UInt8(index) }
        try world.write(bytes, to: world.path)
        #expect(failure(of: world)?.code == .storeDamaged)
        #expect(failure(of: world)?.origin == .sqlite(26))
    }

    @Test func anyPageInTheMiddleMayBeFlippedWithoutACrash() throws {
        let sound = try closedStore()
        let bytes = try sound.bytes(sound.path)
        let world = try StoreWorld()
        for page in 1..<bytes.count / 4_096 {
            var damaged = bytes
            for index in page * 4_096..<(page + 1) * 4_096 { damaged[index] ^= 0xFF }
            try world.write(damaged, to: world.path)
            let failure = failure(of: world)
            #expect(failure?.code == .storeDamaged, "page \(page)")
            for name in world.names { unlink(world.directory + "/" + name) }
        }
    }

    @Test func flippedBitsNeverCrash() throws {
        let sound = try closedStore()
        let bytes = try sound.bytes(sound.path)
        let world = try StoreWorld()
        var random: UInt64 = 7
        for _ in 0..<300 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var damaged = bytes
            damaged[Int(random >> 33) % bytes.count] ^= UInt8(1 << (random >> 20 & 7))
            try world.write(damaged, to: world.path)
            if let failure = failure(of: world) {
                #expect(failure.code == .storeDamaged || failure.code == .storeFailed)
            }
            for name in world.names { unlink(world.directory + "/" + name) }
        }
    }

    @Test func anotherProgramsDatabaseIsRefused() throws {
        let world = try closedStore()
        var bytes = try world.bytes(world.path)
        bytes[68] ^= 1
        try world.write(bytes, to: world.path)
        #expect(failure(of: world)?.code == .storeDamaged)
    }

    @Test func aDamagedStoreIsSetAsideWithItsCompanions() throws {
        let world = try StoreWorld()
        let now = WallTime(seconds: 1_738_367_999)
        for round in 0..<2 {
            for suffix in ["", "-wal", "-shm"] { try world.write([UInt8(round)], to: world.path + suffix) }
            let target = world.path + ".damaged-20250131T235959Z" + (round == 0 ? "" : "-2")
            #expect(try Store.setAside(path: world.path, now: now) == target)
            #expect(try world.bytes(target + "-wal") == [UInt8(round)])
        }
        #expect(world.names.count == 6)
        #expect(try world.open().totals() == SessionTotals())
    }

    @Test func quarantineOfMissingStoreFails() throws {
        let world = try StoreWorld()
        let failure = #expect(throws: TransferFailure.self) {
            try Store.setAside(path: world.path, now: WallTime(seconds: 0))
        }
        #expect(failure?.origin == .system(Int(ENOENT)))
    }

    /// What changes a closed store by SQL, as damage of a number would.
    private func changed(_ sql: String) throws -> StoreWorld {
        let world = try closedStore()
        var handle: OpaquePointer?
        #expect(sqlite3_open(world.path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        return world
    }

    @Test(arguments: [
        "pragma user_version = -5", "pragma user_version = -2147483648", "pragma user_version = 0",
        "pragma user_version = 1", "pragma user_version = 3",
        "alter table event drop column detail", "alter table event drop column detail; pragma user_version = 1",
        "drop table task",
    ])
    func aFormatThatItsTablesContradictIsDamage(_ sql: String) throws {
        #expect(failure(of: try changed(sql))?.code == .storeDamaged)
    }

    @Test(arguments: [
        "update meta set value = 9223372036854775807 where name = 'historyNumber'",
        "update meta set value = -9223372036854775808 where name = 'historyNumber'",
        "update sqlite_sequence set seq = 9223372036854775807 where name = 'transfer'",
        "update transfer set sequence = 9223372036854775807 where sequence = 5",
        "insert into event (number, at, kind, wakes) values (9223372036854775807, 0, 0, 0)",
    ])
    func aRunningNumberAtTheEndOfItsRangeIsDamage(_ sql: String) throws {
        #expect(failure(of: try changed(sql))?.code == .storeDamaged)
    }

    @Test(arguments: ["until", "deadline"], [Int64.min, .max])
    func aTransferWithADateAtTheEndOfItsRangeIsQueued(column: String, number: Int64) throws {
        let world = try changed("update transfer set \(column) = \(number) where sequence in (5, 6)")
        #expect(failure(of: world) == nil)
    }

    @Test(arguments: [Int64.min, .max])
    func aPriorityThatNoTransferCanHaveIsDamage(_ number: Int64) throws {
        let world = try changed("update transfer set priority = \(number) where sequence in (5, 6)")
        #expect(failure(of: world)?.code == .storeDamaged)
    }
}
