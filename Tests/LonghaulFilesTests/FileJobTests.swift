import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Jobs on files that need no server.
@Suite struct FileJobTests {
    private func measured(_ world: FileWorld, _ name: String, in directory: String? = nil) throws -> Result<
        Int64?, TransferFailure
    > {
        let work = FileWork.measurePartial(
            path: world.directory.path(name), directory: directory ?? world.directory.path)
        guard case .partialMeasured(let result) = try world.run(work) else { throw Unexpected() }
        return result
    }

    private func code<Success>(_ result: Result<Success, TransferFailure>) -> FailureCode? {
        guard case .failure(let failure) = result else { return nil }
        return failure.code
    }

    @Test func aPartialFileHasItsLength() throws {
        let world = try FileWorld()
        try world.directory.write([1, 2, 3], to: "a.part")
        #expect(try measured(world, "a.part").get() == 3)
        #expect(try measured(world, "b.part").get() == nil)
    }

    @Test func aPlaceThatIsNoDirectoryCannotBeWritten() throws {
        let world = try FileWorld()
        try world.directory.write([1], to: "plain")
        for place in ["absent", "plain"] {
            let result = try measured(world, "x.part", in: world.directory.path(place))
            #expect(code(result) == .destinationUnwritable)
        }
    }

    @Test func whateverIsNotARegularFileIsNotTouched() throws {
        let world = try FileWorld()
        try world.directory.makeDirectory("a.part")
        #expect(symlink("/etc/hostname", world.directory.path("b.part")) == 0)
        #expect(code(try measured(world, "a.part")) == .destinationUnwritable)
        #expect(code(try measured(world, "b.part")) == .destinationUnwritable)
    }

    @Test func filesAreUntouchedUntilMounted() throws {
        let world = try FileWorld()
        for name in ["a.part", "b.part"] { try world.directory.write([1, 2, 3], to: name) }
        func measured(_ mountPoint: String) throws -> Result<Int64?, TransferFailure> {
            let work = FileWork.measurePartial(
                path: world.directory.path("a.part"), directory: world.directory.path,
                discarding: world.directory.path("b.part"), mountPoint: mountPoint)
            guard case .partialMeasured(let result) = try world.run(work) else { throw Unexpected() }
            return result
        }
        let result = try measured(world.directory.path)
        #expect(
            code(result) == .notMounted && "\(result)".contains("No file system is mounted at \(world.directory.path)"))
        #expect(world.directory.exists("b.part"))
        #expect(try measured("/").get() == 3 && !world.directory.exists("b.part"))
    }

    @Test func sourcesAreLookedAtInOrder() throws {
        let world = try FileWorld()
        try world.directory.write([1, 2, 3], to: "a")
        try world.directory.makeDirectory("d")
        let paths = ["a", "absent", "d"].map(world.directory.path)
        guard case .sourcesInspected(let answers) = try world.run(.inspectSources(paths)) else { throw Unexpected() }
        #expect(try answers[0].get().size == 3)
        #expect(code(answers[1]) == .sourceMissing && code(answers[2]) == .sourceUnreadable)
    }

    @Test func sourceOfUnmountedDriveIsNotMissing() throws {
        let world = try FileWorld()
        try world.directory.write([1, 2, 3], to: "a")
        let paths = ["absent", "drive/absent", "a"].map(world.directory.path)
        let drive = world.directory.path("drive")
        let work = FileWork.inspectSources(paths, mountPoints: [paths[0]: "/", paths[1]: drive, paths[2]: drive])
        guard case .sourcesInspected(let answers) = try world.run(work) else { throw Unexpected() }
        #expect(code(answers[0]) == .sourceMissing && code(answers[1]) == .notMounted)
        #expect("\(answers[1])".contains("No file system is mounted at \(drive)"))
        #expect(try answers[2].get().size == 3)
    }

    @Test func discardingIsHarmlessWhenDoneTwice() throws {
        let world = try FileWorld()
        try world.directory.write([1], to: "a")
        for _ in 0..<2 {
            #expect(try world.run(.discard([world.directory.path("a")])) == .discarded(nil))
        }
        #expect(!world.directory.exists("a"))
    }

    /// Checks the pieces of a file, and copies the valid part of an existing file.
    @Test func wrongPiecesAreFound() throws {
        let world = try FileWorld()
        // Eight pieces of one length and a shorter one.
        let parts = (0..<9).map { Content(seed: 340 + UInt64($0), length: $0 < 8 ? 300_000 : 100_000) }
        var bytes = parts.flatMap { $0.bytes() }
        let digests = try parts.flatMap { try #require(Base64.decode($0.sha256Base64)) }
        let total = Int64(bytes.count)
        let pieces = PieceDigests(algorithm: .sha256, length: 300_000, digests: digests)
        func look(_ source: String?) throws -> PieceReport {
            let check = PieceCheck(
                pieces: pieces, total: total, path: world.partial,
                source: source.map(world.directory.path))
            guard case .piecesChecked(let result) = try world.run(.checkPieces(check)) else { throw Unexpected() }
            return try result.get()
        }
        try world.directory.write(bytes, to: "whole")
        #expect(try look("whole") == PieceReport(good: SegmentMap([0..<total]), isSourceWhole: true))
        #expect(try look("missing") == PieceReport(good: SegmentMap()))
        bytes[700_000] ^= 1
        try world.directory.write(bytes, to: "damaged")
        let good = SegmentMap([0..<600_000, 900_000..<total])
        #expect(try look("damaged") == PieceReport(good: good))
        #expect(try world.contentOfPartial() == bytes)
        #expect(try look(nil) == PieceReport(good: good))
        try world.directory.write(Array(bytes.prefix(1_000_000)), to: "short")
        #expect(try look("short") == PieceReport(good: SegmentMap([0..<600_000])))
    }
}
