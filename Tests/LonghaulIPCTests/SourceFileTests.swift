import CPlatform
import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

@Suite struct SourceFileTests {
    private static let session = SessionID("org.example.bodies")!
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
    }

    private func stage(_ bytes: [UInt8]) throws -> SourceFile {
        let given = try TemporaryDirectory()
        try given.write(bytes, to: "body")
        return try stage(open(given.path("body"), O_RDONLY | O_CLOEXEC))
    }

    private func stage(_ descriptor: Int32) throws -> SourceFile {
        try stage(Descriptor(descriptor), "body")
    }

    private func stage(_ file: Descriptor, _ path: String) throws(TransferFailure) -> SourceFile {
        try StagedBody.stage(file, named: path, for: Self.session, environment: ["XDG_STATE_HOME": place.path])
    }

    private func content(of source: SourceFile) throws -> [UInt8] {
        try place.read(String(source.path.dropFirst(place.path.count + 1)))
    }

    @Test func aFileIsPinnedToWhatItIs() throws {
        try place.write([1, 2, 3], to: "body")
        let source = try SourceFile.inspect(path: place.path("body"))
        var status = stat()
        #expect(stat(source.path, &status) == 0)
        #expect(source.pin.size == 3)
        #expect(source.pin.inode == UInt64(status.st_ino))
        #expect(source.pin.modified / 1_000_000_000 == Int64(status.st_mtim.tv_sec))
        #expect(!source.isStaged)
    }

    /// Refused for each way to name a file: with and without a session into which it can be copied.
    @Test(arguments: [
        ("absent", FailureCode.sourceMissing), ("folder", .sourceUnreadable), ("device", .sourceUnreadable),
    ])
    func sourceWithoutBytesOrEndIsRefused(_ name: String, _ code: FailureCode) throws {
        try place.makeDirectory("folder")
        #expect(symlink("/dev/zero", place.path("device")) == 0)
        let error = #expect(throws: TransferFailure.self) { try SourceFile.inspect(path: place.path(name)) }
        #expect(error?.code == code)
        let other = #expect(throws: TransferFailure.self) {
            try SourceFile.inspect(path: place.path(name), copy: stage)
        }
        #expect(other == error)
    }

    @Test(arguments: ["pipe", "pseudo"]) func unknownSizeNeedsACopy(_ name: String) throws {
        mkfifo(place.path("pipe"), 0o600)
        #expect(symlink("/proc/version", place.path("pseudo")) == 0)
        let error = #expect(throws: TransferFailure.self) { try SourceFile.inspect(path: place.path(name)) }
        #expect(error?.code == .sourceUnreadable)
        #expect(error?.message.hasPrefix("The size of \(place.path(name)) is unknown") == true)
    }

    @Test(arguments: ["/proc/version", "/sys/class/net/lo/mtu"]) func pseudoFileIsCopiedWhole(_ path: String) throws {
        #expect(symlink(path, place.path("pseudo")) == 0)
        let source = try SourceFile.inspect(path: place.path("pseudo"), copy: stage)
        let content = try content(of: source)
        #expect(source.isStaged && source.pin.size == content.count && !content.isEmpty)
        // A read of procfs and sysfs gets up to a page.
        #expect(try content == place.read("pseudo"))
    }

    /// Of these, only the size is checked: an empty file, one with a hole at its end, and one that has blocks.
    @Test(arguments: [(0, 0), (0, 5), (0, 1 << 30), (3, 3), (3, 1 << 20)])
    func ordinaryFileIsNotCopied(_ written: Int, _ size: Int) throws {
        try place.write([UInt8](repeating: 1, count: written), to: "file")
        #expect(truncate(place.path("file"), off_t(size)) == 0)
        let source = try SourceFile.inspect(path: place.path("file"), copy: stage)
        #expect(!source.isStaged && source.pin.size == Int64(size))
    }

    @Test func growingFileIsPinned() throws {
        let file = open(place.path("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let ends = Monitor(false)
        startThread {
            while !ends.value { _ = write(file, "line\n", 5) }
            close(file)
        }
        for _ in 0..<20_000 {
            #expect(try !SourceFile.inspect(path: place.path("log"), copy: stage).isStaged)
        }
        ends.update { $0 = true }
    }

    /// Without a writer, read(2) returns 0 as at the end of a pipe.
    @Test func namedPipeWaitsForItsWriter() throws {
        let path = place.path("pipe")
        mkfifo(path, 0o600)
        let latch = Latch()
        startThread {
            blockBrokenPipeSignal()
            latch.pass()
            let writer = open(path, O_WRONLY | O_CLOEXEC)
            _ = write(writer, "later", 5)
            close(writer)
        }
        let source = try SourceFile.inspect(path: path) { file, path throws(TransferFailure) in
            latch.open()
            return try stage(file, path)
        }
        #expect(try content(of: source) == Array("later".utf8))
    }

    @Test func aBodyIsStagedWholeAndForItsOwnerAlone() throws {
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let source = try stage(bytes)
        #expect(source.isStaged)
        #expect(source.pin.size == 700_000)
        #expect(source.path.hasPrefix(place.path("longhaul/sessions/org.example.bodies/staged/")))
        #expect(try content(of: source) == bytes)
        var status = stat()
        #expect(stat(source.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func aStagedBodyIsLockedWhileThisProcessLives() throws {
        let source = try stage([1])
        let other = open(source.path, O_RDWR | O_CLOEXEC)
        defer { close(other) }
        #expect(longhaul_lock_exclusive(other) == -EAGAIN)
    }

    @Test func aBodyThatCannotBeReadLeavesNothingBehind() throws {
        let directory = open(place.path, O_RDONLY | O_DIRECTORY)
        let error = #expect(throws: TransferFailure.self) { try stage(directory) }
        #expect(error?.code == .sourceUnreadable && error?.message == "Could not read body: Is a directory.")
        #expect(place.names("longhaul/sessions/org.example.bodies/staged") == [])
    }

    @Test func aPipeIsReadToItsEnd() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        startThread {
            let bytes = [UInt8](repeating: 7, count: 200_000)
            var sent = 0
            while sent < bytes.count {
                sent += bytes.withUnsafeBytes { write(writing, $0.baseAddress! + sent, bytes.count - sent) }
            }
            close(writing)
        }
        #expect(try stage(reading).pin.size == 200_000)
    }

    /// A staged body in a file system that holds a megabyte.
    @Test(.enabled(if: getuid() == 0, "only root can mount a small file system"))
    func aFullDiskIsNamedAndLeavesNothingBehind() throws {
        let options = "size=1m"
        let mounted = options.withCString { mount("none", place.path, "tmpfs", 0, $0) }
        guard mounted == 0 else { try Test.cancel("a file system cannot be mounted here") }
        defer { umount2(place.path, 2) }
        let error = #expect(throws: TransferFailure.self) { try stage([UInt8](repeating: 1, count: 3 << 20)) }
        #expect(error?.code == .diskFull)
        #expect(place.names("longhaul/sessions/org.example.bodies/staged") == [])
    }
}
