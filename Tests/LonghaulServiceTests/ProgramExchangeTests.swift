import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// An upgrade: a service whose program file was deleted.
@Suite(.enabled(if: Product.missing == nil, "\(Product.missing ?? "")")) struct ProgramExchangeTests {
    private let product: Product
    private let program: String

    init() throws {
        product = try Product()
        program = product.home.path("bin/longhauld")
        try product.home.makeDirectory("bin")
        try install()
    }

    /// Installs the program as dpkg does: writes it under another name, and renames it.
    private func install(_ content: String? = nil) throws {
        let new = program + ".new"
        let source = content.map { "printf %s '\($0)' > \(new)" } ?? "cp \(Product.directory)/longhauld \(new)"
        #expect(try ProgramCall("/bin/sh", ["-c", source + " && chmod 755 \(new)"]).run().ending == .exited(0))
        #expect(rename(new, program) == 0)
    }

    private func start() async throws -> ChildProcess {
        let process = try ChildProcess(
            ProgramCall(
                "/bin/sh", ["-c", "exec \(program) --idle-exit 0 2>&1"], environment: product.environment))
        try await process.waitForOutput(containing: "longhauld: started ")
        return process
    }

    /// Returns the program file of a process; the kernel appends a remark to the name of a deleted file.
    private func file(of process: ChildProcess) -> String {
        var path = [UInt8](repeating: 0, count: 4_096)
        let count = readlink("/proc/\(process.processID)/exe", &path, path.count)
        return String(decoding: path[..<max(0, count)], as: UTF8.self)
    }

    private func starts(_ output: String) -> Int {
        output.split(separator: "\n").count { $0.contains("longhauld: started ") }
    }

    private func status() async throws -> ServiceStatus {
        try await ServiceConnection.open(startsService: false, environment: product.environment).status()
    }

    @Test func anIdleServiceBecomesTheNewProgramAtOnce() async throws {
        let process = try await start()
        try install()
        _ = try await process.waitForOutput(for: "that it has started again") { starts($0) == 2 ? () : nil }
        #expect(file(of: process) == program)
        #expect(try await status().processID == Int(process.processID), "it is the same process")
        process.signal(SIGTERM)
        #expect(try await process.waitForEnd() == .exited(0), "the new program hears signals")
    }

    @Test(.onEachTransport) func aTransferUnderWayIsNotDisturbed() async throws {
        let latch = Latch()
        let content = Content(seed: 4, length: 3_000_000)
        let reply = Reply.file(content, etag: "\"v1\"")
        let server = try NastyServer(routes: ["/a": .inTurn(reply.stalled(after: 1_000_000, by: latch), reply)])
        let process = try await start()
        var call = product.call("longhaul", ["download", server.url("/a")])
        (call.path, call.arguments) = ("/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", call.path] + call.arguments)
        let download = try ChildProcess(call)
        try await download.waitForOutput(containing: "receiving")
        try install()
        // More than the second between two checks.
        _ = try await aside { usleep(1_500_000) }
        #expect(file(of: process) == program + " (deleted)")
        latch.open()
        #expect(try await download.waitForEnd() == .exited(0))
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(server.requests.count == 1, "no byte came twice")
        _ = try await process.waitForOutput(for: "that it has started again") { starts($0) == 2 ? () : nil }
        #expect(file(of: process) == program)
    }

    @Test func brokenReplacementDoesNotReplaceService() async throws {
        let process = try await start()
        try install("#!/bin/sh\nexit 1\n")
        _ = try await aside { usleep(1_500_000) }
        #expect(try await status().processID == Int(process.processID))
        try install()
        _ = try await process.waitForOutput(for: "that it has started again") { starts($0) == 2 ? () : nil }
        #expect(file(of: process) == program)
    }

    @Test func aProgramThatWasRemovedHasNoFollower() async throws {
        let process = try await start()
        #expect(unlink(program) == 0)
        #expect(try await status().processID == Int(process.processID))
        #expect(starts(process.output) == 1)
    }
}
