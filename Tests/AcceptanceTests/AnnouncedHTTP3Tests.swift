import LonghaulCore
import TestSupport
import Testing

/// HTTP/3 with servers that announce it (`Alt-Svc`), and its fallback in networks without UDP.
@Suite(.enabled(if: HTTP3Peer.missing == nil, "\(HTTP3Peer.missing ?? "")"), .overHTTP3)
struct AnnouncedHTTP3Tests {
    private static let kept = "alternatives"

    /// Downloads a small file, and returns the number of attempts.
    private func download(_ product: Product, _ peer: HTTP3Peer, _ options: String...) async throws -> String {
        let words = ["download", "--detach", "--overwrite", "-o", "f.bin", "--cacert", product.caFile] + options
        let started = try await product.call("longhaul", words + [peer.url("/www/f.bin")]).run()
        #expect(started.ending == .exited(0), "\(started.errorOutput)")
        let id = String(started.output.prefix { $0 != "\n" })
        try await product.succeed("watch", id)
        return try await product.facts(id)["attempts"] ?? ""
    }

    private func makePeer(speaksHTTP3: Bool = true, in network: NetworkNamespace? = nil) throws -> HTTP3Peer {
        let peer = try HTTP3Peer(speaksHTTP3: speaksHTTP3, in: network)
        try peer.serve(Content(seed: 41, length: 100_000), as: "f.bin")
        return peer
    }

    private func waitForFile(_ product: Product) async throws {
        try await product.home.waitForBytes(of: product.sessionPath() + "/" + Self.kept)
    }

    @Test func anAnnouncementIsFollowedByTheNextTransferAndTheNextService() async throws {
        let (product, peer) = (try Product(), try makePeer())
        // Every transfer stores the announcement; only transfers with the option follow it.
        #expect(try await download(product, peer) == "1")
        #expect(try await download(product, peer, "--alt-svc") == "1")
        try await waitForFile(product)
        try await product.killService()
        #expect(try await download(product, peer, "--alt-svc") == "1")
        #expect(try await download(product, peer) == "1")
        let expected = ["HTTP/2.0", "HTTP/3.0", "HTTP/3.0", "HTTP/2.0"].map { $0 + " GET 200" }
        #expect(try await peer.waitForRequests(4) == expected)
    }

    @Test(arguments: ["", "longhaul alternatives 1\nh3 https://127.0.0.1:", "\u{0}\u{0}\u{0}\n\u{0}"])
    func brokenAlternativesFileIsIgnored(text: String) async throws {
        let (product, peer) = (try Product(), try makePeer())
        #expect(try await download(product, peer) == "1")
        try await waitForFile(product)
        try await product.killService()
        try product.home.write(text.utf8, to: product.sessionPath() + "/" + Self.kept)
        for _ in 0..<2 { #expect(try await download(product, peer, "--alt-svc") == "1") }
        #expect(try await peer.waitForRequests(3).map { $0.prefix(8) } == ["HTTP/2.0", "HTTP/2.0", "HTTP/3.0"])
    }

    @Test func uncheckedServerCannotAnnounceHTTP3() async throws {
        let (product, peer) = (try Product(), try makePeer())
        for _ in 0..<2 { #expect(try await download(product, peer, "--alt-svc", "--insecure") == "1") }
        #expect(try await peer.waitForRequests(2).allSatisfy { $0 == "HTTP/2.0 GET 200" })
    }

    @Test(arguments: ["--http3", "--alt-svc"])
    func aServerThatIsSilentOverUDPCostsNoAttempt(option: String) async throws {
        let (product, peer) = (try Product(), try makePeer(speaksHTTP3: false))
        for _ in 0..<3 { #expect(try await download(product, peer, option) == "1") }
        #expect(try await peer.waitForRequests(3).allSatisfy { $0 == "HTTP/2.0 GET 200" })
    }

    /// A network that drops the packets, one that rejects them, and a firewall of this machine.
    @Test(
        .enabled(if: NetworkNamespace.missing == nil, "\(NetworkNamespace.missing ?? "")"),
        arguments: [("input", "drop"), ("input", "reject"), ("output", "drop")])
    func aNetworkThatTakesNoUDPCostsNoAttempt(hook: String, verdict: String) async throws {
        let network = try NetworkNamespace(hook: hook, rule: "meta l4proto udp \(verdict)")
        let (product, peer) = (try Product(in: network), try makePeer(in: network))
        #expect(try await download(product, peer) == "1")
        #expect(try await download(product, peer, "--alt-svc") == "1")
        try await waitForFile(product)
        // Another service does not know that HTTP/3 failed.
        try await product.killService()
        #expect(try await download(product, peer, "--http3") == "1")
        #expect(try await peer.waitForRequests(3).allSatisfy { $0 == "HTTP/2.0 GET 200" })
    }
}
