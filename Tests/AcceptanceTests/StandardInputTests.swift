import Glibc
import LonghaulCore
import TestSupport
import Testing

/// `upload -` keeps its input in the session until it has arrived, and no longer.
@Suite(.onEachTransport) struct StandardInputTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private var stage: String { product.sessionPath() + "/staged" }

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/in": Route(.status(201)), "/held": Route(.status(201).held(by: latch))])
    }

    @Test func standardInputIsUploadedThenDeleted() async throws {
        let bytes = contentBytes(seed: 3, length: 700_000)
        var call = product.call("longhaul", ["upload", "-", server.url("/in")])
        call.input = bytes
        #expect(try await call.run().exitStatus == 0)
        let request = try #require(server.requests.last)
        #expect(request.body == bytes && request.header("Content-Length") == "700000")
        #expect(try await product.home.becomesEmpty(stage))
    }

    @Test func standardInputOutlivesCommand() async throws {
        var call = product.call("longhaul", ["upload", "-", server.url("/held"), "--detach"])
        call.input = Array("later".utf8)
        let id = try await call.run().output.prefix(36)
        #expect(product.home.names(stage).count == 1)
        latch.open()
        try await product.succeed("watch", String(id))
        #expect(server.requests.last?.body == Array("later".utf8))
        #expect(try await product.home.becomesEmpty(stage))
    }

    @Test func aCommandKilledWhileItReadsLeavesNothingAfterTheNextOpening() async throws {
        try await product.succeed("list")
        let fifo = product.home.path("work/fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let command = try ChildProcess(
            ProgramCall(
                "/bin/sh", ["-c", "exec longhaul upload --cacert \(product.caFile) - \(server.url("/in")) < fifo"],
                environment: product.environment, in: product.home.path("work")))
        let writer = try await aside { open(fifo, O_WRONLY | O_CLOEXEC) }
        defer { close(writer) }
        let bytes = contentBytes(seed: 4, length: 100_000)
        #expect(try await aside { write(writer, bytes, bytes.count) } == bytes.count)
        command.signal(SIGKILL)
        try await command.waitForEnd()
        #expect(product.home.names(stage).count == 1)
        try await product.killService()
        try await product.succeed("list")
        #expect(try await product.home.becomesEmpty(stage))
        #expect(server.requests.isEmpty)
    }
}

extension ProgramCall {
    fileprivate init(
        _ path: String, _ arguments: [String], environment: [String: String], in directory: String
    ) {
        self.init(path, arguments, environment: environment)
        self.directory = directory
    }
}
