import LonghaulCore
import TestSupport
import Testing

/// Downloads whose URL redirects to another server through URLs that expire after 5 seconds. Each connection breaks
/// after 2 MB, and is so slow that the file takes about 10 seconds.
@Suite(.onEachTransport) struct ExpiringURLTests {
    private static let content = Content(seed: 441, length: (10 << 20) + 7)
    private static let lifetime = Duration.seconds(5)

    /// A redirector, and the server for which it signs URLs.
    private struct Site {
        let redirector: NastyServer
        let store: NastyServer

        /// - Parameter latch: The gate at which each connection waits after a quarter of a million bytes.
        init(refusing status: Int = 403, rate: Int64, latch: Latch? = nil) throws {
            let start = ContinuousClock.now
            let transport = Transport.current
            let store = try NastyServer(routes: [
                "/signed": .decided { request, _ in
                    guard ContinuousClock.now - start < .milliseconds(Int(request.query) ?? 0) else {
                        return .status(status)
                    }
                    let reply = Reply.file(content, etag: "\"v1\"").paced(rate).broken(
                        after: 2_000_000, over: transport)
                    return latch.map { reply.stalled(after: 250_000, by: $0) } ?? reply
                }
            ])
            redirector = try NastyServer(routes: [
                "/f": .decided { _, _ in
                    let expiry = (ContinuousClock.now - start + lifetime) / .milliseconds(1)
                    return .redirect(to: store.url("/signed?\(Int(expiry))"))
                }
            ])
            self.store = store
        }

        var url: String { redirector.url("/f") }

        /// - Parameter interrupted: The bytes that a pause may have wasted.
        func expectExpiry(_ status: Int, interrupted: Int64 = 0) {
            #expect(store.requests.contains { $0.status == status }, "no URL expired:\n\(store.summary)")
            #expect(redirector.requests.count > 1 && redirector.requests.dropFirst().allSatisfy { $0.range != nil })
            // Each break wastes at most the bytes in flight on its connection.
            let received = store.requests.reduce(0) { $0 + $1.responseBytes }
            #expect(received <= content.length + interrupted + 4 << 20, "\(store.summary)")
        }
    }

    /// With the default options, over four connections, and over one, with the bytes per second of each. With the
    /// default options, there may be so many connections that none needs another URL.
    private static let manners: [(options: [String], rate: Int64)] = [
        ([], 384 << 10), (["--split", "4"], 256 << 10), (["--split", "1"], 1 << 20),
    ]

    private func detach(_ product: Product, _ name: String, _ words: [String]) async throws -> String {
        let result = try await product.call("longhaul", ["download", "-b", "-q", "-o", name] + words).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        return String(result.output.prefix { $0 != "\n" })
    }

    private func expectContent(_ product: Product, _ ids: [String]) async throws {
        for (number, id) in ids.enumerated() {
            try await product.succeed("watch", id)
            #expect(try product.home.read("work/\(number)") == Self.content.bytes(), "download \(number)")
        }
    }

    @Test func expiredURLIsReplaced() async throws {
        let product = try Product()
        let statuses = [403, 400, 401, 404, 410]
        let sites = try statuses.map { status in try Self.manners.map { try Site(refusing: status, rate: $0.rate) } }
        var ids: [String] = []
        for (number, site) in sites.joined().enumerated() {
            let options = Self.manners[number % Self.manners.count].options
            ids.append(try await detach(product, "\(number)", options + [site.url]))
        }
        try await expectContent(product, ids)
        for (status, sites) in zip(statuses, sites) {
            for site in sites.dropFirst() { site.expectExpiry(status) }
        }
    }

    @Test func commandThatStaysGetsTheFile() async throws {
        let product = try Product()
        let site = try Site(rate: 256 << 10)
        try await product.succeed("download", "--split", "4", "-o", "f", site.url)
        #expect(try product.home.read("work/f") == Self.content.bytes())
        site.expectExpiry(403)
    }

    /// The mirror signs URLs as well.
    @Test func expiredURLsOfMirrorsAreReplaced() async throws {
        let product = try Product()
        let sites = try Self.manners.map { manner in try (0..<2).map { _ in try Site(rate: manner.rate) } }
        var ids: [String] = []
        for (number, pair) in sites.enumerated() {
            let words = Self.manners[number].options + ["--mirror", pair[1].url, pair[0].url]
            ids.append(try await detach(product, "\(number)", words))
        }
        try await expectContent(product, ids)
        #expect(sites.joined().contains { $0.store.requests.contains { $0.status == 403 } })
    }

    @Test func expiredURLIsReplacedAfterAPause() async throws {
        let product = try Product()
        let latch = Latch()
        let sites = try Self.manners.map { try Site(rate: $0.rate, latch: latch) }
        var ids: [String] = []
        for (number, site) in sites.enumerated() {
            ids.append(try await detach(product, "\(number)", Self.manners[number].options + [site.url]))
        }
        for id in ids {
            try await product.wait(for: id, "the first bytes") { ($0.number("bytesDone") ?? 0) >= 200_000 }
            try await product.succeed("pause", id)
        }
        latch.open()
        try await Task.sleep(for: Self.lifetime)
        for id in ids { try await product.succeed("resume", id) }
        try await expectContent(product, ids)
        // Each of sixteen connections may have had a quarter of a million bytes in flight.
        for site in sites { site.expectExpiry(403, interrupted: 16 * 250_000) }
    }
}
