import LonghaulCore
import TestSupport
import Testing

private let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
private let python = Tools.directory + "/venv/bin/python"

/// Why the example cannot be run.
private let whatIsMissing: String? = {
    func works(_ call: ProgramCall) -> Bool {
        // A program that cannot be started counts as missing.
        guard let result: ProgramCall.Result = try? call.run() else { return false }
        return result.exitStatus == 0
    }
    guard works(ProgramCall(python, ["-c", "import google.protobuf"])) else {
        return "there is no protobuf for Python: scripts/setup installs it"
    }
    return works(ProgramCall("/usr/bin/protoc", ["--version"])) ? nil : "there is no protoc: scripts/setup installs it"
}()

/// The program in `Examples/Python`, unchanged: the socket's protocol from another language.
@Suite(.onEachTransport, .enabled(if: whatIsMissing == nil, "\(whatIsMissing ?? "")"))
struct PythonExampleTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 6, length: 3_000_000)

    init() async throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/film": Route(.file(content, etag: "\"v1\"").stalled(after: 1_000_000, by: latch))
        ])
        try product.home.makeDirectory("python")
        let docs = root + "/docs/internals"
        let words = ["--python_out=" + product.home.path("python"), "-I", docs, "longhaul.proto", "longhaul-ipc.proto"]
        #expect(try await ProgramCall("/usr/bin/protoc", words).run().exitStatus == 0)
        try await product.succeed("service", "start")
    }

    private func call(_ words: String...) -> ProgramCall {
        var call = ProgramCall(
            python, [root + "/Examples/Python/longhaul.py"] + words, environment: product.environment)
        call.environment["PYTHONPATH"] = product.home.path("python")
        call.directory = product.home.path("work")
        return call
    }

    @Test func exampleDownloadsWatchesPausesAndResumes() async throws {
        let submission = try await call("download", server.url("/film")).run()
        let id = String(submission.output.prefix { $0 != "\n" })
        #expect(submission.exitStatus == 0 && id.count == 36, "\(submission.errorOutput)")
        let watch = try ChildProcess(call("watch", id))
        try await watch.waitForOutput(containing: "film: running, 1")
        #expect(try await call("pause", id).run().exitStatus == 0)
        try await watch.waitForOutput(containing: "film: paused")
        latch.open()
        #expect(try await call("resume", id).run().exitStatus == 0)
        #expect(try await watch.waitForEnd() == .exited(0))
        #expect(watch.output.hasSuffix("film: succeeded, 3000000 of 3000000 bytes\n"))
        #expect(try product.home.read("work/film") == content.bytes())
        let refusal = try await call("pause", id).run()
        #expect(refusal.exitStatus == 1 && !refusal.errorOutput.isEmpty)
    }

    @Test func exampleHasAtMostOneHundredLines() async throws {
        let count = try await ProgramCall("/usr/bin/wc", ["-l", root + "/Examples/Python/longhaul.py"]).run()
            .output
        #expect(Int(count.prefix { $0.isNumber }).map { $0 <= 100 } == true, "\(count)")
    }
}
