import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Small bodies whose files are unnamed before they are placed, and are identified by their mark afterwards.
@Suite(.tags(.directPath), .onEachTransport) struct PlacedMarkTests {
    static let content = Content(seed: 23, length: 150_000)
    static let id = TransferID(high: 1, low: 23)

    private func hold(_ world: World, _ content: Content = content, in directory: String) throws {
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: directory + "/file.part", resume: nil, digests: [], mayBeHeld: true))
        #expect(try world.exchange(plan).disposition == .held(length: content.length))
    }

    /// Holds the body and places it.
    private func place(
        _ world: World, _ content: Content = content, id: TransferID = id, collision: TransferSpec.Collision = .number,
        in directory: String? = nil, isOwn: Bool = false
    ) throws -> Result<PlacedFile, TransferFailure> {
        let directory = directory ?? world.directory.path
        try hold(world, content, in: directory)
        var plan = PlacePlan(
            id: id, partialPath: directory + "/file.part", directory: directory, fileName: "f.bin",
            collision: collision, length: content.length, digests: [])
        plan.isOwn = isOwn
        guard case .placed(let result) = try world.run(.place(plan)) else { throw Unexpected() }
        return result
    }

    private func mark(_ path: String) -> String? {
        attribute("user.longhaul.transfer", of: path)
    }

    private func world() throws -> World { try World(["/f": Route(.file(Self.content))]) }

    @Test func onlyFinalFileRemains() throws {
        let world = try world()
        let file = try place(world).get()
        #expect(file == PlacedFile(path: world.directory.path("f.bin"), leavesPartialFile: false))
        #expect(try world.directory.read("f.bin") == Self.content.bytes())
        #expect(world.directory.names() == ["f.bin"])
        #expect(mark(file.path) == Self.id.description)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_nlink == 1)
    }

    @Test(arguments: [TransferSpec.Collision.number, .fail, .overwrite])
    func placedFileIsRecognizedByMark(_ collision: TransferSpec.Collision) throws {
        let world = try world()
        let first = try place(world, collision: collision).get()
        #expect(try place(world, collision: collision).get() == first)
        #expect(world.directory.names() == ["f.bin"])
    }

    @Test func theSameFileOfAnotherTransferIsNotItsOwn() throws {
        let world = try world()
        _ = try place(world).get()
        let other = TransferID(high: 1, low: 24)
        #expect(try place(world, id: other).get().path == world.directory.path("f (1).bin"))
        guard case .failure(let failure) = try place(world, id: TransferID(high: 1, low: 25), collision: .fail) else {
            throw Unexpected()
        }
        #expect(failure.code == .destinationExists)
    }

    @Test func editedFileIsNotOverwritten() throws {
        let world = try world()
        let first = try place(world).get()
        var bytes = Self.content.bytes()
        bytes[140_000] ^= 1
        let file = open(first.path, O_WRONLY)
        #expect(pwrite(file, bytes, bytes.count, 0) == bytes.count)
        close(file)
        #expect(try place(world).get().path == world.directory.path("f (1).bin"))
        #expect(try world.directory.read("f.bin") == bytes)
    }

    @Test func thePartialFileOfAnAttemptBeforeIsKnown() throws {
        let world = try world()
        // A body that is not held is written to its partial file.
        _ = try world.exchange(world.download("/f"))
        #expect(world.directory.names() == ["file.part"])
        let file = try place(world, isOwn: true).get()
        #expect(file.leavesPartialFile)
        _ = try world.run(.discard([world.partial]))
        #expect(try place(world, id: TransferID(high: 1, low: 24), isOwn: true).get().leavesPartialFile == false)
        #expect(world.directory.names() == ["f (1).bin", "f.bin"])
    }

    @Test func overwritingPutsItInThePlaceOfAnother() throws {
        let world = try world()
        try world.directory.write([1], to: "f.bin")
        _ = try place(world, collision: .overwrite).get()
        #expect(try world.directory.read("f.bin") == Self.content.bytes())
        #expect(world.directory.names() == ["f.bin"])
    }

    /// The process died when the file had its first name, and had not replaced the other file yet.
    @Test func overwritingAfterACrashLeavesNothingBehind() throws {
        let world = try world()
        try world.directory.write([1], to: "f.bin")
        try world.directory.write(Self.content, to: "file.part.tmp")
        _ = try place(world, collision: .overwrite).get()
        #expect(try world.directory.read("f.bin") == Self.content.bytes())
        #expect(world.directory.names() == ["f.bin"])
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func partialFileReplacesUnsupportedMark() throws {
        let world = try world()
        let volume = try SmallVolume(.ramfs, in: world.directory, "plain", bytes: 0)
        let first = try place(world, in: volume.path).get()
        #expect(first == PlacedFile(path: volume.path + "/f.bin", leavesPartialFile: true))
        #expect(mark(first.path) == nil)
        #expect(try place(world, in: volume.path).get() == first)
    }
}
