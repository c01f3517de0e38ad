import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Options that affect a finished file.
@Suite(.onEachTransport) struct DownloadOptionTests {
    private static let changed = WallTime(seconds: 1_700_000_000)
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 6, length: 3_000_000)

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/small": Route(.file(Content(seed: 1, length: 10), lastModified: Self.changed)),
            "/large": Route(.file(content, lastModified: Self.changed)),
            "/x": Route(.status(200, body: "x")),
            "/unnamed": Route(.file(content).stalled(after: 1_000_000, by: latch)),
        ])
    }

    @Test(arguments: ["small", "large"]) func theServersDateIsKept(name: String) async throws {
        try await product.succeed("download", "-q", "-R", "-d", "new/deep", server.url("/" + name))
        var status = stat()
        #expect(stat(product.home.path("work/new/deep/" + name), &status) == 0)
        #expect(status.st_mtim.tv_sec == Int(Self.changed.seconds))
    }

    @Test(arguments: [
        ("sha-1", "11f6ad8ec52a2984abaafd7c3b516503785c2072"), ("md5", "9dd4e461268c8034f5c8564e155c67a6"),
    ])
    func checksumsAreChecked(algorithm: String, digest: String) async throws {
        try await product.succeed("download", "-q", "--checksum", "\(algorithm)=\(digest)", server.url("/x"))
        let wrong = "\(algorithm)=0" + digest.dropFirst()
        #expect(try await product.longhaul("download", "-q", "--checksum", wrong, server.url("/x")).exitStatus == 9)
        #expect(try await product.workNames == ["x"])
    }

    @Test func unresumableDownloadReportsRestartReason() async throws {
        let id = try await product.succeed("download", "-q", "-b", server.url("/unnamed"))
        try await product.wait(for: id, "a million bytes") { ($0.number("bytesDone") ?? 0) >= 1_000_000 }
        #expect(try await product.succeed("show", id).contains("cannot be resumed"))
        let paused = try await product.longhaul("pause", id)
        #expect(paused.exitStatus == 0 && paused.errorOutput.contains("unnamed cannot be resumed: a pause loses"))
        try await product.wait(for: id, state: "paused")
        latch.open()
        try await product.succeed("resume", id)
        try await product.succeed("watch", id)
        let reason = "the server does not state the version of the file"
        #expect(try await product.succeed("history", id).contains("from byte 0: " + reason))
        #expect(try await product.facts(id)["restartReason"] == reason)
        #expect(try product.home.read("work/unnamed") == content.bytes())
    }
}
