import LonghaulCore
import TestSupport
import Testing

/// Transfers through a forward proxy: it forwards plain requests, and connects clients to TLS servers.
@Suite(.tags(.libcurl), .enabled(if: ForwardProxy.missing == nil, "\(ForwardProxy.missing ?? "")")) struct ProxyTests {
    @Test(arguments: [1, 6, 64], Transport.allCases)
    func transfersOfEachKindGoThroughAProxy(count: Int, transport: Transport) async throws {
        let test = try #require(Test.current)
        try await EachTransport.run(test, over: transport, variant: "\(count) at once") {
            let (proxy, product) = (try ForwardProxy(), try Product())
            try await product.succeed("limits", "--total", "256", "--per-host", "256")
            let crowd = try TestFiles(count, in: product)
            let tus = TusService(path: "/files/", keepingBytes: 0)
            let server = try NastyServer(
                routes: [
                    "/files/*": tus.route, "/put/*": Route(.status(201)),
                    "/get/*": .decided { request, _ in crowd.file(request.path) },
                ], keepingBodies: 0)
            try await crowd.upload(server.url("/put/"), "--proxy", proxy.url)
            try await crowd.upload(server.url("/files/"), "--tus", "--proxy", proxy.url)
            try await crowd.download(server.url("/get/"), "--proxy", proxy.url)
            try await crowd.waitForEnd()
            let puts = server.requests.filter { $0.method == "PUT" }
            #expect(puts.count == count && Set(puts.map(\.bodyChecksum)) == crowd.checksums)
            #expect(Set(tus.uploads.compactMap(\.checksum)) == crowd.checksums && tus.uploads.count == count)
            try crowd.checkDownloads()
            // The proxy does not see requests inside a tunnel.
            #expect(proxy.methods.contains("PUT") != transport.isSecure, "\(proxy.methods)")
        }
    }

    @Test(.onEachTransport) func downloadResumesAfterProxyRestart() async throws {
        let (proxy, product) = (try ForwardProxy(), try Product())
        let content = Content(seed: 29, length: 3_000_000)
        let latch = Latch()
        let reply = Reply.file(content, etag: "\"v1\"")
        let server = try NastyServer(routes: ["/a": .inTurn(reply.stalled(after: 2_000_000, by: latch), reply)])
        let id = try await product.succeed("download", "--detach", "--proxy", proxy.url, server.url("/a"))
        try await product.wait(for: id, "most of it") { Int64($0["bytesDone"] ?? "0") ?? 0 > 1_500_000 }
        proxy.stop()
        let again = try ForwardProxy(port: proxy.port)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(server.requests.last?.range?.first ?? 0 > 1_000_000, "\(server.summary)")
        #expect(again.methods == [Transport.current.isSecure ? "CONNECT" : "GET"] || again.methods.isEmpty)
    }
}
