import Glibc
import LonghaulCore
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

    /// The rest of an unconfirmed commit after a power failure.
    @Test func aTornEndIsNoDamage() throws {
        let world = try killed()
        for cut in [10, 2_000, 5_000] {
            let copy = try world.afterKill()
            try change(copy) { $0.removeLast(cut) }
            #expect(try copy.open().ids(.all, ended: nil).count == 9, "\(cut)")
        }
        try change(world) { bytes in bytes[bytes.count - 3 * Self.frame + 500] ^= 1 }
        #expect(try world.open().ids(.all, ended: nil).count == 9)
    }
}
