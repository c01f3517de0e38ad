import LonghaulCore
import TestSupport
import Testing

/// `-v`: the headers of requests and responses.
@Suite(.tags(.libcurl), .onEachTransport) struct VerboseTests {
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        let file = Reply.file(Content(seed: 17, length: 5_000), etag: "\"v1\"")
        server = try NastyServer(routes: [
            "/f": Route(file), "/moved": Route(.redirect(302, to: "/f?sig=opensesame")), "/closed": Route(.status(403)),
        ])
    }

    @Test func headsAreShownAndKeptWithoutSecrets() async throws {
        let result = try await product.longhaul(
            "download", "-v", "-H", "X-Token: opensesame", "-H", "X-Plain: this", server.url("/moved"))
        #expect(result.exitStatus == 0)
        let lines = result.errorOutput.split(separator: "\n").map { $0.dropFirst(9) }
        let id = try #require(try await product.list().first?["id"])
        let history = try await product.succeed("history", id)
        for line in [
            "> GET /moved HTTP/", "< HTTP/", "> X-Plain: this", "> X-Token: (secret)", "> GET /f?(secret) HTTP/",
            "< ETag: \"v1\"",
        ] {
            #expect(lines.contains { $0.lowercased().hasPrefix(line.lowercased()) }, "\(line) in \(result.errorOutput)")
            #expect(history.lowercased().contains("\n    " + line.lowercased()), "\(line) in \(history)")
        }
        #expect(!(result.errorOutput + history).contains("opensesame"))
        #expect(lines.contains { $0.hasPrefix("downloaded f") }, "\(result.errorOutput)")
    }

    @Test func aRefusalIsShownWithItsHeads() async throws {
        let result = try await product.longhaul("request", "-v", "POST", server.url("/closed"), "--data", "x")
        #expect(result.exitStatus == 6 && result.errorOutput.contains("< HTTP/"), "\(result.errorOutput)")
        let quiet = try await product.longhaul("download", "-o", "-", server.url("/f"))
        #expect(!quiet.errorOutput.contains("< "), "\(quiet.errorOutput)")
    }
}
