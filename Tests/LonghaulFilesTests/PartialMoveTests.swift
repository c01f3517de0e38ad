import Glibc
import LonghaulCore
import LonghaulSystem
import TestSupport
import Testing

@testable import LonghaulFiles

/// Moves of a partial file to its download's new directory.
@Suite struct PartialMoveTests {
    private static let content = Content(seed: 77, length: 3_000_000)

    /// Two directories, of one file system or of two.
    private struct Places {
        let world: FileWorld
        let new: TemporaryDirectory
        var old: String { world.partial }
        var path: String { new.path("file.part") }
        var move: PartialMove { PartialMove(from: [old], leftovers: [old + ".2"]) }

        init(areApart: Bool) throws {
            world = try FileWorld()
            new = try TemporaryDirectory(inMemory: areApart)
            let devices = try [world.directory.path, new.path].map { try FileStatus(of: $0).identity.device }
            try #require((devices[0] != devices[1]) == areApart, "/dev/shm must be a separate file system")
        }

        func work(_ move: PartialMove? = nil) -> FileWork {
            .measurePartial(path: path, directory: new.path, moving: move ?? self.move)
        }

        func measured(_ move: PartialMove? = nil) throws -> Result<Int64?, TransferFailure> {
            guard case .partialMeasured(let result) = try world.run(work(move)) else { throw Unexpected() }
            return result
        }
    }

    private func expectMoved(_ places: Places) throws {
        #expect(try places.measured().get() == Self.content.length)
        #expect(try places.new.read("file.part") == Self.content.bytes())
        #expect(places.new.names() == ["file.part"] && places.world.directory.names().isEmpty)
    }

    @Test(arguments: [false, true])
    func fileAndItsLeftoversLeaveTheOldDirectory(areApart: Bool) throws {
        let places = try Places(areApart: areApart)
        try places.world.directory.write(Self.content, to: "file.part")
        try places.world.directory.write([1], to: "file.part.2")
        let inode = try FileStatus(of: places.old).identity.inode
        try expectMoved(places)
        let moved = try FileStatus(of: places.path).identity.inode
        #expect(areApart || moved == inode)
    }

    @Test(arguments: [false, true])
    func movedFileIsMeasuredAgain(areApart: Bool) throws {
        let places = try Places(areApart: areApart)
        try places.new.write(Self.content, to: "file.part")
        try expectMoved(places)
    }

    /// As after a crash between the copy's name and the deletion; or the new one was left by an earlier move.
    @Test(arguments: [false, true], [true, false])
    func oldFilePrevailsWhileItExists(areApart: Bool, isComplete: Bool) throws {
        let places = try Places(areApart: areApart)
        try places.world.directory.write(Self.content, to: "file.part")
        if isComplete {
            try places.new.write(Self.content, to: "file.part")
        } else {
            try places.new.write([1, 2, 3], to: "file.part")
        }
        try expectMoved(places)
    }

    @Test func unfinishedCopyIsReplaced() throws {
        let places = try Places(areApart: true)
        try places.world.directory.write(Self.content, to: "file.part")
        try places.new.write([1, 2, 3], to: "file.part.copy")
        try expectMoved(places)
    }

    @Test func firstSourceHasTheBytes() throws {
        let places = try Places(areApart: false)
        try places.world.directory.write(Self.content, to: "file.part")
        try places.world.directory.write([1], to: "later")
        let missing = places.world.directory.path("missing/file.part")
        let move = PartialMove(from: [missing, places.old, places.world.directory.path("later")], leftovers: [])
        #expect(try places.measured(move).get() == Self.content.length)
        #expect(places.world.directory.names().isEmpty)
    }

    @Test func directoryOfTwoNamesKeepsTheFile() throws {
        let places = try Places(areApart: false)
        try places.new.write(Self.content, to: "file.part")
        let link = places.world.directory.path("link")
        #expect(symlink(places.new.path, link) == 0)
        let move = PartialMove(from: [link + "/file.part", places.path], leftovers: [])
        #expect(try places.measured(move).get() == Self.content.length)
        #expect(places.new.names() == ["file.part"])
    }

    @Test func holesAreNotCopied() throws {
        let places = try Places(areApart: true)
        let file = try Descriptor(opening: places.old, [.writing, .new])
        for offset: Int64 in [0, 50 << 20] {
            _ = try [UInt8](repeating: 7, count: 4_096).withUnsafeBytes { bytes throws(SystemError) in
                try file.write(bytes, at: offset)
            }
        }
        try file.truncate(to: 100 << 20)
        #expect(try places.measured().get() == 100 << 20)
        let new = try Descriptor(opening: places.path, [.reading])
        #expect(try new.status().allocated < 1 << 20)
        #expect(new.bytes(at: 50 << 20, count: 4_096) == [UInt8](repeating: 7, count: 4_096))
    }

    @Test func stoppedCopyLeavesTheOldFile() throws {
        let places = try Places(areApart: true)
        try places.world.directory.write(Self.content, to: "file.part")
        let relocation = PartialRelocation(
            move: places.move, path: places.path, directory: places.new.path, mountPoint: nil)
        var looks = 0
        let events = relocation.perform {
            looks += 1
            return looks > 1_000
        }
        guard case .partialMeasured(.failure(let failure))? = events.last else { throw Unexpected() }
        #expect(failure.code == .interrupted)
        #expect(places.new.names().isEmpty && places.world.directory.names() == ["file.part"])
        try expectMoved(places)
    }

    @Test func newDirectoryMustBeWritableFirst() throws {
        let places = try Places(areApart: false)
        try places.world.directory.write(Self.content, to: "file.part")
        let absent = places.new.path("absent")
        let work = FileWork.measurePartial(path: absent + "/file.part", directory: absent, moving: places.move)
        guard case .partialMeasured(.failure(let failure)) = try places.world.run(work) else { throw Unexpected() }
        #expect(failure.code == .destinationUnwritable)
        #expect(places.world.directory.names() == ["file.part"])
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func copyThatDoesNotFitLeavesTheOldFile() throws {
        let places = try Places(areApart: false)
        try places.world.directory.write(Self.content, to: "file.part")
        let volume = try SmallVolume(.tmpfs, in: places.new, "volume", bytes: 1 << 20)
        let work = FileWork.measurePartial(
            path: volume.path + "/file.part", directory: volume.path, moving: places.move)
        guard case .partialMeasured(.failure(let failure)) = try places.world.run(work) else { throw Unexpected() }
        #expect(failure.code == .diskFull)
        #expect(places.new.names("volume").isEmpty && places.world.directory.names() == ["file.part"])
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func fileOfReadOnlyDirectoryIsCopied() throws {
        let places = try Places(areApart: false)
        let volume = try SmallVolume(.tmpfs, in: places.new, "volume", bytes: 8 << 20)
        try places.new.write(Self.content, to: "volume/file.part")
        // A process that another test starts holds the file open for writing until it calls exec.
        while mount("none", volume.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) != 0 {
            try #require(errno == EBUSY)
            usleep(1_000)
        }
        #expect(try places.measured(PartialMove(from: [volume.path + "/file.part"], leftovers: [])).get() == 3_000_000)
        #expect(try places.new.read("file.part") == Self.content.bytes())
    }
}
