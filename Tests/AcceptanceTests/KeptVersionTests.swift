import LonghaulCore
import TestSupport
import Testing

/// Servers that change their file, or seem to, in the middle of a download.
@Suite(.onEachTransport) struct KeptVersionTests {
    private static let old = Content(seed: 431, length: 10 << 20)
    private static let new = Content(seed: 432, length: 10 << 20)
    private static let done: Int64 = 7 << 20

    /// A server's response to the request for the rest of a version that it does not have.
    enum Manners: String, CaseIterable {
        /// 412, as nginx and Apache do.
        case refusesConditions
        /// 200 with everything.
        case sendsAll

        func file(_ content: Content, _ tag: String) -> Reply {
            var ranges = RangeManners()
            ranges.honoursPreconditions = self == .refusesConditions
            return .file(content, etag: "\"\(tag)\"", ranges: ranges)
        }
    }

    private func download(
        _ server: NastyServer, in product: Product, _ options: [String] = []
    ) async throws -> ProgramCall.Result {
        try product.home.makeDirectory("work/d")
        return try await product.call(
            "longhaul", ["download", "--split", "1", "-d", "d", "-o", "f.bin", server.url("/f")] + options
        ).run()
    }

    /// The first byte of the last request's range.
    private func lastStart(_ server: NastyServer) -> Int64 {
        server.requests.last?.header("Range").flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0
    }

    @Test(arguments: Manners.allCases) func theOldVersionIsResumedWhenItIsBack(manners: Manners) async throws {
        let product = try Product()
        let (old, new) = (manners.file(Self.old, "old"), manners.file(Self.new, "new"))
        let server = try NastyServer(routes: [
            "/f": .decided { request, visit in
                if visit == 0 { return old.cut(after: Self.done) }
                // The server of the new version is reached until its first body has broken.
                let hasBroken = visit > (manners == .sendsAll ? 1 : 2)
                if hasBroken { return old }
                return request.header("Range") == nil || manners == .sendsAll ? new.cut(after: 2 << 20) : new
            }
        ])
        let result = try await download(server, in: product)
        #expect(result.ending == .exited(0), "\(result.errorOutput)\n\(server.summary)")
        #expect(try product.home.read("work/d/f.bin") == Self.old.bytes())
        #expect(try await product.home.settledNames("work/d") == ["f.bin"])
        let start = lastStart(server)
        #expect(start > Self.done - (1 << 20) && start < Self.done, "\(server.summary)")
    }

    @Test(arguments: Manners.allCases) func aCompleteNewVersionIsTheFile(manners: Manners) async throws {
        let product = try Product()
        let server = try NastyServer(routes: [
            "/f": .first(1, manners.file(Self.old, "old").cut(after: Self.done), then: manners.file(Self.new, "new"))
        ])
        let result = try await download(server, in: product)
        #expect(result.ending == .exited(0), "\(result.errorOutput)\n\(server.summary)")
        #expect(try product.home.read("work/d/f.bin") == Self.new.bytes())
        #expect(try await product.home.settledNames("work/d") == ["f.bin"])
    }

    /// The digest is that of the old version, and shows that the complete new one is not the file.
    @Test func theOldBytesServeTheExpectedDigest() async throws {
        let product = try Product()
        let (old, new) = (Manners.sendsAll.file(Self.old, "old"), Manners.sendsAll.file(Self.new, "new"))
        var whole = new
        whole.resource?.ranges.honoursRange = false
        let server = try NastyServer(routes: ["/f": .inTurn(old.cut(after: Self.done), whole, old)])
        let digest = try digest(of: Self.old, .sha256).hexText
        let result = try await download(server, in: product, ["--sha256", digest])
        #expect(result.ending == .exited(0), "\(result.errorOutput)\n\(server.summary)")
        #expect(try product.home.read("work/d/f.bin") == Self.old.bytes())
        #expect(try await product.home.settledNames("work/d") == ["f.bin"])
        #expect(lastStart(server) > Self.done - (1 << 20), "\(server.summary)")
    }

    @Test func showAndHistoryNameTheKeptVersion() async throws {
        let product = try Product()
        let latch = Latch()
        let server = try NastyServer(routes: [
            "/f": .first(
                1, Manners.sendsAll.file(Self.old, "old").cut(after: Self.done),
                then: Manners.sendsAll.file(Self.new, "new").stalled(after: 2 << 20, by: latch))
        ])
        let id = try await product.succeed("download", "--detach", "--split", "1", server.url("/f"))
        try await server.waitForRequests(2)
        try await product.wait(for: id, "bytes of the new version") {
            (1 << 20..<Self.done).contains(Int64($0["bytesDone"] ?? "") ?? 0)
        }
        #expect(Int64(try await product.facts(id)["bytesKept"] ?? "") ?? 0 > Self.done - (1 << 20))
        let text = try await product.succeed("show", id)
        #expect(text.contains("of an earlier version"), "\(text)")
        try await product.succeed("cancel", id)
        latch.open()
        #expect(try await product.workNames.isEmpty)
    }

    /// The disk has space for one and a half versions.
    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func aFullDiskCostsTheOldVersion() async throws {
        let product = try Product()
        let disk = try SmallVolume(.tmpfs, in: product.home, "work/disk", bytes: 14 << 20)
        let server = try NastyServer(routes: [
            "/f": .first(
                1, Manners.sendsAll.file(Self.old, "old").cut(after: Self.done),
                then: Manners.sendsAll.file(Self.new, "new"))
        ])
        try await product.succeed("download", "--split", "1", "-d", "disk", "-o", "f.bin", server.url("/f"))
        #expect(try product.home.read("work/disk/f.bin") == Self.new.bytes())
        #expect(try await product.home.settledNames("work/disk") == ["f.bin"])
        withExtendedLifetime(disk) {}
    }
}
