import Glibc
import LonghaulCore
import TestSupport
import Testing

/// One session's store is damaged while no service is running: readable transfers are recovered, the damage is reported, and the other
/// session continues.
@Suite(.onEachTransport) struct DamageTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 9, length: 2_000_000)

    init() throws {
        product = try Product()
        let reply = Reply.file(content, etag: "\"v1\"")
        server = try NastyServer(routes: [
            "/a": .inTurn(reply.stalled(after: 500_000, by: latch), reply), "/b": Route(.status(200, body: "b")),
        ])
    }

    @Test func damagedStoreIsRepairedAndOtherSessionContinues() async throws {
        let id = try await product.succeed("download", "--detach", server.url("/a"))
        try await product.wait(for: id, "its bytes") { Int64($0["bytesDone"] ?? "0") ?? 0 > 0 }
        let other = try await product.succeed("download", "--detach", "--session", "org.example.hurt", server.url("/b"))
        try await product.succeed("watch", "--quiet", "--session", "org.example.hurt", other)
        try await product.succeed("service", "stop")
        // The page with the table schema: SQLite reads nothing without it.
        try flipBytes(of: product.sessionPath("org.example.hurt") + "/store.sqlite", 100..<4_096)
        latch.open()
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(server.requests(to: "/a").last?.range?.first ?? 0 > 0)
        let list = try await product.longhaul("list", "--session", "org.example.hurt", "--json")
        #expect(list.ending == .exited(14) && list.output.contains(other), "it was saved")
        let damaged = try #require(
            product.home.names(product.sessionPath("org.example.hurt")).filter { $0.contains("damaged") }.min())
        let place = product.home.path(product.sessionPath("org.example.hurt") + "/" + damaged)
        let notice =
            "longhaul: The queue was damaged and was repaired: 1 of 1 transfers recovered. The damaged file was quarantined "
            + "as \(place). For details, run longhaul doctor.\n"
        #expect(list.errorOutput == notice)
        let status = try await product.longhaul("service", "status")
        #expect(status.ending == .exited(14))
        #expect(status.output.contains("session org.example.hurt: The queue was damaged"))
        #expect(status.output.contains("session org.example.hurt: 0 running"), "and it works")
        let download = try await product.longhaul(
            "download", "-o", "again", "--session", "org.example.hurt", server.url("/b"))
        #expect(try product.home.read("work/again") == Array("b".utf8))
        #expect(
            download.errorOutput.hasPrefix(notice) && download.errorOutput.split(separator: "quarantined").count == 2)
        #expect(try await product.longhaul("list").errorOutput.isEmpty, "another session is whole")
        try await reportUntilAcknowledged(place)
    }

    /// Opening a store does not read every page: the list finds this damage after its first query for damage.
    @Test func damageThatOnlyTheListFindsIsReported() async throws {
        let urls = (0..<300).map { server.url("/later-\($0)") }
        try product.home.write(urls.joined(separator: "\n").utf8, to: "work/urls")
        try await product.succeed("download", "--detach", "--not-before", "+30d", "-i", "urls")
        try await product.succeed("service", "stop")
        let store = product.sessionPath() + "/store.sqlite"
        let place = try #require(product.home.read(store).firstRange(of: Array("/later-150".utf8))).lowerBound
        try flipBytes(of: store, (place / 4_096) * 4_096..<(place / 4_096 + 1) * 4_096)
        let list = try await product.longhaul("list", "--json")
        #expect(list.ending == .exited(14) && list.output.split(separator: "\n").count < 300)
        #expect(list.errorOutput.contains("The queue was damaged") && list.errorOutput.contains("could not be read"))
        #expect(try await product.longhaul("doctor").ending == .exited(12))
        try await product.succeed("session", "longhaul.command-line", "--acknowledge-damage")
        #expect(try await product.longhaul("list").ending == .exited(0))
        #expect(try await product.longhaul("doctor").ending == .exited(0))
    }

    /// Reports the damage until it is acknowledged, even after restarts.
    private func reportUntilAcknowledged(_ place: String) async throws {
        try await product.killService()
        let silent = try await product.longhaul("doctor")
        #expect(silent.ending == .exited(12) && silent.output.contains(place), "no service is running")
        #expect(try await product.longhaul("list", "--session", "org.example.hurt").errorOutput.contains(place))
        let sick = try await product.longhaul("doctor")
        #expect(
            sick.ending == .exited(12)
                && sick.output.contains("longhaul session org.example.hurt --acknowledge-damage"))
        let note = try await product.longhaul("session", "org.example.hurt", "--acknowledge-damage")
        #expect(note.ending == .exited(0) && note.errorOutput.contains(place), "the damage is reported once more")
        #expect(product.home.exists(place.replacing(product.home.path + "/", with: "")), "the file stays")
        try await product.killService()
        #expect(try await !product.longhaul("doctor").output.contains("org.example.hurt"))
        #expect(try await product.longhaul("list", "--session", "org.example.hurt").errorOutput.isEmpty)
        #expect(try await !product.longhaul("doctor").output.contains("org.example.hurt"))
    }

    private func flipBytes(of name: String, _ places: Range<Int>) throws {
        var bytes = try product.home.read(name)
        for place in places { bytes[place] ^= 0xFF }
        try product.home.write(bytes, to: name)
    }
}
