import LonghaulCore
import TestSupport
import Testing

/// A server with an untrusted certificate: the user sees its key, and trusts it or does not.
@Suite(.tags(.libcurl), .onEachTransport) struct TrustTests {
    private let content = Content(seed: 64, length: 300_000)

    /// Downloads without the CA of the tests' servers.
    private func download(_ product: Product, _ words: String...) async throws -> ProgramCall.Result {
        var call = product.call("longhaul")
        call.arguments = ["download", "-q", "--retry", "0"] + words
        return try await call.run()
    }

    private func shown(_ product: Product, _ id: String) async throws -> (text: String, key: String) {
        let text = try await product.succeed("trust", id)
        let key = text.split(whereSeparator: \.isWhitespace).last { $0.hasPrefix("sha256//") }
        return (text, String(try #require(key)))
    }

    @Test func aKeyIsAcceptedForOneServerByWhoSawIt() async throws {
        let product = try Product()
        let other = try NastyServer(routes: ["/f": Route(.file(content, etag: "\"v1\""))])
        let server = try NastyServer(routes: ["/r": Route(.redirect(to: other.url("/f")))])
        let failed = try await download(product, "-o", "f", "-u", "ada:s3cret", server.url("/r"))
        #expect(failed.exitStatus == 5, "\(failed.errorOutput)")
        #expect(
            failed.errorOutput.contains("public key: sha256//") && failed.errorOutput.contains("certificate")
        )
        let id = try #require(try await product.list().first?["id"])
        let (text, key) = try await shown(product, id)
        #expect(text.contains(server.url("")) && text.contains("CN=") && text.contains("Valid until"), "\(text)")
        let wrong = "sha256//" + Base64.encode([UInt8](repeating: 7, count: 32))
        let refused = try await product.longhaul("trust", id, wrong)
        #expect(
            refused.exitStatus != 0 && refused.errorOutput.contains("No key was accepted"), "\(refused.errorOutput)")
        #expect(server.requests.isEmpty, "nothing leaves before the decision")
        try await product.succeed("trust", id, key)
        // It redirects to another server, whose key was not trusted.
        _ = try await product.longhaul("watch", id)
        #expect(server.requests.count == 1 && other.requests.isEmpty)
        let second = try await shown(product, id)
        #expect(second.text.contains(other.url("")) && second.key == key, "\(second.text)")
        try await product.succeed("trust", id, key)
        #expect(try await product.longhaul("watch", id).exitStatus == 0)
        #expect(try product.home.read("work/f") == content.bytes())
        #expect(other.requests.allSatisfy { $0.header("Authorization") == nil })
        // The key was not trusted for another transfer.
        #expect(try await download(product, "-o", "g", other.url("/f")).exitStatus == 5)
    }

    @Test func plainServerCannotBeTrusted() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f": Route(.status(404))])
        _ = try await product.longhaul("download", "-q", server.url("/f"))
        let id = try #require(try await product.list().first?["id"])
        let refused = try await product.longhaul("trust", id)
        #expect(
            refused.exitStatus != 0 && refused.errorOutput.contains("not about a certificate"), "\(refused.errorOutput)"
        )
    }
}
