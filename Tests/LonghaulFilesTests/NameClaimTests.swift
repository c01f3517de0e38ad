import Glibc
import LonghaulCore
import LonghaulFiles
import TestSupport
import Testing

/// Names on file systems where only a plain rename or a copy works.
@Suite struct NameClaimTests {
    private static let content = Content(seed: 92, length: 700_000)
    private static let id = TransferID(high: 1, low: 92)
    /// The refusals determine the method.
    private static let ways = ["link=EPERM,rename=noreplace", "link=EPERM,rename=EXDEV", "link=EEXIST,rename=EEXIST"]

    private let world: FileWorld
    private let fileSystem: RefusingFileSystem

    init() throws {
        world = try FileWorld()
        fileSystem = try RefusingFileSystem(in: world.directory, "mount")
    }

    private func place(_ rules: String, _ collision: TransferSpec.Collision = .number) throws -> TransferFailure? {
        let directory = world.directory.path("mount/\(rules)")
        let plan = PlacePlan(
            id: Self.id, partialPath: directory + "/.x.part", directory: directory, fileName: "film.bin",
            collision: collision, length: Self.content.length, digests: [])
        guard case .placed(let result) = try world.run(.place(plan)) else { throw Unexpected() }
        switch result {
        case .success(let file):
            #expect(file.leavesPartialFile)
            _ = try world.run(.discard([plan.partialPath]))
            return nil
        case .failure(let failure): return failure
        }
    }

    /// A crash before the empty file, after it, in the middle of the copy, and after its end.
    @Test(arguments: ways, [nil, 0, 300_000, 700_000]) func aCrashLeavesOneFile(rules: String, copied: Int?) throws {
        _ = try fileSystem.makeDirectory(rules)
        try world.directory.write(Self.content, to: "mount/\(rules)/.x.part")
        let target = world.directory.path("mount/\(rules)/film.bin")
        try world.directory.write(target.utf8, to: "mount/\(rules)/.x.part.tmp")
        if let copied {
            try world.directory.write(Self.content.bytes(0..<Int64(copied)), to: "mount/\(rules)/film.bin")
        }
        #expect(try place(rules) == nil)
        #expect(world.directory.names("mount/\(rules)") == ["film.bin"])
        #expect(try world.directory.read("mount/\(rules)/film.bin") == Self.content.bytes())
    }

    /// Another program created the file after the crash.
    @Test(arguments: ways) func aClaimedNameThatAnotherFileHasIsLeftToIt(rules: String) throws {
        _ = try fileSystem.makeDirectory(rules)
        try world.directory.write(Self.content, to: "mount/\(rules)/.x.part")
        try world.directory.write(
            world.directory.path("mount/\(rules)/film.bin").utf8, to: "mount/\(rules)/.x.part.tmp")
        try world.directory.write([1, 2, 3], to: "mount/\(rules)/film.bin")
        #expect(try place(rules) == nil)
        #expect(world.directory.names("mount/\(rules)") == ["film (1).bin", "film.bin"])
        #expect(try world.directory.read("mount/\(rules)/film.bin") == [1, 2, 3])
    }

    /// The space runs out in the middle of the copy.
    @Test(arguments: ways.dropFirst(), [TransferSpec.Collision.number, .fail])
    func aFailureLeavesNothing(rules: String, collision: TransferSpec.Collision) throws {
        let narrow = rules + ",room=1000000"
        _ = try fileSystem.makeDirectory(narrow)
        try world.directory.write(Self.content, to: "mount/\(narrow)/.x.part")
        #expect(try place(narrow, collision)?.code == .diskFull)
        #expect(world.directory.names("mount/\(narrow)") == [".x.part"])
    }
}
