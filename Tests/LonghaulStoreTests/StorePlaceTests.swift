import Glibc
import LonghaulCore
import Testing

@testable import LonghaulStore

/// The store's file is removed, replaced, or made unwritable while it is in use.
@Suite struct StorePlaceTests {
    private func unlinkAll(_ world: StoreWorld) {
        for name in world.names { unlink(world.directory + "/" + name) }
    }

    @Test func aStoreThatVanishedIsNoticedAtTheNextCommit() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.submit(0..<3)
        #expect(store.isInPlace)
        unlinkAll(world)
        #expect(!store.isInPlace)
        let failure = #expect(throws: TransferFailure.self) { try store.submit(3..<4) }
        #expect(failure?.code == .storeFailed && failure?.message.contains("removed or replaced") == true)
    }

    @Test func committedRecordsAreRewrittenToNewFile() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<300)
        unlinkAll(world)
        try store.writeAnew(now: WallTime(seconds: 0))
        let next = try world.open()
        #expect(try next.page(ListQuery(limit: 1_000)).records == records)
        try next.check()
        var status = stat()
        #expect(stat(world.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try next.submit(300..<301).map(\.sequence) == [301])
    }

    @Test func anotherFileInItsPlaceIsSetAside() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let records = try store.submit(0..<3)
        unlink(world.path)
        try world.write(Array("another".utf8), to: world.path)
        #expect(!store.isInPlace)
        try store.writeAnew(now: WallTime(seconds: 0))
        #expect(try world.open().ids(.all, ended: nil) == records.map(\.id))
        #expect(try world.bytes(world.path + ".damaged-19700101T000000Z") == Array("another".utf8))
    }

    /// SQLite gives the companion files the store's mode at that time.
    @Test func filesThatCannotBeWrittenGetTheirModeBack() throws {
        let world = try StoreWorld()
        try world.open().submit(0..<1)
        try world.write([], to: world.path + "-shm")
        for name in world.names { chmod(world.directory + "/" + name, 0o400) }
        let store = try world.open()
        try store.submit(1..<2)
        for name in world.names {
            var status = stat()
            #expect(stat(world.directory + "/" + name, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }
}
