import CSQLite
import Glibc
import LonghaulCore
import Testing

@testable import LonghaulStore

@Suite struct StoreDiskTests {
    @Test func aFullDiskIsNamedAndGotOver() throws {
        let world = try StoreWorld()
        let store = try world.open()
        let kept = try store.submit(0..<10)
        try store.limitPages(to: 20)
        let failure = #expect(throws: TransferFailure.self) { try store.submit(10..<1_000) }
        #expect(failure?.code == .diskFull)
        #expect(failure?.origin == .sqlite(13))
        try store.rollback()
        #expect(try store.page(ListQuery()).records == kept)
        #expect(store.totals().waiting == 10)
        try store.limitPages(to: 1_000_000)
        try store.submit(10..<1_000)
        #expect(store.totals().waiting == 1_000)
        try store.check()
    }

    /// An immutable file refuses writes with EPERM, which SQLite reports as a fault of the disk.
    @Test(arguments: [EPERM, EACCES, EROFS]) func refusedWriteIsNoFaultOfTheDisk(_ number: Int32) {
        let failure = storeFailure(SQLITE_IOERR | (3 << 8), systemError: number)
        #expect(
            failure.code == .storeFailed && failure.message.contains("Could not open the session's store for writing"))
        #expect(failure.message.contains(String(cString: strerror(number))))
        #expect(failure.message.contains("immutable attribute"))
    }

    @Test func sharedMemoryFileThatCannotGrowIsFullDisk() {
        #expect(storeFailure(SQLITE_IOERR | (19 << 8), systemError: 0).code == .diskFull)
        #expect(storeFailure(SQLITE_IOERR | (3 << 8), systemError: EIO).code == .storeFailed)
    }

    @Test func aMissingDirectoryIsNamed() throws {
        let failure = #expect(throws: TransferFailure.self) { try Store(path: "/nonexistent/store.sqlite") }
        #expect(failure?.code == .storeFailed)
        #expect(failure?.origin == .system(Int(ENOENT)))
    }

    @Test func onlyItsOwnerMayReadAStore() throws {
        let world = try StoreWorld()
        let store = try world.open()
        try store.submit(0..<1)
        #expect(world.names == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
        for name in world.names {
            var facts = stat()
            #expect(stat(world.directory + "/" + name, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600)
        }
    }
}
