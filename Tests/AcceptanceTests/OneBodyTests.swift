import Glibc
import LonghaulCore
import TestSupport
import Testing

/// An upload of any size and kind is one request with one body, by the server's own count.
@Suite(.tags(.libcurl)) struct OneBodyTests {
    enum Kind: CaseIterable { case put, post, form, tus }

    private static let mebibytes = [1, 64, 1_024]

    @Test(arguments: Kind.allCases, mebibytes)
    func theServerGetsTheBodyOnce(kind: Kind, mebibytes: Int) async throws {
        let test = try #require(Test.current)
        for transport in Transport.allCases {
            try await EachTransport.run(test, over: transport, variant: "\(mebibytes) MiB") {
                try await send(kind, mebibytes)
            }
        }
    }

    private func send(_ kind: Kind, _ mebibytes: Int) async throws {
        let product = try Product()
        let length = Int64(mebibytes) << 20
        let tus = TusService(path: "/files/", keepingBytes: 0)
        let server = try NastyServer(keepingBodies: 0)
        server.setRoute("/film.bin", Reply(status: 201))
        server.setRoute("/files/*", tus.route)
        try product.home.write([], to: "work/film.bin")
        #expect(truncate(product.home.path("work/film.bin"), off_t(length)) == 0)
        let arguments =
            switch kind {
            case .put: ["film.bin", server.url("/film.bin")]
            case .post: ["-X", "POST", "film.bin", server.url("/film.bin")]
            case .form: ["-F", "film=@film.bin", server.url("/film.bin")]
            case .tus: ["--tus", "film.bin", server.url("/files/")]
            }
        let result = try await product.call("longhaul", ["upload", "--quiet"] + arguments).run(limit: .seconds(240))
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        let bodies = server.requests.filter { $0.bodyLength > 0 }
        #expect(bodies.count == 1, "\(server.summary)")
        let sent = try #require(bodies.first)
        #expect(sent.isBodyComplete)
        // A form's body is longer than its file by the boundaries and the headers of its part.
        #expect(kind == .form ? sent.bodyLength > length : sent.bodyLength == length)
        if kind == .tus { #expect(tus.uploads.map(\.offset) == [length]) }
    }
}
