import LonghaulCore
import TestSupport
import Testing

/// A download whose server has an untrusted certificate and whose mirror has no TLS.
@Suite(.onEachTransport, .tags(.libcurl)) struct RejectedCertificateTests {
    private static let content = Content(seed: 413, length: (6 << 20) + 5)

    @Test func onlyDigestLeadsToPlainMirror() async throws {
        let product = try Product()
        let server = try NastyServer(
            routes: ["/f": Route(.file(Self.content, etag: "\"v1\""))], over: .secureHTTP1)
        let mirror = try NastyServer(routes: ["/g": Route(.file(Self.content, etag: "\"v1\""))], over: .http1)
        func download(_ words: String...) async throws -> ProgramCall.Result {
            // Without the CA of the tests' servers.
            var call = product.call("longhaul")
            call.arguments = ["download", "-o", "f", "--mirror", mirror.url("/g"), server.url("/f")] + words
            return try await call.run()
        }
        let failed = try await download()
        #expect(failed.exitStatus == 5 && failed.errorOutput.contains("--sha256"), "\(failed.errorOutput)")
        let id = try #require(try await product.list().first?["id"])
        try await product.succeed("service", "stop")
        try await product.succeed("retry", "-b", id)
        #expect(try await product.longhaul("watch", id).exitStatus == 5)
        #expect(mirror.requests.isEmpty)
        let bytes = try #require(Base64.decode(Self.content.sha256Base64))
        let proven = try await download("--sha256", Digest(algorithm: .sha256, bytes: bytes).hexText)
        #expect(proven.exitStatus == 0, "\(proven.errorOutput)")
        let places = (mirror.url("").dropFirst(7), server.url("").dropFirst(8))
        #expect(
            proven.errorOutput.contains("\(places.1): certificate rejected; continues from \(places.0)."),
            "\(proven.errorOutput)")
        #expect(try product.home.read("work/f") == Self.content.bytes())
    }
}
