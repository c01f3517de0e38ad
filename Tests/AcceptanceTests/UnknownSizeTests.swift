import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A source whose size is unknown or wrong arrives whole, or is refused.
@Suite(.onEachTransport) struct UnknownSizeTests {
    enum Kind: CaseIterable { case put, post, form, tus }

    private let product: Product
    private let tus = TusService(path: "/files/")
    private let server: NastyServer
    private var stage: String { product.sessionPath() + "/staged" }

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/in": Route(.status(201)), "/in/*": Route(.status(201)), "/files/*": tus.route,
        ])
    }

    private func arguments(_ kind: Kind, _ source: String) -> [String] {
        switch kind {
        case .put: ["upload", source, server.url("/in/")]
        case .post: ["upload", "-X", "POST", source, server.url("/in")]
        case .form: ["upload", "-F", "f=@\(source)", server.url("/in")]
        case .tus: ["upload", "--tus", source, server.url("/files/")]
        }
    }

    /// The name and the bytes with which the server got the file.
    private func received(_ kind: Kind) throws -> (name: String, bytes: [UInt8]) {
        if kind == .tus {
            let upload = try #require(tus.uploads.last)
            return (upload.metadata ?? "", upload.bytes)
        }
        let request = try #require(server.requests.last)
        guard kind == .form else { return (request.path, request.body) }
        // The delimiter behind the file is a line break, four hyphens, the boundary, and another line break.
        let boundary = try #require(request.header("Content-Type")?.split(separator: "=").last)
        let start = try #require(request.body.indices.first { request.body[$0...].starts(with: "\r\n\r\n".utf8) })
        return (
            String(decoding: request.body[..<start], as: UTF8.self),
            Array(request.body[(start + 4)...].dropLast(boundary.utf8.count + 8))
        )
    }

    @Test(
        arguments: Kind.allCases,
        ["/proc/version", "/sys/class/net/lo/mtu", "/sys/kernel/notes", "/proc/cmdline"])
    func pseudoFileArrivesWhole(kind: Kind, path: String) async throws {
        let content = try bytes(of: path)
        #expect(!content.isEmpty)
        let result = try await product.call("longhaul", arguments(kind, path)).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        let (name, bytes) = try received(kind)
        #expect(bytes == content)
        switch kind {
        case .put: #expect(name == "/in/" + path.fileName)
        case .post: break
        case .form: #expect(name.contains("filename=\"\(path.fileName)\""))
        case .tus: #expect(name.contains(["version": "dmVyc2lvbg==", "mtu": "bXR1"][path.fileName] ?? "filename "))
        }
        #expect(try await product.home.becomesEmpty(stage))
    }

    @Test(arguments: Kind.allCases) func processSubstitutionArrivesWhole(kind: Kind) async throws {
        let command = arguments(kind, "SOURCE").map { $0.replacing("SOURCE", with: "<(head -c 300000 /dev/zero)") }
        let trust = Transport.current.isSecure ? "--cacert \(product.caFile)" : ""
        let script = "longhaul \(command[0]) \(trust) " + command.dropFirst().joined(separator: " ")
        var call = ProgramCall("/bin/bash", ["-c", script], environment: product.environment)
        call.directory = product.home.path("work")
        let result = try await call.run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        #expect(try received(kind).bytes == [UInt8](repeating: 0, count: 300_000))
        #expect(try await product.home.becomesEmpty(stage))
    }

    @Test(arguments: Kind.allCases) func namedPipeIsReadToItsEnd(kind: Kind) async throws {
        let fifo = product.home.path("work/fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let command = try ChildProcess(product.call("longhaul", arguments(kind, "fifo")))
        let writer = try await aside { open(fifo, O_WRONLY | O_CLOEXEC) }
        for _ in 0..<3 {
            let bytes = [UInt8](repeating: 7, count: 50_000)
            #expect(try await send(bytes, to: writer) == bytes.count)
            #expect(server.requests.isEmpty)
        }
        close(writer)
        #expect(try await command.waitForEnd() == .exited(0), "\(command.errorOutput)")
        #expect(try received(kind).bytes == [UInt8](repeating: 7, count: 150_000))
        #expect(try await product.home.becomesEmpty(stage))
    }

    @Test func commandKilledWhileItReadsAPipeLeavesNothing() async throws {
        try await product.succeed("list")
        let fifo = product.home.path("work/fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let command = try ChildProcess(product.call("longhaul", arguments(.put, "fifo")))
        let writer = try await aside { open(fifo, O_WRONLY | O_CLOEXEC) }
        defer { close(writer) }
        let bytes = contentBytes(seed: 4, length: 200_000)
        #expect(try await send(bytes, to: writer) == bytes.count)
        command.signal(SIGKILL)
        try await command.waitForEnd()
        #expect(product.home.names(stage).count == 1)
        try await product.killService()
        try await product.succeed("list")
        #expect(try await product.home.becomesEmpty(stage))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: Kind.allCases) func emptyFileArrivesEmpty(kind: Kind) async throws {
        try product.home.write([], to: "work/empty")
        let result = try await product.call("longhaul", arguments(kind, "empty")).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        #expect(try received(kind).bytes.isEmpty)
        #expect(try await product.list("--all").first?["path"] == product.home.path("work/empty"), "it was copied")
    }

    @Test(
        arguments: Kind.allCases,
        [
            ("/dev/zero", "is a device, which may be endless"), ("/", "is a directory"), ("socket", "is a socket"),
            ("/proc/self/mem", ": Input/output error."),
        ])
    func endlessOrUnreadableSourceIsRefused(kind: Kind, source: (path: String, reason: String)) async throws {
        let python = "import socket; socket.socket(socket.AF_UNIX).bind('socket')"
        var call = ProgramCall("/usr/bin/python3", ["-c", python], environment: product.environment)
        call.directory = product.home.path("work")
        #expect(try await call.run().exitStatus == 0)
        let result = try await product.call("longhaul", arguments(kind, source.path)).run()
        #expect(result.exitStatus == 3)
        #expect(result.errorOutput.contains(source.reason), "\(result.errorOutput)")
        #expect(server.requests.isEmpty && product.home.names(stage).isEmpty)
    }

    @Test func smallRequestSendsAPseudoFileWhole() async throws {
        try await product.succeed("request", "--data", "@/proc/version", server.url("/in"))
        #expect(try received(.post).bytes == bytes(of: "/proc/version"))
    }

    @Test func listNamesACopyLikeItsFile() async throws {
        try await product.succeed("upload", "-F", "f=@/proc/version", server.url("/in"))
        let listed = try #require(try await product.list("--all").first)
        #expect(listed["name"] == "version" && listed["path"] == nil)
    }

    /// A file that a process still writes is never sent in part with success.
    @Test(arguments: Kind.allCases, [0, 20_000_000] as [off_t])
    func fileWhoseSizeChangesIsNotSent(kind: Kind, size: off_t) async throws {
        let latch = Latch()
        let stall = Reply.status(201).intake(.stall(after: 100_000, latch))
        server.setRoute("/in", Route(stall))
        server.setRoute("/in/*", Route(stall))
        tus.script("PATCH", .stall(after: 100_000, latch))
        try product.home.write(Content(seed: 1, length: 10_000_000), to: "work/log")
        let command = try ChildProcess(product.call("longhaul", arguments(kind, "log")))
        try await aside { try latch.waitForArrivals() }
        #expect(truncate(product.home.path("work/log"), size) == 0)
        latch.open()
        #expect(try await command.waitForEnd() == .exited(3), "\(command.errorOutput)")
        #expect(command.errorOutput.contains("changed after it was submitted"), "\(command.errorOutput)")
        #expect(tus.uploads.allSatisfy { $0.offset < $0.length })
    }
}

private func send(_ bytes: [UInt8], to writer: Int32) async throws -> Int {
    try await aside {
        blockBrokenPipeSignal()
        return write(writer, bytes, bytes.count)
    }
}

private func bytes(of path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(file, &bytes, bytes.count)
    guard count >= 0 else { throw Unexpected() }
    return Array(bytes[..<count])
}

extension String {
    fileprivate var fileName: String { split(separator: "/").last.map(String.init) ?? "" }
}
