import Glibc
package import LonghaulCore

/// A server on the loopback interface that behaves, right or wrong, exactly as a test specifies, over one transport.
///
/// Routes are given by path; a path ending in `*` matches all paths with that prefix. Every connection has a thread,
/// and on HTTP/2 every exchange has one until its end. It uses no timers: a delayed action waits at a `Latch`.
package final class NastyServer: Sendable {
    package let port: Int
    package let transport: Transport
    /// The host in its URLs.
    private let host: String
    /// The CA file of this server; empty if it does not use TLS.
    package let caFile: String
    private let directory: TemporaryDirectory?
    private let listener: Int32
    private let hall: ServerState

    /// Listens on a port that the kernel chooses, or on the port of an earlier server of the test.
    package init(
        routes: [String: Route] = [:], port: Int = 0, keepingBodies keptBody: Int = 4 << 20,
        over transport: Transport = .current, settings: HTTP2Settings = HTTP2Settings(),
        in machine: WiredMachine? = nil
    ) throws {
        host = machine == nil ? "127.0.0.1" : WiredMachine.serverAddress
        self.transport = transport
        directory = transport.isSecure ? try TemporaryDirectory() : nil
        try directory?.write(Certificates.shared.authority.utf8, to: "ca.pem")
        caFile = directory?.path("ca.pem") ?? ""
        (listener, self.port) =
            try machine?.far.inside { try Self.listen(on: port, everywhere: true) } ?? Self.listen(on: port)
        hall = ServerState(routes: routes, keptBody: keptBody)
        let context =
            transport.isSecure
            ? TLSContext(speaksHTTP2: transport == .http2, speaksHTTP1: transport != .http2 || settings.alsoSpeaksHTTP1)
            : nil
        let (hall, listener, unplaced) = (hall, listener, EachTransport.unplaced)
        startThread {
            Self.accept(listener, hall) { socket, number in
                if let unplaced { MatrixLog.record(unplaced, "\(transport)", .unplaced) }
                guard let channel = Channel(socket, context) else { return }
                if channel.speaksHTTP2 {
                    HTTP2Connection(hall, channel, number: number, settings).serve()
                } else {
                    HTTP1Connection(hall, channel, number: number).serve()
                }
            }
        }
    }

    deinit { stop() }

    /// Returns the URL of a path (with query) on this server. `host` can be `localhost` for another origin.
    package func url(_ path: String, host: String? = nil) -> String {
        "\(transport.scheme)://\(host ?? self.host):\(port)\(path)"
    }

    /// The network options that trust this server.
    package var network: NetworkOptions {
        var options = NetworkOptions()
        options.caFile = caFile
        return options
    }

    /// Sets the responses of a path from the next request on, and resets its number of visits.
    package func setRoute(_ path: String, _ route: Route) {
        hall.state.update { state in
            state.routes[path] = route
            state.visits[path] = 0
        }
    }

    package func setRoute(_ path: String, _ reply: Reply) { setRoute(path, Route(reply)) }

    /// Every request so far, in order of arrival.
    package var requests: [ReceivedRequest] { hall.state.value.requests }

    package func requests(to path: String) -> [ReceivedRequest] { requests.filter { $0.path == path } }

    /// The number of accepted connections.
    package var connections: Int { hall.state.value.connections }

    /// The number of requests per `Idempotency-Key`.
    package var idempotencyKeys: [String: Int] {
        requests.reduce(into: [:]) { counts, request in
            if let key = request.header("Idempotency-Key") { counts[key, default: 0] += 1 }
        }
    }

    /// Blocks until `body` returns a value for the log.
    package func wait<Result>(
        for what: String, until body: ([ReceivedRequest]) -> Result?
    ) throws(TimedOut) -> Result {
        do throws(TimedOut) {
            return try hall.state.wait(for: what) { body($0.requests) }
        } catch {
            throw TimedOut(what: what, seen: summary)
        }
    }

    package func wait<Result: Sendable>(
        for what: String, until body: @escaping @Sendable ([ReceivedRequest]) -> Result?
    ) async throws -> Result {
        try await aside { try self.wait(for: what, until: body) }
    }

    /// Blocks until the headers of the given number of requests have arrived; returns all requests.
    @discardableResult
    package func waitForRequests(_ count: Int) throws -> [ReceivedRequest] {
        try wait(for: "\(count) requests") { $0.count >= count ? $0 : nil }
    }

    @discardableResult
    package func waitForRequests(_ count: Int) async throws -> [ReceivedRequest] {
        try await aside { try self.waitForRequests(count) }
    }

    /// Blocks until the given number of requests have finished, with a response or without.
    @discardableResult
    package func waitForFinishedRequests(_ count: Int) throws -> [ReceivedRequest] {
        try wait(for: "\(count) finished requests") { log in
            log.filter(\.isFinished).count >= count ? log : nil
        }
    }

    @discardableResult
    package func waitForFinishedRequests(_ count: Int) async throws -> [ReceivedRequest] {
        try await aside { try self.waitForFinishedRequests(count) }
    }

    /// Ends every connection as if the network failed: with a reset if an exchange was in progress.
    package func dropConnections() {
        hall.state.update { state in
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Closes the port and every connection, and returns when all threads have ended. May be called twice.
    package func stop() {
        let gates = hall.state.update { state in
            if !state.isStopping { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isStopping = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            return state.gates
        }
        for latch in gates { latch.open() }
        do throws(TimedOut) {
            try hall.state.wait(for: "the server's threads to end") { $0.threads == 0 ? () : nil }
        } catch {
            fatalError("a thread of the server hangs: \(error)")
        }
    }

    /// Returns a port of the loopback interface that refuses connections: it is reserved until the process ends, so
    /// that no other server gets it meanwhile.
    package static func refusingPort() throws -> Int {
        let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = LoopbackAddress.make(port: 0)
        let isTaken = LoopbackAddress.with(&address) { address, size in
            var size = size
            return bind(taken, address, size) == 0 && getsockname(taken, address, &size) == 0
        }
        guard isTaken else { throw TransferFailure(.fileFailed, "no port is free", origin: .system(Int(errno))) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns a port of the loopback interface without a listener, for a server that a test starts.
    package static func closedPort() throws -> Int {
        let (socket, port) = try listen(on: 0)
        close(socket)
        return port
    }

    /// A summary of the log, for a failing test.
    package var summary: String {
        requests.map { request in
            "\(request.method) \(request.target) [\(request.header("Range") ?? "")] → \(request.status ?? 0)"
                + " in \(request.bodyLength) out \(request.responseBytes)\(request.isFinished ? "" : " (under way)")"
        }.joined(separator: "\n")
    }

    static func listen(on port: Int, everywhere: Bool = false) throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = LoopbackAddress.make(port: port)
        if everywhere { address.sin_addr.s_addr = INADDR_ANY }
        let isListening = LoopbackAddress.with(&address) { address, size in
            var size = size
            return bind(listener, address, size) == 0 && Glibc.listen(listener, 512) == 0
                && getsockname(listener, address, &size) == 0
        }
        guard isListening else {
            defer { close(listener) }
            throw TransferFailure(.fileFailed, "cannot listen", origin: .system(Int(errno)))
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func accept(
        _ listener: Int32, _ hall: ServerState, serve: @escaping @Sendable (_ socket: Int32, _ number: Int) -> Void
    ) {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard socket >= 0 else { break }
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            var yes: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard let number = hall.admit(socket) else {
                close(socket)
                continue
            }
            startThread {
                serve(socket, number)
                hall.dismiss(socket)
            }
        }
        close(listener)
        hall.state.update { $0.threads -= 1 }
    }
}
