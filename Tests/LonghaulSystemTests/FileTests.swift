import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

@Suite struct FileTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    @Test func failedCallThrowsItsSystemError() throws {
        #expect(throws: SystemError.missing) { try Descriptor(opening: scratch.path("none"), .reading) }
        _ = try Descriptor(opening: scratch.path("file"), [.writing, .new])
        #expect(throws: SystemError.exists) { try Descriptor(opening: scratch.path("file"), [.writing, .new]) }
        #expect(throws: SystemError.notDirectory) { try FileStatus(of: scratch.path("file/none")) }
    }

    @Test(
        arguments: [
            (ENOSPC, .diskFull, "Free some space there."), (EDQUOT, .diskFull, "Free some space there."),
            (EROFS, .storeFailed, "Mount the file system for writing."),
            (EACCES, .storeFailed, "Make the directory writable."),
        ] as [(Int32, FailureCode, String)])
    func failureInTheQueuesDirectoryHasARemedy(number: Int32, code: FailureCode, remedy: String) {
        let failure = SystemError(number).failure("write", "/state/settings")
        #expect(failure.code == code && failure.message.hasSuffix(remedy))
        #expect(failure.message.hasPrefix("/state/settings: write failed: \(SystemError(number).text)."))
    }

    @Test func writtenFileIsReadUpToLimit() throws {
        let path = scratch.path("file")
        try Descriptor(opening: path, [.writing, .new]).write([UInt8](repeating: 7, count: 100_000))
        #expect(try Descriptor(opening: path, .reading).readAll(limit: 100_000).count == 100_000)
        #expect(throws: SystemError.fileTooLarge) { try Descriptor(opening: path, .reading).readAll(limit: 99_999) }
        #expect(try Descriptor(opening: path, .reading).bytes(at: 99_999, count: 1) == [7])
        #expect(try Descriptor(opening: path, .reading).bytes(at: 99_999, count: 2) == nil)
        #expect(try FileStatus(of: path).permissions == 0o600)
    }

    @Test func aFileThatWasReplacedIsAtItsNameNoMore() throws {
        let file = try Descriptor(opening: scratch.path("file"), [.writing, .new])
        #expect(file.isAt(scratch.path("file")))
        _ = try Descriptor(opening: scratch.path("other"), [.writing, .new])
        try Files.rename(scratch.path("other"), to: scratch.path("file"))
        #expect(!file.isAt(scratch.path("file")))
    }

    @Test func aLockIsForOneOpenFile() throws {
        let path = scratch.path("lock")
        let first = try Descriptor(opening: path, [.both, .making])
        let second = try Descriptor(opening: path, [.both, .making])
        #expect(try first.tryLock() && first.tryLock())
        #expect(try !second.tryLock() && second.isLockedElsewhere() && !first.isLockedElsewhere())
        first.unlock()
        #expect(try second.tryLock())
    }

    @Test func cloneHasContentOrIsRefused() throws {
        let (path, clone) = (scratch.path("file"), scratch.path("clone"))
        try Descriptor(opening: path, [.writing, .new]).write([1, 2, 3])
        let refused = try refusal { () throws(SystemError) in try Files.clone(path, to: clone) }
        // Only some file systems share blocks. A refused clone leaves no file.
        let content = try? Descriptor(opening: clone, .reading).readAll(limit: 9)
        #expect(content == (refused == nil ? [1, 2, 3] : nil))
        #expect(throws: SystemError.missing) { try Files.clone(scratch.path("none"), to: clone) }
    }

    @Test func bootIDIsStable() {
        #expect(Machine.bootID.count == 36 && Machine.bootID == Machine.bootID)
    }

    @Test func aDirectoryIsMadeWithItsParents() throws {
        try Directory.make(scratch.path("a/b/c"))
        try Directory.make(scratch.path("a/b/c"))
        #expect(Files.kind(scratch.path("a/b/c")) == .directory && Directory.names(in: scratch.path("a")) == ["b"])
    }

    @Test func aDirectoryBehindALinkThatLeadsNowhereCannotBeMade() throws {
        #expect(symlink("/nowhere/at/all", scratch.path("link")) == 0)
        #expect(throws: SystemError.missing) { try Directory.make(scratch.path("link/a")) }
        #expect(Files.isTaken(scratch.path("link")) && !Files.isThere(scratch.path("link")))
    }

    @Test func aSmallFileIsReplacedWhole() throws {
        let file = AtomicFile(scratch.path("settings"))
        #expect(try file.read() == nil)
        try file.write([1, 2])
        try file.write([3])
        #expect(try file.read() == [3] && Directory.names(in: scratch.path) == ["settings"])
    }

    @Test(arguments: [
        (SystemError.noSpace, FailureCode.diskFull, "Free some space there."),
        (.readOnlyFileSystem, .storeFailed, "Mount the file system for writing."),
        (.denied, .storeFailed, "Make the directory writable."),
    ])
    func failedWriteHasItsRemedy(error: SystemError, code: FailureCode, remedy: String) {
        let failure = error.failure("write", "/queue/settings")
        #expect(failure.code == code && failure.message.hasPrefix("/queue/settings: write failed: \(error.text)."))
        #expect(failure.message.contains(remedy))
    }

    @Test func directoryWatchReportsOnlyRequestedName() throws {
        let watch = try DirectoryWatch(scratch.path, for: [.appears, .vanishes])
        _ = try Descriptor(opening: scratch.path("one"), [.writing, .new])
        #expect(!watch.readEvents("two") && !watch.readEvents())
        _ = try Descriptor(opening: scratch.path("two"), [.writing, .new])
        #expect(watch.readEvents("two") && !watch.readEvents("two"))
        try Files.remove(scratch.path("one"))
        #expect(watch.readEvents())
    }
}
