import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A service with a low limit of open files and connections.
@Suite(.onEachTransport) struct DescriptorTests {
    private let product: Product
    private let latch = Latch()

    init() throws { product = try Product() }

    /// Starts the service with these limits of open files.
    private func startService(soft: Int, hard: Int) async throws -> ChildProcess {
        let program = "ulimit -S -n \(soft); ulimit -H -n \(hard); exec longhauld --idle-exit 0 2>&1"
        let service = try ChildProcess(
            ProgramCall("/bin/sh", ["-c", program], environment: product.environment))
        try await service.waitForOutput(containing: "longhauld: started ")
        return service
    }

    private func openFiles(of service: ChildProcess) -> Int {
        TemporaryDirectory.names(in: "/proc/\(service.processID)/fd").count
    }

    @Test func limitBeyondDescriptorsIsRefused() async throws {
        let service = try await startService(soft: 64, hard: 256)
        let refused = try await product.call("longhaul", ["limits", "--total", "200"]).run()
        #expect(refused.exitStatus == 2, "\(refused.output)")
        #expect(refused.errorOutput.contains("At most 48 transfers can run at once here"))
        #expect(refused.errorOutput.contains("256 open files"))
        try await product.succeed("limits", "--total", "48")
        withExtendedLifetime(service) {}
    }

    /// The service raises the default soft limit to the hard limit, and still accepts clients.
    @Test func slowDownloadsLeaveRoomForClients() async throws {
        let content = Content(seed: 3, length: 600_000)
        let server = try NastyServer(routes: [
            "/f": Route(.file(content, etag: "\"v1\"").stalled(after: 300_000, by: latch))
        ])
        let service = try await startService(soft: 64, hard: 256)
        // The stored limits of an older service exceed the available descriptors.
        try await product.succeed("limits", "--total", "48", "--per-host", "1000")
        let list = (0..<120).map { "\(server.url("/f"))\n  out=\($0)\n" }.joined()
        try product.home.write(list.utf8, to: "work/list")
        try await product.succeed("download", "-i", "list", "--detach")
        try await latch.waitForArrivals(48)
        #expect(openFiles(of: service) <= 256)
        let states = try await product.list()
        #expect(states.count == 120 && states.allSatisfy { $0["code"] == nil })
        latch.open()
        let watch = try await product.call("longhaul", ["watch"]).run()
        #expect(watch.exitStatus == 0, "\(watch.errorOutput)")
        let ended = try await product.list("--all")
        #expect(ended.count == 120 && ended.allSatisfy { $0["state"] == "succeeded" && $0["attempts"] == "1" })
    }

    /// A later step that found no descriptor would fetch a file again, under another name, after it had its name.
    @Test func fewDescriptorsFinishEachFileOnce() async throws {
        let content = Content(seed: 4, length: 50_000)
        let server = try NastyServer(routes: ["/f*": Route(.file(content, etag: "\"v1\""))])
        let service = try await startService(soft: 64, hard: 64)
        let list = (0..<20).map { "\(server.url("/f\($0)"))\n" }.joined()
        try product.home.write(list.utf8, to: "work/list")
        let download = try await product.call("longhaul", ["download", "-q", "-i", "list"]).run()
        #expect(download.exitStatus == 0, "\(download.errorOutput)")
        #expect(
            Set(TemporaryDirectory.names(in: product.home.path("work"))) == Set((0..<20).map { "f\($0)" } + ["list"]))
        withExtendedLifetime(service) {}
    }

    /// A program that uses select() fails above 1023, and relies on the usual limit.
    @Test func programsThatTheServiceStartsGetTheUsualLimit() async throws {
        let server = try NastyServer(routes: ["/f": Route(.status(200, body: "hello"))])
        let helper = """
            #!/bin/sh
            cat >/dev/null
            ulimit -S -n >\(product.home.path("work/soft"))
            printf 'username=a\\npassword=b\\n\\n'
            """
        try product.home.write(helper.utf8, to: "work/helper")
        #expect(chmod(product.home.path("work/helper"), 0o755) == 0)
        let service = try await startService(soft: 64, hard: 256)
        try await product.succeed("credentials", "helper", "--", product.home.path("work/helper"))
        try await product.succeed("download", "-q", "--credential", "x", server.url("/f"))
        #expect(try product.home.read("work/soft") == Array("64\n".utf8))
        let limits = String(decoding: try procFile("/proc/\(service.processID)/limits"), as: UTF8.self)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        #expect(line?.split(separator: " ").dropFirst(3).prefix(2).elementsEqual(["256", "256"]) ?? false)
    }

    /// A service that does not respond is still running.
    @Test func stoppingAServiceThatDoesNotAnswerIsNoSuccess() async throws {
        let service = try await startService(soft: 64, hard: 256)
        service.signal(SIGSTOP)
        defer { service.signal(SIGCONT) }
        let result = try await product.call("longhaul", ["service", "stop"]).run()
        #expect(result.exitStatus != 0 && !result.errorOutput.contains("not running"), "\(result.errorOutput)")
        #expect(result.errorOutput.contains("did not answer"))
    }

    private func procFile(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "re") else { throw TransferFailure(.fileFailed, "cannot read \(path)") }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        return Array(buffer[..<fread(&buffer, 1, buffer.count, file)])
    }
}
