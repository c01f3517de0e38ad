import LonghaulCore
import TestSupport
import Testing

/// Sources that are silent while another one has the file.
@Suite(.onEachTransport) struct SilentSourceTests {
    private static let content = Content(seed: 451, length: (12 << 20) + 5)
    /// Longer than the mirror needs, and shorter than the time limits without a mirror.
    private static let limit = Duration.seconds(25)

    private func mirror() throws -> NastyServer {
        try NastyServer(routes: ["/g.bin": Route(.file(Self.content, etag: "\"v1\"").paced(3 << 20))])
    }

    /// Downloads from a silent source whose mirror has the file, and returns the doctor's output for each.
    private func download(
        _ product: Product, _ url: String, _ mirror: NastyServer, _ options: [String]
    ) async throws -> (silent: String, mirror: String) {
        let words = ["download", "-o", "f.bin", "--mirror", mirror.url("/g.bin"), url] + options
        let result = try await product.call("longhaul", words).run(limit: Self.limit)
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        let id = try #require(try await product.list().first?["id"])
        let lines = try await product.succeed("doctor", id).split(separator: "\n").map(String.init)
        func line(_ url: String) -> String { lines.first { $0.contains(url + " ") || $0.contains(url + ": ") } ?? "" }
        return (line(url), line(mirror.url("/g.bin")))
    }

    /// The rate of a single connection is not measured.
    private func expectMirror(_ line: String, _ options: [String]) {
        #expect(line.contains("12.0 MiB received"), "\(line)")
        #expect(options != ["--split", "4"] || line.contains("/s per connection"), "\(line)")
    }

    @Test(
        .enabled(if: NetworkNamespace.missing == nil, "\(NetworkNamespace.missing ?? "")"),
        arguments: [[], ["--split", "4"], ["--split", "1"]])
    func lostPacketsLeaveTheMirror(options: [String]) async throws {
        let network = try NetworkNamespace(hook: "input", rule: "tcp dport 9 drop")
        let transport = Transport.current
        let mirror = try await network.run { try Transport.$current.withValue(transport) { try self.mirror() } }
        let words = try await download(
            Product(in: network), "\(transport.scheme)://127.0.0.1:9/f.bin", mirror, options)
        #expect(words.silent.contains("0 B received, "), "\(words)")
        expectMirror(words.mirror, options)
    }

    @Test(arguments: [[], ["--split", "4"], ["--split", "1"]])
    func unansweredRequestLeavesTheMirror(options: [String]) async throws {
        let silent = try NastyServer(routes: ["/f.bin": Route(.silence())])
        let words = try await download(try Product(), silent.url("/f.bin"), try mirror(), options)
        #expect(words.silent.contains("0 B received, "), "\(words)")
        expectMirror(words.mirror, options)
    }

    @Test(arguments: [[], ["--split", "4"], ["--split", "1"]])
    func silenceInTheBodyLeavesTheMirror(options: [String]) async throws {
        let silent = try NastyServer(routes: [
            "/f.bin": Route(.file(Self.content, etag: "\"v1\"").stalled(after: 3 << 20, by: Latch()))
        ])
        let words = try await download(try Product(), silent.url("/f.bin"), try mirror(), options)
        #expect(!words.silent.contains("0 B received") && !words.mirror.contains("0 B received"), "\(words)")
    }
}
