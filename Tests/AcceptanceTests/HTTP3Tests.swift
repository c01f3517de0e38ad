import LonghaulCore
import TestSupport
import Testing

/// `--http3` with a libcurl that supports it: a real HTTP/3 server forwards everything to the tests' own.
@Suite(.enabled(if: HTTP3Peer.missing == nil, "\(HTTP3Peer.missing ?? "")"), .overHTTP3)
struct HTTP3Tests {
    private let product: Product
    private let backend: NastyServer
    private let peer: HTTP3Peer
    private let tus = TusService(path: "/files/", keepingBytes: 0)

    init() throws {
        product = try Product()
        backend = try NastyServer(routes: ["/files/*": tus.route, "/put/*": Route(.status(201))], over: .http1)
        peer = try HTTP3Peer(before: backend.port)
    }

    private func begin(_ command: String, _ arguments: String...) async throws -> String {
        let call = product.call("longhaul", [command, "--detach", "--http3", "--cacert", product.caFile] + arguments)
        let result = try await call.run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        return String(result.output.prefix { $0 != "\n" })
    }

    /// Kills the service after a part of the file has arrived, and lets another service download the rest.
    private func killDownload(of path: String, stalledBy latch: Latch) async throws -> [UInt8] {
        let id = try await begin("download", "-o", "film.bin", peer.url(path))
        try await product.waitUntilResumable(id)
        try await product.killService()
        latch.open()
        try await product.succeed("watch", id)
        #expect(try await product.workNames == ["film.bin"])
        return try product.home.read("work/film.bin")
    }

    @Test func killedDownloadResumes() async throws {
        let latch = Latch()
        let content = Content(seed: 31, length: 6_000_000)
        let file = Reply.file(content, etag: "\"1\"")
        backend.setRoute("/film", .first(1, file.stalled(after: 3_000_000, by: latch), then: file))
        #expect(try await killDownload(of: "/film", stalledBy: latch) == content.bytes())
        try await peer.wait(forRequest: "GET 206")
        let last = try #require(backend.requests(to: "/film").last)
        #expect(last.range?.first ?? 0 > 0 && last.header("If-Range") == "\"1\"")
    }

    /// Even if the server sends a range of the new version for one of the old version.
    @Test(arguments: [true, false])
    func twoVersionsAreNeverJoined(heedsIfRange: Bool) async throws {
        let latch = Latch()
        let (old, new) = (Content(seed: 32, length: 6_000_000), Content(seed: 33, length: 6_000_000))
        var manners = RangeManners()
        manners.honoursIfRange = heedsIfRange
        let early = Reply.file(old, etag: "\"1\"").stalled(after: 3_000_000, by: latch)
        backend.setRoute("/film", .first(1, early, then: .file(new, etag: "\"2\"", ranges: manners)))
        #expect(try await killDownload(of: "/film", stalledBy: latch) == new.bytes())
        try await peer.wait(forRequest: "GET 200")
    }

    @Test func aDigestIsChecked() async throws {
        let content = Content(seed: 34, length: 5_000_000)
        backend.setRoute("/film", .file(content))
        try product.home.write(content, to: "work/source.bin")
        let right = try await sha256(file: product.home.path("work/source.bin"))
        let good = try await begin("download", "--sha256", right, "-o", "good.bin", peer.url("/film"))
        try await product.succeed("watch", good)
        #expect(try product.home.read("work/good.bin") == content.bytes())
        let wrong = String(right.reversed())
        let bad = try await begin("download", "--retry", "2", "--sha256", wrong, "-o", "bad.bin", peer.url("/film"))
        #expect(try await product.longhaul("watch", bad).ending != .exited(0))
        #expect(try await product.facts(bad).text.contains("digestMismatch"))
        #expect(!product.home.exists("work/bad.bin"))
        try await peer.wait(forRequest: "GET 200", count: 2)
    }

    @Test func manyFilesLeaveAtOnce() async throws {
        let contents = (1...8).map { Content(seed: 35, length: 300_000 * Int64($0)) }
        let names = (1...8).map { "f\($0)" }
        for (name, content) in zip(names, contents) { try product.home.write(content, to: "work/\(name)") }
        let call = product.call(
            "longhaul", ["upload", "-q", "--http3", "--cacert", product.caFile] + names + [peer.url("/put/")])
        let result = try await call.run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        // nginx 1.26 sometimes forgets one of several requests over QUIC, which is then sent again.
        let whole = backend.requests.filter(\.isBodyComplete)
        #expect(Set(whole.map(\.bodyChecksum)) == Set(contents.map(\.checksum)))
        try await peer.wait(forRequest: "PUT 201", count: 8)
    }

    @Test func anUploadThatIsKilledIsSentAgain() async throws {
        let latch = Latch()
        let content = Content(seed: 36, length: 6_000_000)
        try product.home.write(content, to: "work/film.bin")
        let slow = Reply.status(201).intake(.stall(after: 1_000_000, latch))
        backend.setRoute("/put/*", .first(1, slow, then: .status(201)))
        let id = try await begin("upload", "film.bin", peer.url("/put/film.bin"))
        try await latch.waitForArrivals()
        try await product.killService()
        try await product.succeed("watch", id)
        latch.open()
        let whole = backend.requests.filter(\.isBodyComplete)
        #expect(whole.map(\.bodyChecksum) == [content.checksum])
        try await peer.wait(forRequest: "PUT 201")
    }

    @Test func killedTusUploadResumes() async throws {
        let latch = Latch()
        let content = Content(seed: 37, length: 6_000_000)
        try product.home.write(content, to: "work/film.bin")
        tus.script("PATCH", .stall(after: 2_000_000, latch))
        let id = try await begin("upload", "--tus", "film.bin", peer.url("/files/"))
        try await latch.waitForArrivals()
        try await product.killService()
        try await product.succeed("watch", id)
        latch.open()
        #expect(tus.uploads.map(\.checksum) == [content.checksum])
        let last = try #require(backend.requests.last { $0.method == "PATCH" })
        #expect(last.header("Upload-Offset").flatMap(Int64.init) ?? 0 >= 2_000_000)
        try await peer.wait(forRequest: "PATCH 204")
    }

    @Test func theDoctorKnowsOfIt() async throws {
        let stopped = try await product.succeed("doctor")
        // Starts the service with its own HTTP/3 setting.
        _ = try await product.succeed("limits")
        let running = try await product.succeed("doctor")
        for told in [stopped, running] { #expect(told.contains("supports HTTP/3 (--http3")) }
    }
}
