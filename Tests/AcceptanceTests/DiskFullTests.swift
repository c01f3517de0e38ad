import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Transfers wait for space on a full disk.
@Suite(.onEachTransport, .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
struct DiskFullTests {
    @Test func downloadWaitsForDiskSpaceAndResumes() async throws {
        let product = try Product()
        let disk = try SmallVolume(.tmpfs, in: product.home, "work/disk", bytes: 8 << 20)
        let content = Content(seed: 16, length: 6 << 20)
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"v1\""))])
        try product.home.write(Content(seed: 1, length: 5 << 20), to: "work/disk/ballast")
        let id = try await product.succeed("download", "--detach", "-d", "disk", server.url("/a"))
        let facts = try await product.wait(for: id, "a reason") { $0["state"] == "waiting" && $0["reason"] != "turn" }
        #expect(facts["reason"] == "diskSpace" && facts["code"] == "diskFull")
        #expect(facts["until"] != nil)
        unlink(product.home.path("work/disk/ballast"))
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/disk/a") == content.bytes())
        #expect(try await product.home.settledNames("work/disk") == ["a"])
        withExtendedLifetime(disk) {}
    }

    /// On a file system that cannot reserve space, the disk fills while bytes arrive, here past the page cache and
    /// directly from the connection.
    @Test func diskFilledDuringDownloadKeepsReceivedBytes() async throws {
        let latch = Latch()
        let product = try Product()
        let disk = try SmallVolume(.image, in: product.home, "work/disk", bytes: 16 << 20)
        let content = Content(seed: 17, length: 10 << 20)
        let reply = Reply.file(content, etag: "\"v1\"")
        let server = try NastyServer(
            routes: ["/a": .first(1, reply.stalled(after: 5 << 20, by: latch), then: reply)])
        let id = try await product.succeed("download", "--detach", "-d", "disk", server.url("/a"))
        try await product.wait(for: id, "half of it") { Int64($0["bytesDone"] ?? "0") ?? 0 > 4 << 20 }
        try product.home.write(Content(seed: 2, length: 8 << 20), to: "work/disk/ballast")
        latch.open()
        let facts = try await product.wait(for: id, "a reason") { $0["state"] == "waiting" && $0["reason"] != "turn" }
        #expect(facts["reason"] == "diskSpace" && facts["code"] == "diskFull")
        unlink(product.home.path("work/disk/ballast"))
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/disk/a") == content.bytes())
        let start = server.requests.last?.header("Range").flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0
        #expect(start > 4 << 20, "the download resumes after the received bytes: \(start)")
        withExtendedLifetime(disk) {}
    }
}
