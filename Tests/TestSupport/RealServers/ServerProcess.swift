import Glibc
import LonghaulCore

/// A real server as a child process on a free port of the loopback interface.
struct ServerProcess: Sendable {
    let child: ChildProcess
    let port: Int

    /// Starts what `call` describes for a port, and returns when the server answers `request` with `expected`.
    /// Somebody else may take the port between choosing and using it: then another one is tried.
    static func start(
        port fixed: Int? = nil, request: String, expecting expected: String, _ call: (_ port: Int) throws -> ProgramCall
    ) throws -> ServerProcess {
        try start(port: fixed, isReady: { answer(of: $0, to: request)?.contains(expected) == true }, call)
    }

    /// Starts a server that speaks the transport of its test, with the authority in `directory` where that is TLS: it
    /// answers a path with `token`.
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
                // Until the server listens there is no answer.
                let result = try? ProgramCall("/usr/bin/curl", words).run()
                return result?.output.contains(token) == true
            }, call)
    }

    /// The same with another question than one of plain HTTP.
    static func start(
        port fixed: Int? = nil, isReady: (_ port: Int) -> Bool, _ call: (_ port: Int) throws -> ProgramCall
    ) throws -> ServerProcess {
        if let unplaced = EachTransport.unplaced { MatrixLog.note(unplaced, "\(Transport.current)", .unplaced) }
        var trouble = ""
        for _ in 0..<5 {
            let port = try fixed ?? NastyServer.closedPort()
            let child = try ChildProcess(call(port))
            for _ in 0..<3_000 {
                if child.isRunning, isReady(port) {
                    return ServerProcess(child: child, port: port)
                }
                // The wait is a pause between two looks that a dying server cuts short.
                if (try? child.waitForEnd(limit: .milliseconds(10))) != nil { break }
            }
            ServerProcess(child: child, port: port).kill()
            trouble = child.errorOutput + child.output
        }
        throw TransferFailure(.serviceUnavailable, "the server did not start: \(trouble)")
    }

    /// Ends it in order.
    func stop() throws {
        child.signal(SIGTERM)
        try child.waitForEnd()
    }

    /// Ends it at once, and returns when it writes nothing more: its directory can go.
    func kill() {
        child.signal(SIGKILL)
        // A process that even this does not end is stuck in the kernel, and no test can do more about it.
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
