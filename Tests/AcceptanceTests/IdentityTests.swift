import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Credentials are sent only to the real server that requires them.
@Suite(.tags(.libcurl), .onEachTransport, .enabled(if: GuardedServer.missing == nil, "\(GuardedServer.missing ?? "")"))
struct IdentityTests {
    private let product: Product
    private let server: GuardedServer

    init() throws {
        product = try Product()
        server = try GuardedServer()
    }

    /// Returns all output of the commands about the transfers so far, and the log.
    private func told(after result: ProgramCall.Result) async throws -> String {
        var told = result.output + result.errorOutput
        var calls = [["list"], ["list", "--json"], ["service", "status"], ["doctor"]]
        for id in try await product.list().compactMap({ $0["id"] }) {
            calls += [["show", id], ["show", "--json", id], ["history", id], ["doctor", id]]
        }
        for words in calls {
            let result = try await product.call("longhaul", words).run()
            told += result.output + result.errorOutput
        }
        return told + String(decoding: (try? product.home.read("state/longhaul/longhauld.log")) ?? [], as: UTF8.self)
    }

    @Test(arguments: ["--digest", "--anyauth"]) func aChallengeIsAnswered(option: String) async throws {
        try await product.succeed("download", "-q", option, "-u", "ada:s3cret", server.url("/digest/f"))
        #expect(try product.home.read("work/f") == Array(server.content.utf8))
        let content = Content(seed: 5, length: 300_000)
        try product.home.write(content, to: "work/large")
        try await product.succeed("upload", "-q", option, "-u", "ada:s3cret", "f", "large", server.url("/digest/"))
        #expect(try server.uploaded("f") == Array(server.content.utf8) && server.uploaded("large") == content.bytes())
        let wrong = try await product.longhaul(
            "download", "-q", option, "-u", "ada:wr0ng", "-o", "g", server.url("/digest/f"))
        #expect(wrong.exitStatus == 8, "\(wrong.errorOutput)")
        let told = try await told(after: wrong)
        #expect(told.contains("(401)") && !told.contains("wr0ng") && !told.contains("s3cret"))
    }

    @Test func thePasswordOfNetrcIsAnsweredWithAsWell() async throws {
        try product.home.write("machine 127.0.0.1 login ada password s3cret".utf8, to: ".netrc")
        try await product.succeed("download", "-q", "-n", "--digest", server.url("/digest/f"))
        try await product.succeed("download", "-q", "-n", "--anyauth", "-o", "b", server.url("/basic/f"))
        try await product.succeed("download", "-q", "-n", "-o", "c", server.url("/basic/f"))
        #expect(try await product.workNames == ["b", "c", "f"])
        #expect(try await product.longhaul("download", "-q", "-o", "d", server.url("/basic/f")).exitStatus == 8)
    }

    @Test func cookiesAreReadAndWritten() async throws {
        let jar = product.home.path("work/jar")
        try await product.succeed("request", "-q", "--cookie-jar", "jar", server.url("/login"))
        #expect(try String(decoding: product.home.read("work/jar"), as: UTF8.self).contains("sid\t42"))
        var status = stat()
        #expect(stat(jar, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try await product.succeed("download", "-q", "--cookie", "jar", server.url("/members/f"))
        try await product.succeed("download", "-q", "--cookie-jar", "jar", "-o", "b", server.url("/members/f"))
        try await product.succeed(
            "download", "-q", "--cookie", "a=1", "--cookie", "sid=42", "-o", "c", server.url("/members/f"))
        let none = try await product.longhaul("download", "-q", "-o", "d", server.url("/members/f"))
        #expect(none.exitStatus == 6, "\(none.errorOutput)")
        let missing = try await product.longhaul("download", "-q", "--cookie", "none", server.url("/members/f"))
        #expect(missing.exitStatus == 3, "\(missing.errorOutput)")
        #expect(!(try await told(after: none)).contains("sid=42"))
    }

    @Test func aSessionKeepsCookies() async throws {
        try await product.succeed("request", "-q", "--session-cookies", server.url("/login"))
        try await product.killService()
        try await product.succeed("download", "-q", "--session-cookies", server.url("/members/f"))
        var status = stat()
        #expect(stat(product.home.path(product.sessionPath() + "/cookies"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let other = try await product.longhaul(
            "download", "-q", "--session-cookies", "--session", "org.example.other", "-o", "b", server.url("/members/f")
        )
        #expect(other.exitStatus == 6, "\(other.errorOutput)")
        #expect(try await product.succeed("session").contains("Cookies       1 in "))
        #expect(!(try await product.succeed("session", "--clear-cookies")).contains("Cookies"))
        let cleared = try await product.longhaul(
            "download", "-q", "--session-cookies", "-o", "c", server.url("/members/f"))
        #expect(cleared.exitStatus == 6, "\(cleared.errorOutput)")
    }

    @Test func clientCertificateIsPresented() async throws {
        let url = server.url("/cert/f")
        for (name, words) in [
            (
                "a",
                [
                    "--cert", server.path("client.pem"), "--private-key", server.path("client.key"), "--pass",
                    "open sesame",
                ]
            ),
            ("b", ["--cert", server.path("client.p12") + ":p12"]),
        ] {
            let result = try await product.call("longhaul", ["download", "-q", "-o", name, url] + words).run()
            #expect(result.exitStatus == 0, "\(result.errorOutput)")
        }
        let none = try await product.longhaul("download", "-q", "-o", "c", url)
        #expect(none.errorOutput.contains("(403)"), "\(none.errorOutput)")
        let wrong = try await product.longhaul(
            "download", "-q", "-o", "c", "--cert", server.path("client.p12") + ":wr0ng", url)
        #expect(wrong.errorOutput.contains("certificate"), "\(wrong.errorOutput)")
        let token = try await product.longhaul(
            "download", "-q", "-o", "c", "--cert", "pkcs11:token=none;object=none?pin-value=wr0ng", url)
        #expect(token.errorOutput.contains("certificate"), "\(token.errorOutput)")
        #expect(!(try await told(after: wrong)).contains("wr0ng"))
        #expect(try await product.workNames == ["a", "b"])
    }

    /// The first connection stays open. libcurl would reuse it, because it compares only the certificate's name.
    @Test func connectionIsReusedOnlyWithItsKeyAndPassword() async throws {
        let url = server.url("/cert/f")
        let right = ["--cert", server.path("client.pem"), "--private-key", server.path("client.key"), "--pass"]
        let noKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        try product.home.write(noKey.utf8, to: "work/other.key")
        let otherKey = ["--cert", server.path("client.pem"), "--private-key", "other.key", "--pass"]
        for (index, (words, status)) in [
            (right + ["open sesame"], 0), (right + ["wr0ng"], 5), (otherKey + ["open sesame"], 5),
            (right + ["open sesame"], 0),
        ].enumerated() {
            let result = try await product.call("longhaul", ["download", "-q", "-o", "f\(index)", url] + words).run()
            #expect(result.exitStatus == Int32(status), "\(index): \(result.exitStatus) \(result.errorOutput)")
        }
    }

    @Test(.enabled(if: SoftToken.missing == nil, "\(SoftToken.missing ?? "")"))
    func tokenPINStaysOutOfTheLog() async throws {
        let token = try SoftToken(
            in: product.home, key: server.path("client.key"), password: "open sesame", pin: "s3cret")
        for (pin, ending) in [("wr0ng", "client certificate"), ("s3cret", "")] {
            var call = product.call(
                "longhaul",
                ["download", "-q", "--cert", server.path("client.pem"), "--private-key", token.key(pin: pin)]
                    + [server.url("/cert/f")])
            call.environment.merge(token.environment) { $1 }
            let result = try await call.run()
            #expect(result.errorOutput.isEmpty == ending.isEmpty && result.errorOutput.contains(ending))
            let told = try await told(after: result)
            #expect(told.contains("The private key was not found at:") && !told.contains(pin), "\(told)")
        }
        #expect(try product.home.read("work/f") == Array(server.content.utf8))
    }

    @Test func aPinnedKeyIsTheOnlyOne() async throws {
        try await product.succeed("download", "-q", "--pinnedpubkey", try server.pin(), server.url("/ready"))
        let other = "sha256//" + Base64.encode([UInt8](repeating: 7, count: 32))
        let result = try await product.longhaul(
            "download", "-q", "-o", "b", "--pinnedpubkey", other, server.url("/ready"))
        #expect(result.errorOutput.contains("a public key that is not pinned"))
    }
}

/// The credentials and headers that another server does not get.
@Suite(.onEachTransport) struct CrossOriginTests {
    @Test func anotherOriginGetsNoAnswer() async throws {
        let product = try Product()
        let challenge = Reply.status(401).header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        let other = try NastyServer(routes: ["/*": Route(challenge)])
        let server = try NastyServer(routes: ["/a": .inTurn(challenge, .redirect(to: other.url("/b")))])
        let result = try await product.longhaul("download", "-q", "--digest", "-u", "ada:s3cret", server.url("/a"))
        #expect(result.exitStatus == 8, "\(result.errorOutput)")
        #expect(server.requests.map { $0.header("Authorization")?.prefix(6) } == [nil, "Digest"])
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
    }
}
