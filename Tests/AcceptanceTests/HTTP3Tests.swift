import LonghaulCore
import TestSupport
import Testing

/// `--http3` with a libcurl that has it.
@Suite(.enabled(if: HTTP3Server.missing == nil, "\(HTTP3Server.missing ?? "")"))
struct HTTP3Tests {
    private let product: Product

    init() throws { product = try Product() }

    @Test func aDownloadThatIsKilledGoesOnOverHTTP3() async throws {
        let server = try HTTP3Server(speaksHTTP3: true)
        let content = Content(seed: 31, length: 6_000_000)
        try server.serve(content, as: "film.bin")
        let id = try await product.succeed(
            "download", "--http3", "--cacert", server.certificate, "--detach", server.url("/slow/film.bin"))
        try await product.home.waitForBytes(of: "work/" + PartialName.make(#require(TransferID(id))))
        try await product.killService()
        try await product.succeed("watch", id)
        // Half a megabyte a second: there is time to kill it.
        #expect(try product.home.read("work/film.bin") == content.bytes())
        #expect(try await server.requests(2).last == "HTTP/3.0 206")
    }

    @Test func uploadsGoOverHTTP3() async throws {
        let server = try HTTP3Server(speaksHTTP3: true)
        for number in 1...8 {
            try product.home.write(Content(seed: 32, length: 500_000 * Int64(number)), to: "work/f\(number)")
        }
        let names = (1...8).map { "f\($0)" }
        let result = try await product.call(
            "longhaul", ["upload", "-q", "--http3", "--cacert", server.certificate] + names + [server.url("/up/")]
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        for number in 1...8 {
            #expect(
                try server.uploaded("f\(number)") == Content(seed: 32, length: 500_000 * Int64(number)).bytes())
        }
        #expect(try await server.requests(8).allSatisfy { $0 == "HTTP/3.0 201" })
    }

    @Test func aNetworkThatTakesNoUDPCostsNoAttempt() async throws {
        let server = try HTTP3Server(speaksHTTP3: false)
        try server.serve(Content(seed: 33, length: 100_000), as: "f.bin")
        let id = try await product.succeed(
            "download", "--http3", "--cacert", server.certificate, "--detach", server.url("/f.bin"))
        try await product.succeed("watch", id)
        #expect(try await server.requests(1) == ["HTTP/2.0 200"])
        #expect(try await product.succeed("show", "--json", id).contains("\"attempts\":1"))
    }
}
