import Glibc
import LonghaulCore
import LonghaulFiles
import TestSupport
import Testing

/// Complete files that get their names.
@Suite struct PlacementTests {
    static let content = Content(seed: 91, length: 400_000)
    static let id = TransferID(high: 1, low: 91)

    private func plan(
        _ world: FileWorld, _ name: String = "film.bin", collision: TransferSpec.Collision = .number,
        length: Int64? = nil,
        digests: [Digest] = [], partial: String = "file.part"
    ) -> FileWork {
        .place(
            PlacePlan(
                id: Self.id, partialPath: world.directory.path(partial), directory: world.directory.path,
                fileName: name,
                collision: collision, length: length, digests: digests))
    }

    private func placed(_ event: EngineEvent) throws -> Result<String, TransferFailure> {
        guard case .placed(let result) = event else { throw Unexpected() }
        return result.map(\.path)
    }

    private func code(_ event: EngineEvent) throws -> FailureCode? {
        guard case .failure(let failure) = try placed(event) else { return nil }
        return failure.code
    }

    private func worldWithPartial() throws -> FileWorld {
        let world = try FileWorld()
        try world.directory.write(Self.content, to: "file.part")
        return world
    }

    @Test func aFileGetsItsNameAndKeepsThePartialOne() throws {
        let world = try worldWithPartial()
        let result = try placed(world.run(plan(world, length: Self.content.length)))
        #expect(result == .success(world.directory.path("film.bin")))
        #expect(try world.directory.read("film.bin") == Self.content.bytes())
        #expect(world.directory.exists("file.part"))
    }

    @Test func doneTwiceItFindsTheFirst() throws {
        let world = try worldWithPartial()
        try world.directory.write([1], to: "film.bin")
        let first = try placed(world.run(plan(world)))
        let second = try placed(world.run(plan(world)))
        #expect(first == .success(world.directory.path("film (1).bin")) && second == first)
        _ = try world.run(.discard([world.directory.path("film.bin")]))
        #expect(try placed(world.run(plan(world))) == first)
        #expect(world.directory.names() == ["file.part", "film (1).bin"])
    }

    @Test func takenNamesAreNeverReplaced() throws {
        let world = try worldWithPartial()
        for name in ["film.bin", "film (1).bin", "film (2).bin"] { try world.directory.write([1], to: name) }
        #expect(try placed(world.run(plan(world))) == .success(world.directory.path("film (3).bin")))
        #expect(try world.directory.read("film (1).bin") == [1])
    }

    @Test func aTakenNameCanBeAFailure() throws {
        let world = try worldWithPartial()
        try world.directory.write([1], to: "film.bin")
        #expect(try code(world.run(plan(world, collision: .fail))) == .destinationExists)
        #expect(try world.directory.read("film.bin") == [1])
    }

    @Test func failingOnCollisionIsNoFailureWhenTheNameIsOurs() throws {
        let world = try worldWithPartial()
        let first = try placed(world.run(plan(world, collision: .fail)))
        #expect(try placed(world.run(plan(world, collision: .fail))) == first)
    }

    /// A default list replaces the umask. A list without a mask limits the group itself.
    @Test(
        .enabled(if: supportsAccessLists, "needs a file system with access control lists"),
        arguments: [7, 6, 4, nil] as [UInt8?], [nil, 0o077])
    func fileInheritsTheListOfItsDirectory(mask: UInt8?, umask: Int?) throws {
        let world = try worldWithPartial()
        try #require(setDefaultList(of: world.directory.path, owner: 7, group: 5, mask: mask, others: 1))
        try world.directory.write(Self.content, to: "new.part")
        #expect(chmod(world.directory.path("new.part"), 0o600) == 0)
        let expected = world.directory.path("expected")
        close(open(expected, O_CREAT | O_WRONLY, 0o666))
        guard case .place(var place) = plan(world, partial: "new.part") else { throw Unexpected() }
        place.creationMask = umask
        let path = try placed(world.run(.place(place))).get()
        var (found, wanted) = (stat(), stat())
        #expect(stat(path, &found) == 0 && stat(expected, &wanted) == 0 && found.st_mode == wanted.st_mode)
        #expect(accessList(of: path) == accessList(of: expected))
    }

    @Test func overwritingReplacesOnceAndLeavesNothingBehind() throws {
        let world = try worldWithPartial()
        try world.directory.write([1], to: "film.bin")
        for _ in 0..<2 {
            let result = try placed(world.run(plan(world, collision: .overwrite)))
            #expect(result == .success(world.directory.path("film.bin")))
            #expect(try world.directory.read("film.bin") == Self.content.bytes())
        }
        #expect(world.directory.names() == ["file.part", "film.bin"])
    }

    @Test func aDirectoryIsNotOverwritten() throws {
        let world = try worldWithPartial()
        try world.directory.makeDirectory("film.bin")
        #expect(try code(world.run(plan(world, collision: .overwrite))) == .destinationExists)
    }

    @Test func aPipeIsNotOverwritten() throws {
        let world = try worldWithPartial()
        #expect(mkfifo(world.directory.path("film.bin"), 0o600) == 0)
        #expect(try code(world.run(plan(world, collision: .overwrite))) == .destinationExists)
        var status = stat()
        #expect(lstat(world.directory.path("film.bin"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func aWrongLengthIsNotPlaced() throws {
        let world = try worldWithPartial()
        #expect(try code(world.run(plan(world, length: 5))) == .lengthMismatch)
        #expect(!world.directory.exists("film.bin"))
    }

    @Test(arguments: [Digest.Algorithm.sha256, .md5])
    func digestsAreReadFromTheFile(algorithm: Digest.Algorithm) throws {
        let world = try worldWithPartial()
        let right = try digest(of: Self.content, algorithm)
        var wrong = right
        wrong.bytes[0] ^= 1
        #expect(try code(world.run(plan(world, digests: [wrong]))) == .digestMismatch)
        #expect(!world.directory.exists("film.bin"))
        #expect(try code(world.run(plan(world, digests: [right]))) == nil)
    }

    @Test func manyAtOnceAllGetTheirNames() throws {
        let world = try FileWorld()
        let tickets = try (0..<150).map { number in
            try world.directory.write([UInt8(number)], to: "\(number).part")
            return world.start(plan(world, "same.bin", length: 1, partial: "\(number).part"))
        }
        let names = try tickets.map { try placed(world.ending(of: $0)).get() }
        #expect(Set(names).count == 150)
        for (number, name) in names.enumerated() {
            let base = String(name.dropFirst(world.directory.path.count + 1))
            #expect(try world.directory.read(base) == [UInt8(number)])
        }
    }

    @Test func aMissingPartialFileIsAFailure() throws {
        let world = try FileWorld()
        #expect(try code(world.run(plan(world))) == .fileFailed)
    }

    @Test func aCancelledCheckEndsBeforeTheFile() throws {
        let world = try FileWorld()
        try world.directory.write([], to: "file.part")
        // Sparse: it takes no space, and minutes to digest.
        #expect(truncate(world.partial, 1 << 40) == 0)
        let ticket = world.start(plan(world, digests: [try digest(of: Self.content, .md5)]))
        world.files.interrupt(ticket)
        #expect(try code(world.ending(of: ticket)) == .interrupted)
        #expect(!world.directory.exists("film.bin"))
    }
}
