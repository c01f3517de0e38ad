import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulStore

/// Damage to a store's log: SQLite silently ignores all frames after an invalid one.
@Suite struct LogDamageTests {
    private static let frame = 24 + 4_096

    /// Returns a store with ten commits that are only in the log, as a kill leaves them.
    private func killed() throws -> StoreWorld {
        let world = try StoreWorld()
        let store = try world.open()
        for number in 0..<10 { try store.submit(number..<number + 1) }
        return try world.afterKill()
    }

    private func change(_ world: StoreWorld, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try world.bytes(world.path + "-wal")
        body(&bytes)
        try world.write(bytes, to: world.path + "-wal")
    }

    private func opened(_ world: StoreWorld) throws -> [TransferID] {
        do {
            return try world.open().ids(.all, ended: nil)
        } catch let failure as TransferFailure where failure.code == .storeDamaged {
            _ = try Store.salvage(path: world.path, because: failure, now: WallTime(seconds: 0))
            return try world.open().ids(.all, ended: nil)
        }
    }

    @Test func aWholeLogIsNoDamage() throws {
        #expect(try killed().open().ids(.all, ended: nil).count == 10)
    }

    @Test func commitsBehindAWrongFrameAreNotForgotten() throws {
        let world = try killed()
        let frames = (try world.bytes(world.path + "-wal").count - 32) / Self.frame
        for frame in stride(from: 0, to: frames - 12, by: 3) {
            let copy = try world.afterKill()
            try change(copy) { $0[32 + frame * Self.frame + 2_000] ^= 1 }
            #expect(try opened(copy).count >= 9, "frame \(frame) of \(frames)")
        }
    }

    @Test func aWrongHeaderHidesNothing() throws {
        for place in [0, 8, 12, 17, 20, 24, 31] {
            let world = try killed()
            try change(world) { $0[place] ^= 4 }
            #expect(try opened(world).count == 10, "byte \(place)")
        }
    }

    /// The rest of an unconfirmed commit after a power failure. The index does not name its frames yet.
    @Test func aTornEndIsNoDamage() throws {
        let world = try StoreWorld()
        let store = try world.open()
        for number in 0..<9 { try store.submit(number..<number + 1) }
        let index = try world.bytes(world.path + "-shm")
        try store.submit(9..<10)
        let torn = try world.afterKill()
        try torn.write(index, to: torn.path + "-shm")
        try expectTornEndIsNoDamage(torn)
    }

    private func expectTornEndIsNoDamage(_ world: StoreWorld) throws {
        for cut in [10, 2_000, 5_000] {
            let copy = try world.afterKill()
            try change(copy) { $0.removeLast(cut) }
            #expect(try copy.open().ids(.all, ended: nil).count == 9, "\(cut)")
        }
        try change(world) { bytes in bytes[bytes.count - 3 * Self.frame + 500] ^= 1 }
        #expect(try world.open().ids(.all, ended: nil).count == 9)
    }

    /// The index of the log names the number of its frames. Each cut loses commits, or is found.
    @Test func cutLogIsNoEmptyQueue() throws {
        let world = try StoreWorld()
        let store = try world.open()
        for number in 0..<50 { try store.submit(3 * number..<3 * number + 3) }
        let killed = try world.afterKill()
        let length = try world.bytes(world.path + "-wal").count
        var chance = SeededChance(seed: 53)
        for cut in [0, 31, 32, length - 1] + (0..<100).map({ _ in Int(chance.next() % UInt64(length)) }) {
            let copy = try killed.afterKill()
            try change(copy) { $0.removeSubrange(cut...) }
            try expectLossIsReported(copy, "cut at \(cut) of \(length)")
        }
        let copy = try killed.afterKill()
        unlink(copy.path + "-wal")
        try expectLossIsReported(copy, "removed")
    }

    private func expectLossIsReported(_ world: StoreWorld, _ what: String) throws {
        let failure = try #require(throws: TransferFailure.self, "\(what)") { _ = try world.open() }
        #expect(failure.code == .storeDamaged)
        let (place, report) = try Store.salvage(path: world.path, because: failure, now: WallTime(seconds: 0))
        #expect(report.losesNewest && report.saved < 150, "\(what)")
        #expect(Store.reportSentence(of: place)?.contains(report.total > 0 ? "newest changes" : "no transfer") == true)
        #expect(try world.open().ids(.all, ended: nil).count == report.saved)
    }

    /// A checkpoint copies the frames of a log, and leaves them there. SQLite would take the pages in a cut log for the newest.
    @Test(arguments: [false, true]) func cutLogHidesNoPageThatWasCopied(isCopiedWhole: Bool) throws {
        let world = try StoreWorld()
        let store = try world.open()
        let reader = try Store(readingAlong: world.path)
        for number in 0..<30 {
            if number == 20, !isCopiedWhole { try reader.connection.execute("begin; select count(*) from transfer") }
            try store.submit(number..<number + 1)
        }
        // A reader keeps a checkpoint from copying what it does not see.
        _ = try store.connection.number("pragma wal_checkpoint(passive)")
        let killed = try world.afterKill()
        try reader.rollback()
        let frames = (try world.bytes(world.path + "-wal").count - 32) / Self.frame
        for frame in stride(from: 0, to: frames, by: 5) {
            let copy = try killed.afterKill()
            try change(copy) { $0.removeSubrange((32 + frame * Self.frame)...) }
            let count = try opened(copy).count
            let report = try copy.names.first { $0.hasSuffix(".txt") }.map { name in
                String(decoding: try copy.bytes(copy.directory + "/" + name), as: UTF8.self)
            }
            let reportsLoss = ["newest changes", "no transfer could be read"].contains { report?.contains($0) == true }
            #expect(reportsLoss != isCopiedWhole && (count == 30) == isCopiedWhole, "cut after \(frame) of \(frames)")
        }
    }

    /// Copies are taken between all steps of the log: new, filled, copied to the store, and begun again.
    @Test func wholeLogIsNeverTakenForCutOne() throws {
        let world = try StoreWorld()
        let store = try world.open()
        for number in 0..<12 {
            try store.submit(number..<number + 1)
            if number % 4 == 2 { _ = try store.connection.number("pragma wal_checkpoint(passive)") }
            if number % 6 == 5 { try store.emptyLog() }
            #expect(try world.afterKill().open().ids(.all, ended: nil).count == number + 1)
        }
    }

    /// After a power failure, the file system may have an old index beside a new log.
    @Test func oldIndexProvesNothing() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.submit(0..<200)
        let old = try world.bytes(world.path + "-shm")
        try store.emptyLog()
        try store.submit(200..<201)
        let killed = try world.afterKill()
        try killed.write(old, to: killed.path + "-shm")
        #expect(try killed.open().ids(.all, ended: nil).count == 201)
    }

    @Test func newStoreHasItsTablesWithoutItsLog() throws {
        let world = try StoreWorld()
        let store = try world.open()
        #expect(try world.bytes(world.path).count > 4_096)
        withExtendedLifetime(store) {}
    }
}
