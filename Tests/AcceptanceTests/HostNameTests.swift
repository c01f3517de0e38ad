import LonghaulCore
import TestSupport
import Testing

/// Host names with non-ASCII characters (IDNA).
@Suite(.tags(.libcurl), .onEachTransport) struct HostNameTests {
    @Test(arguments: ["C", "POSIX", "C.UTF-8"]) func areUnderstoodInEachLocale(_ locale: String) async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/a": Route(.file(Content(seed: 1, length: 1_000)))])
        // libcurl resolves the names below localhost to this machine.
        var call = product.call(
            "longhaul", ["download", "-q", "--retry", "0", server.url("/a", host: "bücher.localhost")])
        call.environment["LC_ALL"] = locale
        let result = try await call.run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        #expect(server.requests.first?.headers.all("Host") == ["xn--bcher-kva.localhost:\(server.port)"])
    }
}
