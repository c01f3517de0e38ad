import Glibc
import LonghaulCore
import Testing

@testable import LonghaulStore

/// The first hundred bytes of a store decide whether SQLite reads it at all, and as what.
@Suite struct HeaderDamageTests {
    private func opened(_ world: StoreWorld) throws -> Int {
        do {
            return try world.use()
        } catch let failure as TransferFailure where failure.code == .storeDamaged {
            _ = try Store.salvage(path: world.path, because: failure, now: WallTime(seconds: 0))
            return try world.use()
        }
    }

    @Test func noFlippedBitOfTheHeaderEndsTheSession() throws {
        let sound = try StoreWorld()
        try sound.open().submit(0..<20)
        let bytes = try sound.bytes(sound.path)
        for place in 0..<100 {
            let world = try StoreWorld()
            var damaged = bytes
            damaged[place] ^= UInt8(1 << (place % 8))
            try world.write(damaged, to: world.path)
            let result = Result { try opened(world) }
            #expect(throws: Never.self, "byte \(place)") { try result.get() }
            #expect((try? result.get()) == 20, "byte \(place)")
        }
    }

    @Test(arguments: [0, 1, 3, -5, 99, Int64(Int32.min)])
    func aNumberThatDoesNotFitTheTablesIsDamage(_ version: Int64) throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.submit(0..<20)
        try store.connection.execute("pragma user_version = \(version)")
        let failure = #expect(throws: TransferFailure.self) { try world.open() }
        #expect(failure?.code == .storeDamaged)
        #expect(try opened(world) == 20)
    }

    @Test func storeOfNewerFormatIsRefused() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.connection.execute("create table later (a integer); pragma user_version = 99")
        let failure = #expect(throws: TransferFailure.self) { try world.open() }
        #expect(failure?.code == .storeFailed && failure?.message.contains("newer version of Longhaul") == true)
    }
}

extension StoreWorld {
    /// Reads everything and writes once more; returns the number of transfers.
    fileprivate func use() throws -> Int {
        let store = try open()
        let records = try store.page(ListQuery(limit: 1_000)).records
        for record in records { _ = try store.history(of: record.id) }
        try store.check()
        try store.submit(1_000..<1_001)
        return records.count
    }
}
