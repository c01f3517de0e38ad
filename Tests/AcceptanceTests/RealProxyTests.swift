import LonghaulCore
import TestSupport
import Testing

/// Transfers through real proxies of each kind, to servers of each transport.
@Suite(.tags(.libcurl), .onEachTransport) struct RealProxyTests {
    private let content = Content(seed: 61, length: 5_000_000)
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"v1\"")), "/put": Route(.status(201))])
    }

    @Test(.enabled(if: Squid.missing == nil, "\(Squid.missing ?? "")"))
    func squidWantsANameAndAPassword() async throws {
        let squid = try Squid()
        try await product.succeed("download", "-q", "-x", squid.url, "-U", "ada:s3cret", server.url("/a"))
        #expect(try product.home.read("work/a") == content.bytes())
        // Squid logs a tunnel only after its end.
        let isTold = Transport.current.isSecure || !squid.log.isEmpty
        #expect(isTold && squid.log.allSatisfy { $0.contains(" ada 2") }, "\(squid.log)")
        let wrong = try await product.longhaul(
            "download", "-q", "-o", "b", "-x", squid.url, "-U", "ada:wr0ng", server.url("/a"))
        #expect(wrong.exitStatus == 8, "\(wrong.errorOutput)")
        #expect(wrong.errorOutput.contains("(407)") && !wrong.errorOutput.contains("wr0ng"))
        #expect(try await product.workNames == ["a"])
    }

    @Test(.enabled(if: Squid.missing == nil, "\(Squid.missing ?? "")"), arguments: [Squid.Login.digest, .both])
    func digestProxyAcceptsThePassword(login: Squid.Login) async throws {
        let squid = try Squid(login: login)
        let proxy = ["-q", "-x", squid.url, "-U", "ada:s3cret"]
        let down = try await product.call("longhaul", ["download"] + proxy + [server.url("/a")]).run()
        #expect(down.exitStatus == 0, "\(down.errorOutput)")
        #expect(try product.home.read("work/a") == content.bytes())
        // A body is sent again after a refusal.
        let up = try await product.call("longhaul", ["upload"] + proxy + ["a", server.url("/put")]).run()
        #expect(up.exitStatus == 0, "\(up.errorOutput)")
        #expect(server.requests.last?.bodyChecksum == content.checksum)
        let wrong = try await product.longhaul(
            "download", "-q", "-o", "b", "-x", squid.url, "-U", "ada:wr0ng", server.url("/a"))
        #expect(wrong.exitStatus == 8 && wrong.errorOutput.contains("rejected the user name or the password (407)"))
        #expect(wrong.errorOutput.contains(squid.url.dropFirst(7)) && !wrong.errorOutput.contains("wr0ng"))
        let none = try await product.longhaul("download", "-q", "-o", "b", "-x", squid.url, server.url("/a"))
        #expect(none.exitStatus == 8 && none.errorOutput.contains("requires a user name and a password (407)"))
    }

    @Test(.enabled(if: Squid.missing == nil, "\(Squid.missing ?? "")"))
    func aProxyIsSpokenToOverTLS() async throws {
        let squid = try Squid(speakingTLS: true)
        let url = squid.url.replacing("https://", with: "https://ada:s3cret@")
        let proxy = ["-q", "-x", url, "--proxy-cacert", product.caFile]
        let down = try await product.call("longhaul", ["download"] + proxy + [server.url("/a")]).run()
        #expect(down.exitStatus == 0, "\(down.errorOutput)")
        #expect(try product.home.read("work/a") == content.bytes())
        let up = try await product.call("longhaul", ["upload"] + proxy + ["a", server.url("/put")]).run()
        #expect(up.exitStatus == 0, "\(up.errorOutput)")
        #expect(server.requests.last?.bodyChecksum == content.checksum)
        let untrusted = try await product.longhaul(
            "download", "-q", "-o", "b", "-x", url, server.url("/a"))
        #expect(untrusted.exitStatus != 0 && !untrusted.errorOutput.contains("s3cret"), "\(untrusted.errorOutput)")
    }

    @Test(.enabled(if: Dante.missing == nil, "\(Dante.missing ?? "")"))
    func socksLooksUpTheNameAtItsOwnEnd() async throws {
        let dante = try Dante()
        let byName = server.url("/a").replacing("127.0.0.1", with: "localhost")
        try await product.succeed("download", "-q", "-x", "socks5h://\(dante.address)", byName)
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(dante.log.contains("pass(1): tcp/connect"), "\(dante.log)")
        try await product.succeed("upload", "-q", "-x", "socks5://\(dante.address)", "a", server.url("/put"))
        #expect(server.requests.last?.bodyChecksum == content.checksum)
        let dead = try NastyServer.refusingPort()
        let failed = try await product.longhaul(
            "download", "-q", "--retry", "0", "-o", "b", "-x", "socks5h://127.0.0.1:\(dead)", byName)
        #expect(failed.exitStatus == 4 && failed.errorOutput.contains("proxy"), "\(failed.errorOutput)")
    }
}
