import Glibc
import LonghaulCore
import TestSupport
import Testing

/// `-o -`: a download that is read while it arrives.
@Suite(.onEachTransport) struct OutputTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 81, length: 6_000_000)
    private var places: String { "state/longhaul/standard-output" }

    init() throws {
        product = try Product()
        let held = Reply.file(content, etag: "\"v1\"").stalled(after: 1_000_000, by: latch)
        server = try NastyServer(routes: [
            "/f": Route(.file(content, etag: "\"v1\"")),
            "/held": Route(held),
            "/changing": .decided { [content] _, visit in
                visit == 0 ? held : .file(Content(seed: 82, length: content.length), etag: "\"v2\"")
            },
        ])
    }

    /// Returns a shell command in which `longhaul get` is a download that trusts the test's server.
    private func shell(_ line: String) -> ProgramCall {
        let words = "CA='--cacert \(product.caFile)'; get() { longhaul download $CA \"$@\"; }; " + line
        var call = ProgramCall("/bin/bash", ["-c", words], environment: product.environment)
        call.directory = product.home.path("work")
        return call
    }

    private func expectNothingLeft() async throws {
        #expect(try await product.list().isEmpty)
        #expect(product.home.names(places) == ["lock"])
        #expect(product.home.names("work").filter { !["out", "new"].contains($0) }.isEmpty)
    }

    @Test func theBodyAloneIsWrittenWhileItComes() async throws {
        let command = try ChildProcess(shell("get -o - \(server.url("/held")) > out"))
        try await product.home.waitForBytes(of: "work/out", count: 1_000_000)
        latch.open()
        #expect(try await command.waitForEnd() == .exited(0))
        #expect(try product.home.read("work/out") == content.bytes())
        #expect(command.errorOutput.contains("downloaded held") && !command.errorOutput.contains("standard-output"))
        try await expectNothingLeft()
    }

    @Test func aServiceThatDiesIsNotNoticedByTheReader() async throws {
        let command = try ChildProcess(shell("get -q -o - \(server.url("/held")) > out"))
        try await product.home.waitForBytes(of: "work/out", count: 1_000_000)
        try await product.killService()
        latch.open()
        #expect(try await command.waitForEnd() == .exited(0))
        #expect(try product.home.read("work/out") == content.bytes())
        try await expectNothingLeft()
    }

    @Test func aReaderThatLeavesEndsTheTransfer() async throws {
        let result = try await shell("get -q -o - \(server.url("/f")) | head -c 9 > out; exit ${PIPESTATUS[0]}").run()
        #expect(result.exitStatus == 141 && result.errorOutput.isEmpty, "\(result.errorOutput)")
        #expect(try product.home.read("work/out") == Array(content.bytes().prefix(9)))
        try await expectNothingLeft()
    }

    @Test func exitStatusReportsDigestMismatchAndChangedFile() async throws {
        let wrong = String(repeating: "0", count: 64)
        let digested = try await shell("get -q -o - --sha256 \(wrong) \(server.url("/f")) > /dev/null").run()
        #expect(digested.exitStatus == 9 && digested.errorOutput.contains("digest"))
        let command = try ChildProcess(shell("get -q -o - \(server.url("/changing")) > new"))
        try await product.home.waitForBytes(of: "work/new", count: 1_000_000)
        server.dropConnections()
        #expect(try await command.waitForEnd() == .exited(9))
        #expect(command.errorOutput.contains("changed"), "\(command.errorOutput)")
        #expect(try product.home.read("work/new") == Array(content.bytes().prefix(1_000_000)), "never two versions")
        latch.open()
        try await expectNothingLeft()
    }

    @Test func nextCommandCleansUpAfterKilledOne() async throws {
        let command = try ChildProcess(shell("exec longhaul download $CA -o - \(server.url("/held")) > out"))
        try await product.home.waitForBytes(of: "work/out", count: 1_000_000)
        command.signal(SIGKILL)
        _ = try await command.waitForEnd()
        #expect(try await product.list().count == 1)
        let missing = try await shell("get -q -o - \(server.url("/missing"))").run()
        #expect(missing.exitStatus == 6 && missing.output.isEmpty && missing.errorOutput.contains("(404)"))
        server.setRoute("/closed", .init(.status(401)))
        let closed = try await product.longhaul("download", "-o", "-", server.url("/closed"))
        #expect(
            closed.errorOutput.contains("run the command again with -u USER or -H."),
            "\(closed.errorOutput)")
        latch.open()
        try await expectNothingLeft()
    }

    @Test func aSignalEndsIt() async throws {
        let command = try ChildProcess(shell("exec longhaul download $CA -o - \(server.url("/held")) > out"))
        try await product.home.waitForBytes(of: "work/out", count: 1_000_000)
        command.signal(SIGTERM)
        #expect(try await command.waitForEnd() == .exited(143))
        latch.open()
        try await expectNothingLeft()
    }
}
