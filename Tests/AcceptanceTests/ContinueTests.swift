import LonghaulCore
import TestSupport
import Testing

/// `--continue`: incomplete files of other programs, on servers with usable validators and on others.
@Suite(.tags(.libcurl), .onEachTransport) struct ContinueTests {
    private static let old = WallTime(seconds: 1_700_000_000)
    private static let content = Content(seed: 91, length: 3_000_000)
    private static let held: Int64 = 2_000_000
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer

    init() throws {
        product = try Product()
        let file = Reply.file(Self.content, etag: "\"v1\"", lastModified: Self.old)
        var whole = RangeManners()
        whole.honoursRange = false
        server = try NastyServer(routes: [
            "/f": Route(file), "/undated": Route(.file(Self.content, etag: "\"v1\"")),
            "/whole": Route(.file(Self.content, lastModified: Self.old, ranges: whole)),
            "/slow": .inTurn(file.stalled(after: 500_000, by: latch), file),
        ])
    }

    /// Writes another program's incomplete download: the start of the file, perhaps with one wrong byte.
    @discardableResult
    private func writePartial(_ name: String, wrongAt: Int? = nil) throws -> [UInt8] {
        var bytes = Self.content.bytes(0..<Self.held)
        if let wrongAt { bytes[wrongAt] ^= 1 }
        try product.home.write(bytes, to: "work/" + name)
        return bytes
    }

    private func expectWhole(_ name: String, _ others: String...) async throws {
        #expect(try product.home.read("work/" + name) == Self.content.bytes())
        #expect(try await product.workNames == ([name] + others).sorted())
    }

    private var starts: [Int64?] { server.requests.map { $0.range?.first } }
    private let overlapStart = held - ContinuationRule.overlap(of: held)

    @Test func theRestIsFetchedWhereTheDatesProveIt() async throws {
        try writePartial("f")
        try await product.succeed("download", "-q", "-c", "f", server.url("/f"))
        try await expectWhole("f")
        #expect(starts == [overlapStart])
        // A browser's name for an incomplete download: the file stays.
        let left = try writePartial("f.crdownload")
        try await product.succeed("download", "-q", "-o", "g", "--continue=f.crdownload", server.url("/f"))
        #expect(try product.home.read("work/f.crdownload") == left)
        try await expectWhole("g", "f", "f.crdownload")
        #expect(starts == [overlapStart, overlapStart])
    }

    @Test(
        arguments: [
            ("f", 1_999_999, "its end differs from the file on the server"),
            ("undated", nil, "the server does not send Last-Modified"),
            ("whole", nil, "the server sends only whole files"),
        ] as [(String, Int?, String)])
    func unprovenFileIsLeftUnchanged(name: String, wrongAt: Int?, reason: String) async throws {
        let left = try writePartial(name, wrongAt: wrongAt)
        let result = try await product.longhaul("download", "-q", "-C", "-", server.url("/" + name))
        #expect(result.exitStatus == 3 && result.errorOutput.contains(reason), "\(result.errorOutput)")
        #expect(try product.home.read("work/" + name) == left)
        #expect(try await product.workNames == [name])
    }

    /// A digest of the whole file detects the wrong byte, wherever it is, and then the whole file is downloaded.
    @Test(arguments: [nil, 5]) func aDigestProvesIt(wrongAt: Int?) async throws {
        try writePartial("undated", wrongAt: wrongAt)
        let bytes = try #require(Base64.decode(Self.content.sha256Base64))
        let hex = Digest(algorithm: .sha256, bytes: bytes).hexText
        try await product.succeed("download", "-q", "-c", "--sha256", hex, server.url("/undated"))
        try await expectWhole("undated")
        #expect(starts == (wrongAt == nil ? [overlapStart] : [overlapStart, nil]))
    }

    @Test func fileWithHolesIsRejected() async throws {
        let left = try writePartial("f")
        try product.home.write([1], to: "work/f.aria2")
        let result = try await product.longhaul("download", "-q", "-c", server.url("/f"))
        #expect(result.exitStatus == 3 && result.errorOutput.contains("may have holes"), "\(result.errorOutput)")
        #expect(try product.home.read("work/f") == left && server.requests.isEmpty)
    }

    /// Service and command are killed while the rest arrives: the old file stays unchanged until the complete one replaces it.
    @Test func aKillOnTheWayLosesNothing() async throws {
        let left = try writePartial("slow")
        let id = try await product.succeed("download", "-q", "-b", "-c", "--split", "1", server.url("/slow"))
        try await product.wait(for: id, "bytes beyond the old file") { ($0.number("bytesDone") ?? 0) > Self.held }
        try await product.killEverything()
        #expect(try product.home.read("work/slow") == left)
        latch.open()
        try await product.succeed("watch", id)
        try await expectWhole("slow")
        #expect(starts.first == overlapStart && starts.allSatisfy { $0 ?? 0 >= overlapStart }, "\(starts)")
    }

    @Test func changedFileIsNotContinued() async throws {
        try writePartial("f")
        // It starts later, after the file was changed.
        let id = try await product.succeed("download", "-q", "-b", "-c", "--not-before", "+1h", server.url("/f"))
        try product.home.write(Self.content.bytes(0..<1_500_000), to: "work/f")
        try await product.succeed("retry", "-q", id)
        let result = try await product.longhaul("watch", id)
        #expect(result.exitStatus == 3 && result.errorOutput.contains("still be writing"), "\(result.errorOutput)")
        #expect(try product.home.read("work/f") == Self.content.bytes(0..<1_500_000) && server.requests.isEmpty)
    }

    /// An existing file with the checksum, or the length, is skipped; any other file is replaced.
    @Test func equalExistingFileIsSkipped() async throws {
        let bytes = try #require(Base64.decode(Self.content.sha256Base64))
        let sum = "sha-256=" + Digest(algorithm: .sha256, bytes: bytes).hexText
        let url = server.url("/f")
        for _ in 0..<2 {
            try await product.succeed("download", "-q", "--skip-existing", "checksum", "--checksum", sum, url)
        }
        #expect(server.requests.count == 1)
        let said = try await product.longhaul("download", "--skip-existing", "length", url)
        #expect(said.exitStatus == 0 && said.errorOutput.contains("unchanged"), "\(said.errorOutput)")
        try writePartial("f", wrongAt: 7)
        let path = try await product.succeed("download", "-q", "--skip-existing", "name", url)
        #expect(path == product.home.path("work/f") && server.requests.count == 2)
        try await product.succeed("download", "-q", "--skip-existing", "length", url)
        try await expectWhole("f")
        var wrong = Self.content.bytes()
        wrong[9] ^= 1
        try product.home.write(wrong, to: "work/f")
        try await product.succeed("download", "-q", "--skip-existing", "checksum", "--checksum", sum, url)
        try await expectWhole("f")
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [
        (["--skip-existing", "checksum"], "needs --checksum"),
        (["--skip-existing", "newer"], "checksum, length, or name"),
        (["--skip-existing", "name", "-N"], "Choose one of"), (["-nc"], "--skip-existing name"),
    ])
    func skipUsageErrorsAreExplained(options: [String], sentence: String) async throws {
        let result = try await product.call("longhaul", ["download"] + options + [server.url("/f")]).run()
        #expect(result.exitStatus == 2 && result.errorOutput.contains(sentence), "\(result.errorOutput)")
    }
}
