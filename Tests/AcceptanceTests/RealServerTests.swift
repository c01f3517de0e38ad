import LonghaulCore
import TestSupport
import Testing

/// Downloads from real servers with their peculiarities, each interrupted by killing the service, and resumed by a command that only
/// reads.
@Suite(.tags(.libcurl), .onEachTransport) struct RealServerTests {
    private let product: Product

    init() throws { product = try Product() }

    /// Stops the server's bytes in the middle, kills the service, calls `meanwhile`, and waits for the rest.
    private func interrupt(
        _ port: Int, _ path: String, after bytes: Int64, named name: String, meanwhile: () throws -> Void = {}
    ) async throws -> [UInt8] {
        let relay = try CountingRelay(to: port, downLimit: bytes)
        let url = "\(Transport.current.scheme)://127.0.0.1:\(relay.port)\(path)"
        let id = try await product.succeed("download", "--detach", url)
        _ = try await relay.wait(for: "\(bytes) bytes") { $0.down >= bytes ? true : nil }
        try await product.waitUntilResumable(id)
        try await product.killService()
        try meanwhile()
        relay.allow(down: .max)
        try await product.succeed("watch", id)
        #expect(try await product.workNames == [name])
        return try product.home.read("work/\(name)")
    }

    @Test(
        .enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"),
        arguments: [
            ("/film.txt", "film.txt", true), ("/gz/film.txt", "film.txt", true),
            ("/norange/film.txt", "film.txt", false),
            ("/noetag/film.txt", "film.txt", true), ("/cd/film.txt", "naïve.bin", true),
        ])
    func nginx(path: String, name: String, resumes: Bool) async throws {
        let nginx = try Nginx()
        let content = Content(seed: 11, length: 6_000_000)
        try nginx.serveOld(content, as: "film.txt")
        #expect(try await interrupt(nginx.port, path, after: 3_000_000, named: name) == content.bytes())
        try nginx.stop()
        let last = try #require(nginx.log.last)
        #expect(last.isComplete && last.status == (resumes ? 206 : 200))
        #expect(resumes == (last.bodyBytesSent < content.length))
    }

    @Test(.enabled(if: Apache.missing == nil, "\(Apache.missing ?? "")"))
    func apacheWithAFileThatHasLongBeenThere() async throws {
        let apache = try Apache()
        let content = Content(seed: 12, length: 6_000_000)
        try apache.serve(content, as: "film.bin")
        try apache.age("film.bin")
        let bytes = try await interrupt(apache.port, "/film.bin", after: 3_000_000, named: "film.bin")
        #expect(bytes == content.bytes())
    }

    /// Apache marks the entity tag of such a file as weak, and a second later as strong.
    @Test(.enabled(if: Apache.missing == nil, "\(Apache.missing ?? "")"))
    func apacheWithAFileThatJustChanged() async throws {
        let apache = try Apache()
        let content = Content(seed: 13, length: 6_000_000)
        try apache.serve(content, as: "film.bin")
        let bytes = try await interrupt(apache.port, "/film.bin", after: 3_000_000, named: "film.bin")
        #expect(bytes == content.bytes())
    }

    /// Apache's 416 has no `Content-Range`: the file became shorter than the partial file.
    @Test(.enabled(if: Apache.missing == nil, "\(Apache.missing ?? "")"))
    func apacheWithAFileThatBecameShorter() async throws {
        let apache = try Apache()
        try apache.serve(Content(seed: 14, length: 6_000_000), as: "film.bin")
        try apache.age("film.bin")
        let content = Content(seed: 15, length: 1_000_000)
        let bytes = try await interrupt(apache.port, "/film.bin", after: 4_000_000, named: "film.bin") {
            try apache.serve(content, as: "film.bin")
        }
        #expect(bytes == content.bytes())
    }
}
