import Glibc
import LonghaulCore

/// A real server as a child process on a free port of the loopback interface.
struct ServerProcess: Sendable {
    let child: ChildProcess
    let port: Int

    /// Starts the program that `call` describes for a port, and returns when the server responds to `request` with
    /// `expected`. Another process may take the port between choosing and using it: then another port is tried.
    static func start(
        port fixed: Int? = nil, request: String, expecting expected: String, _ call: (_ port: Int) throws -> ProgramCall
    ) throws -> ServerProcess {
        try start(port: fixed, isReady: { answer(of: $0, to: request)?.contains(expected) == true }, call)
    }

    /// Starts a server that uses the transport of its test, with the CA in `directory` if that is TLS, and whose
    /// response to a path is `token`.
    static func start(
        answering path: String, with token: String, _ directory: TemporaryDirectory,
        _ call: (_ port: Int) throws -> ProgramCall
    ) throws -> ServerProcess {
        let transport = Transport.current
        guard transport.isSecure else { return try start(request: "GET \(path)", expecting: token, call) }
        return try start(
            isReady: { port in
                let version = transport == .http2 ? "--http2" : "--http1.1"
                let words = ["-sS", version, "--cacert", directory.path("ca.pem"), "https://127.0.0.1:\(port)\(path)"]
                // There is no response until the server listens.
                let result = try? ProgramCall("/usr/bin/curl", words).run()
                return result?.output.contains(token) == true
            }, call)
    }

    /// Starts a server with another readiness check than a plain HTTP request.
    static func start(
        port fixed: Int? = nil, isReady: (_ port: Int) -> Bool, _ call: (_ port: Int) throws -> ProgramCall
    ) throws -> ServerProcess {
        if let unplaced = EachTransport.unplaced { MatrixLog.record(unplaced, "\(Transport.current)", .unplaced) }
        var trouble = ""
        for _ in 0..<5 {
            let port = try fixed ?? NastyServer.closedPort()
            let child = try ChildProcess(call(port))
            for _ in 0..<3_000 {
                if child.isRunning, isReady(port) {
                    return ServerProcess(child: child, port: port)
                }
                // A pause between two checks, which ends early if the server dies.
                if (try? child.waitForEnd(limit: .milliseconds(10))) != nil { break }
            }
            ServerProcess(child: child, port: port).kill()
            trouble = child.errorOutput + child.output
        }
        throw TransferFailure(.serviceUnavailable, "the server did not start: \(trouble)")
    }

    /// Ends the server normally.
    func stop() throws {
        child.signal(SIGTERM)
        try child.waitForEnd()
    }

    /// Kills the server, and returns when it writes no more: its directory can be deleted.
    func kill() {
        child.signal(SIGKILL)
        // A process that survives this is stuck in the kernel, and a test cannot help that.
        _ = try? child.waitForEnd()
    }

    private static func answer(of port: Int, to request: String) -> String? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = LoopbackAddress.make(port: port)
        let isConnected = LoopbackAddress.with(&address) { connect(socket, $0, $1) == 0 }
        let text = Array("\(request) HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        guard isConnected, send(socket, text, text.count, Int32(MSG_NOSIGNAL)) == text.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_WAITALL))
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
