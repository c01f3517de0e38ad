import LonghaulCore
import TestSupport
import Testing

/// Statuses whose cause only the user or the server's operator can remove: each costs one body.
@Suite(.onEachTransport) struct RefusedBodyTests {
    enum Kind: CaseIterable { case put, post, form, tus }

    private static let statuses = [402, 403, 405, 413, 414, 415, 422, 431, 451, 501, 505, 507, 508, 509]

    @Test(arguments: Kind.allCases) func refusalCostsOneBody(kind: Kind) async throws {
        let product = try Product()
        let length = 100_000
        try product.home.write([UInt8](repeating: 7, count: length), to: "work/film.bin")
        for status in Self.statuses {
            let tus = TusService(path: "/files/")
            for _ in 0..<4 { tus.script("PATCH", .answer(status)) }
            let server = try NastyServer(routes: [
                "/film.bin": Route(.status(status)), "/files/*": tus.route,
            ])
            // A key makes a POST safe to repeat, so only the status prevents that.
            let arguments =
                switch kind {
                case .put: ["film.bin", server.url("/film.bin")]
                case .post: ["-X", "POST", "--idempotency-key", "k", "film.bin", server.url("/film.bin")]
                case .form: ["-F", "film=@film.bin", "--idempotency-key", "k", server.url("/film.bin")]
                case .tus: ["--tus", "film.bin", server.url("/files/")]
                }
            let call = product.call("longhaul", ["upload", "--quiet", "--retry", "2"] + arguments)
            let result = try await call.run(limit: .seconds(60))
            #expect(result.ending != .exited(0), "\(status)")
            #expect(result.errorOutput.contains("(\(status)"), "\(result.errorOutput)")
            let bodies = server.requests.filter { $0.bodyLength >= length }
            #expect(bodies.count == 1, "\(status): \(server.summary)")
        }
    }
}
