import LonghaulCore
import TestSupport
import Testing

/// Logins with a Kerberos ticket.
@Suite(.tags(.libcurl), .onEachTransport) struct KerberosTests {
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
}
