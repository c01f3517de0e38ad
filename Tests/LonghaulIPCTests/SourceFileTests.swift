import CLinux
import Glibc
import LonghaulClient
import LonghaulCore
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
        let descriptor = open(given.path("body"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return try StagedBody.stage(
            descriptor: descriptor, for: Self.session, environment: ["XDG_STATE_HOME": place.path])
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

    @Test(arguments: [
        ("absent", FailureCode.sourceMissing), ("folder", .sourceUnreadable), ("pipe", .sourceUnreadable),
    ])
    func whatIsNoFileIsRefused(_ name: String, _ code: FailureCode) throws {
        try place.makeDirectory("folder")
        mkfifo(place.path("pipe"), 0o600)
        let error = #expect(throws: TransferFailure.self) { try SourceFile.inspect(path: place.path(name)) }
        #expect(error?.code == code)
    }

    @Test func aBodyIsStagedWholeAndForItsOwnerAlone() throws {
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let source = try stage(bytes)
        #expect(source.isStaged)
        #expect(source.pin.size == 700_000)
        #expect(source.path.hasPrefix(place.path("longhaul/sessions/org.example.bodies/staged/")))
        #expect(try place.read(String(source.path.dropFirst(place.path.count + 1))) == bytes)
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
        defer { close(directory) }
        let error = #expect(throws: TransferFailure.self) {
            try StagedBody.stage(
                descriptor: directory, for: Self.session, environment: ["XDG_STATE_HOME": place.path])
        }
        #expect(error?.code == .sourceUnreadable)
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
        defer { close(reading) }
        let source = try StagedBody.stage(
            descriptor: reading, for: Self.session, environment: ["XDG_STATE_HOME": place.path])
        #expect(source.pin.size == 200_000)
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
