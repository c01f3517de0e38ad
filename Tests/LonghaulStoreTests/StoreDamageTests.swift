import CSQLite
import Glibc
import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreDamageTests {
    /// A closed store in one file.
    private func closedStore() throws -> StoreWorld {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<200)
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

    @Test func settingAsideNothingSaysSo() throws {
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
