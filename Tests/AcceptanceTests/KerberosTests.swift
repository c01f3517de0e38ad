import LonghaulCore
import TestSupport
import Testing

/// Logins with a Kerberos ticket.
@Suite(.tags(.libcurl), .onEachTransport) struct KerberosTests {
    private let content = Content(seed: 64, length: 300_000)
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        let offer = HeaderField("WWW-Authenticate", "Negotiate")
        server = try NastyServer(routes: ["/a": Route(.status(401, headers: [offer]))])
    }

    @Test func missingTicketIsReported() async throws {
        var start = product.call("longhaul", ["service", "start"])
        start.environment["KRB5CCNAME"] = "FILE:" + product.home.path("no-tickets")
        #expect(try await start.run().exitStatus == 0)
        let failed = try await product.longhaul("download", "-q", "--negotiate", server.url("/a"))
        let text = failed.errorOutput
        #expect(failed.exitStatus == 8 && text.contains("requires a Kerberos ticket, and there is none"), "\(text)")
        #expect(text.contains("kinit") && text.contains("KRB5CCNAME") && !text.contains("password"), "\(text)")
        #expect(server.requests.count == 1)
    }

    /// The service has the cache in its environment, before it has a ticket and after.
    @Test(.enabled(if: KerberosRealm.missing == nil, "\(KerberosRealm.missing ?? "")"))
    func realServerAndProxyAcceptTheTicket() async throws {
        let realm = try KerberosRealm()
        let (web, squid) = (try KerberosServer(realm), try Squid(login: .negotiate(realm)))
        let proxy = squid.url.replacing("127.0.0.1", with: "localhost")
        let cache = product.home.path("tickets")
        var start = product.call("longhaul", ["service", "start"])
        start.environment.merge(realm.environment(cache: cache)) { $1 }
        #expect(try await start.run().exitStatus == 0)
        let none = try await product.longhaul("download", "-q", "--negotiate", web.url)
        #expect(none.exitStatus == 8 && none.errorOutput.contains("there is none (401)"), "\(none.errorOutput)")
        server.setRoute("/b", Reply.file(content, etag: "\"v1\""))
        let refused = try await product.longhaul("download", "-q", "-x", proxy, server.url("/b"))
        #expect(refused.exitStatus == 8, "\(refused.errorOutput)")
        #expect(refused.errorOutput.contains("requires a valid Kerberos ticket (407)"), "\(refused.errorOutput)")
        try realm.getTicket(cache: cache)
        try await product.succeed("download", "-q", "--negotiate", web.url)
        #expect(try product.home.read("work/f") == Array("by ticket".utf8))
        try await product.succeed("download", "-q", "-x", proxy, server.url("/b"))
        #expect(try product.home.read("work/b") == content.bytes())
        // A body passes through the proxy too.
        server.setRoute("/put", Reply.status(201))
        try await product.succeed("upload", "-q", "-x", proxy, "b", server.url("/put"))
        #expect(server.requests.last?.bodyChecksum == content.checksum)
    }
}
