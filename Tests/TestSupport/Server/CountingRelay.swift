import Glibc
import LonghaulCore

/// Forwards and counts all bytes between a client and a server on the loopback interface.
package final class CountingRelay: Sendable {
    package struct Counts: Sendable {
        /// Bytes from clients, to the server.
        package var up: Int64 = 0
        /// Bytes from the server, to clients.
        package var down: Int64 = 0
        package var connections = 0
        /// Connections that neither side has ended completely.
        package var open = 0
        /// Further bytes wait here until the limit is raised.
        fileprivate var upLimit = Int64.max
        fileprivate var downLimit = Int64.max
        fileprivate var sockets: Set<Int32> = []
        fileprivate var isStopping = false
    }

    package let port: Int
    private let listener: Int32
    private let counts = Monitor(Counts())

    /// `downLimit` is the number of bytes forwarded from the server.
    package init(to server: Int, downLimit: Int64 = .max) throws {
        (listener, port) = try NastyServer.listen(on: 0)
        counts.update { $0.downLimit = downLimit }
        let (listener, counts) = (listener, counts)
        startThread {
            while case let socket = accept(listener, nil, nil), socket >= 0 || errno == EINTR || errno == ECONNABORTED {
                if socket >= 0 { Self.relay(socket, to: server, counts) }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        counts.update { counts in
            counts.isStopping = true
            for socket in counts.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    package var value: Counts { counts.value }

    /// Raises the limit of the server's bytes.
    package func allow(down limit: Int64) {
        counts.update { $0.downLimit = limit }
    }

    /// Raises the limit of the clients' bytes.
    package func allow(up limit: Int64) {
        counts.update { $0.upLimit = limit }
    }

    /// Blocks until `body` returns a value for the counts.
    package func wait<Result: Sendable>(
        for what: String, until body: @escaping @Sendable (Counts) -> Result?
    ) async throws -> Result {
        try await aside { [counts] in try counts.wait(for: what) { body($0) } }
    }

    /// Blocks: for tests without other asynchronous code.
    package func waitHere<Result>(for what: String, until body: (Counts) -> Result?) throws -> Result {
        try counts.wait(for: what) { body($0) }
    }

    private static func relay(_ client: Int32, to port: Int, _ counts: Monitor<Counts>) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // Limits the bytes in flight that the client will never see.
        var size: Int32 = 64 << 10
        setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var address = LoopbackAddress.make(port: port)
        let isWanted = counts.update { counts in
            guard !counts.isStopping else { return false }
            counts.sockets.formUnion([client, server])
            counts.connections += 1
            counts.open += 1
            return true
        }
        guard isWanted, LoopbackAddress.with(&address, { connect(server, $0, $1) }) == 0 else {
            return end(client, server, wasOpen: isWanted, counts)
        }
        let ended = Monitor(0)
        for isUp in [true, false] {
            startThread {
                if isUp {
                    copy(client, server) { waitForAllowance($0, \.up, \.upLimit, counts) }
                } else {
                    copy(server, client) { waitForAllowance($0, \.down, \.downLimit, counts) }
                }
                let isLast = ended.update { ended in
                    ended += 1
                    return ended == 2
                }
                if isLast { end(client, server, wasOpen: true, counts) }
            }
        }
    }

    /// Returns how many bytes may be forwarded now; waits until it is at least one. 0 if the relay stops.
    private static func waitForAllowance(
        _ count: Int, _ passed: WritableKeyPath<Counts, Int64>, _ limit: KeyPath<Counts, Int64>,
        _ counts: Monitor<Counts>
    ) -> Int {
        let taken = try? counts.wait(for: "leave to hand on", limit: .seconds(600)) { counts -> Int? in
            if counts.isStopping { return 0 }
            let count = min(Int64(count), counts[keyPath: limit] - counts[keyPath: passed])
            guard count > 0 else { return nil }
            counts[keyPath: passed] += count
            return Int(count)
        }
        return taken ?? 0
    }

    private static func copy(_ from: Int32, _ to: Int32, _ take: (Int) -> Int) {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while case let count = recv(from, &buffer, buffer.count, 0), count != 0 {
            if count < 0 {
                if errno == EINTR { continue }
                break
            }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let taken = take(rest.count)
                guard taken > 0, send(to, Array(rest.prefix(taken)), taken, Int32(MSG_NOSIGNAL)) == taken else { break }
                rest = rest.dropFirst(taken)
            }
            guard rest.isEmpty else { break }
        }
        // The other direction may still have bytes, unless their receiver has disconnected.
        shutdown(to, Int32(SHUT_WR))
        shutdown(from, Int32(SHUT_RD))
    }

    /// Closed under the lock, so that stopping never closes another connection's socket.
    private static func end(_ client: Int32, _ server: Int32, wasOpen: Bool, _ counts: Monitor<Counts>) {
        counts.update { counts in
            for socket in [client, server] {
                counts.sockets.remove(socket)
                close(socket)
            }
            if wasOpen { counts.open -= 1 }
        }
    }
}
