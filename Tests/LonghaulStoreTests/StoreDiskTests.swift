import CSQLite
import Glibc
import LonghaulCore
import TestSupport
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

    /// SQLite creates its log and its index while it opens a store.
    @Test(arguments: [ENOSPC, EDQUOT]) func fileThatCannotBeCreatedIsFullDisk(_ number: Int32) {
        #expect(storeFailure(SQLITE_CANTOPEN, systemError: number).code == .diskFull)
        #expect(storeFailure(SQLITE_CANTOPEN, systemError: ENOENT).code == .storeFailed)
    }

    /// SQLite opens an immutable file for reading only.
    @Test(.enabled(if: ImmutableFile.isSupported, "The file system or the user cannot make files immutable."))
    func storeIsWrittenAfterItWasImmutable() throws {
        let world = try StoreWorld()
        try world.open().submit(0..<1)
        let file = try ImmutableFile(world.path)
        let store = try world.open()
        for _ in 0..<2 {
            let failure = #expect(throws: TransferFailure.self) { try store.submit(1..<2) }
            #expect(failure?.code == .storeFailed)
            try store.rollback()
        }
        try file.restore()
        try store.submit(1..<2)
        #expect(try world.open().ids(.all, ended: nil).count == 2)
        #expect(try store.connection.number("pragma wal_autocheckpoint") == 4_000, "it has the settings of a store")
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

/// A file with the immutable attribute.
private final class ImmutableFile {
    private let path: String

    init(_ path: String) throws {
        self.path = path
        try Self.change("+i", path)
    }

    deinit { try? restore() }

    func restore() throws { try Self.change("-i", path) }

    static var isSupported: Bool {
        do {
            let world = try StoreWorld()
            try world.write([], to: world.path)
            try ImmutableFile(world.path).restore()
            return true
        } catch {
            return false
        }
    }

    private static func change(_ attribute: String, _ path: String) throws {
        guard try ProgramCall("/usr/bin/chattr", [attribute, path]).run().ending == .exited(0) else {
            throw Unexpected()
        }
    }
}
