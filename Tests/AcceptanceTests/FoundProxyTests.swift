import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Proxies from a script or from the desktop's settings, with real proxies.
@Suite(.tags(.libcurl), .enabled(if: ForwardProxy.missing == nil, "\(ForwardProxy.missing ?? "")"))
struct FoundProxyTests {
    private static let hasInterpreter = access("/usr/bin/duk", X_OK) == 0
    private static let lack = "duk, which runs proxy scripts, is not installed: scripts/setup installs duktape"

    private let content = Content(seed: 62, length: 300_000)
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        let script = "function FindProxyForURL(url, host) { return 'DIRECT'; }"
        server = try NastyServer(routes: [
            "/a": Route(.file(content, etag: "\"v1\"")), "/direct.pac": Route(.status(200, body: script)),
            "/gone.pac": Route(.status(404)),
        ])
    }

    /// The service caches a script's answer, so each answer in a test needs a separate script.
    private func write(_ body: String, to name: String = "proxy.pac") throws {
        try product.home.write("function FindProxyForURL(url, host) { \(body) }".utf8, to: "work/\(name)")
    }

    @Test(.onEachTransport, .enabled(if: hasInterpreter, "\(lack)"))
    func scriptNamesTheProxy() async throws {
        let proxy = try ForwardProxy()
        let way = "return 'PROXY 127.0.0.1:\(proxy.port); DIRECT';"
        try write(
            "if (isInNet(host, '127.0.0.0', '255.0.0.0') && shExpMatch(url, '*://127.*')) \(way) return 'DIRECT';")
        try await product.succeed("download", "-q", "-x", "pac+proxy.pac", server.url("/a"))
        #expect(try product.home.read("work/a") == content.bytes())
        // The proxy does not log an open tunnel. Stop the proxy instead: the download must fail.
        proxy.stop()
        try write("return 'PROXY 127.0.0.1:\(proxy.port)';", to: "only.pac")
        let dead = try await product.longhaul(
            "download", "-q", "--retry", "0", "-o", "c", "-x", "pac+only.pac", server.url("/a"))
        #expect(dead.exitStatus == 4 && dead.errorOutput.contains("proxy"), "\(dead.errorOutput)")
    }

    @Test(.onEachTransport, .enabled(if: hasInterpreter, "\(lack)"))
    func deadProxyIsReplacedWithinTheAttempt() async throws {
        let (proxy, dead) = (try ForwardProxy(), try NastyServer.refusingPort())
        let rests = [
            ("b", "DIRECT"), ("c", "PROXY 127.0.0.1:\(proxy.port)"), ("d", "SOCKS 127.0.0.1:\(dead); DIRECT"),
        ]
        for (name, rest) in rests {
            try write("return 'PROXY 127.0.0.1:\(dead); \(rest)';", to: "\(name).pac")
            try await product.succeed(
                "download", "-q", "--retry", "0", "-o", name, "-x", "pac+\(name).pac", server.url("/a"))
            #expect(try product.home.read("work/\(name)") == content.bytes())
        }
        if !Transport.current.isSecure { #expect(proxy.methods == ["GET"]) }
    }

    @Test(.onEachTransport, .enabled(if: hasInterpreter, "\(lack)"))
    func fetchedScriptAllowsDirectConnection() async throws {
        try await product.succeed(
            "download", "-q", "-o", "b", "-x", "pac+\(server.url("/direct.pac"))", server.url("/a"))
        #expect(try product.home.read("work/b") == content.bytes())
    }

    /// Only the second server has a proxy.
    @Test(.onEachTransport, .enabled(if: hasInterpreter, "\(lack)"))
    func aRedirectAndAMirrorAreReachedByTheirOwnProxies() async throws {
        let proxy = try ForwardProxy()
        let other = try NastyServer(routes: ["/b": Route(.file(content, etag: "\"v1\""))])
        server.setRoute("/r", .redirect(to: other.url("/b")))
        try write("return url.indexOf('\(other.url("/"))') == 0 ? 'PROXY 127.0.0.1:\(proxy.port)' : 'DIRECT';")
        try await product.succeed("download", "-q", "-o", "r", "-x", "pac+proxy.pac", server.url("/r"))
        #expect(try product.home.read("work/r") == content.bytes())
        // The mirror's bytes also pass through its proxy.
        let large = Content(seed: 63, length: 6 << 20)
        let latch = Latch()
        server.setRoute(
            "/f",
            .decided { _, visit in
                let whole = Reply.file(large, etag: "\"v1\"")
                return visit > 0 ? whole : whole.stalled(after: 1 << 20, by: latch)
            })
        other.setRoute("/f", .file(large, etag: "\"v1\""))
        try await product.succeed(
            "download", "-q", "--split", "3", "-x", "pac+proxy.pac", "--mirror", other.url("/f"), server.url("/f"))
        #expect(try product.home.read("work/f") == large.bytes() && other.requests.count > 1)
        if !Transport.current.isSecure { #expect(proxy.methods.count { $0 == "GET" } == other.requests.count) }
        latch.open()
        proxy.stop()
        // The first attempt may still find a kept connection.
        let dead = try await product.longhaul(
            "download", "-q", "--retry", "1", "-o", "d", "-x", "pac+proxy.pac", server.url("/r"))
        #expect(dead.exitStatus == 4 && dead.errorOutput.contains("proxy"), "\(dead.errorOutput)")
    }

    @Test(
        .onEachTransport, .enabled(if: hasInterpreter, "\(lack)"),
        arguments: [
            ("while (true) {}", "took longer than 5 s"), ("return nothing(;", "failed or returned nothing"),
            ("return 'MAYBE';", "no valid proxy"),
            // The script can compute, and nothing else.
            ("require('/etc/passwd'); return 'DIRECT';", "failed or returned nothing"),
        ])
    func brokenProxyScriptIsReported(_ body: String, _ reason: String) async throws {
        try write(body)
        let failed = try await product.longhaul(
            "download", "-q", "--retry", "0", "-x", "pac+proxy.pac", server.url("/a"))
        #expect(failed.exitStatus == 4 && failed.errorOutput.contains(reason), "\(failed.errorOutput)")
        #expect(failed.errorOutput.contains("proxy") && server.requests.isEmpty)
    }

    @Test(.onEachTransport) func unreadableProxyScriptIsReported() async throws {
        let url = server.url("/gone.pac").replacing("://", with: "://ada:s3cret@")
        let failed = try await product.longhaul("download", "-q", "--retry", "0", "-x", "pac+" + url, server.url("/a"))
        #expect(failed.exitStatus == 4 && failed.errorOutput.contains("Could not download"), "\(failed.errorOutput)")
        #expect(!failed.errorOutput.contains("s3cret"))
        #expect(try await product.longhaul("download", "-x", "pac+missing.pac", server.url("/a")).exitStatus != 0)
    }

    @Test(.onEachTransport, .enabled(if: access("/usr/bin/gsettings", X_OK) == 0, "gsettings is not installed"))
    func theDesktopNamesTheProxy() async throws {
        let proxy = try ForwardProxy()
        for name in [".config", ".config/glib-2.0", ".config/glib-2.0/settings"] {
            try product.home.makeDirectory(name)
        }
        let settings = """
            [system/proxy]
            mode='manual'
            ignore-hosts=@as []
            [system/proxy/http]
            host='127.0.0.1'
            port=\(proxy.port)
            """
        try product.home.write(settings.utf8, to: ".config/glib-2.0/settings/keyfile")
        var call = product.call("longhaul", ["download", "-q", "-x", "system", server.url("/a")])
        call.environment["GSETTINGS_BACKEND"] = "keyfile"
        let done = try await call.run()
        #expect(done.exitStatus == 0, "\(done.errorOutput)")
        #expect(try product.home.read("work/a") == content.bytes())
        proxy.stop()
        let dead = try await product.longhaul(
            "download", "-q", "--retry", "0", "-o", "c", "-x", "system", server.url("/a"))
        #expect(dead.exitStatus == 4 && dead.errorOutput.contains("proxy"), "\(dead.errorOutput)")
    }
}
