import Foundation
import Glibc

/// Sockets on 127.0.0.1.
enum Loopback {
    static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    static func connect(port: UInt16) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(port: port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(socket)
            throw BenchFailure("nothing answers on port \(port)")
        }
        return socket
    }

    /// A socket that listens, and its port.
    static func listen() throws -> (socket: Int32, port: UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && Glibc.listen(socket, 4096) == 0
                    && getsockname(socket, $0, &length) == 0
            }
        }
        guard isListening else { throw BenchFailure("no port is free") }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    static func freePort() throws -> UInt16 {
        let (socket, port) = try listen()
        close(socket)
        return port
    }
}

/// A server that accepts connections and never sends a byte; it records when each arrived.
final class SilentServer {
    let port: UInt16
    private let socket: Int32
    private var clients: [Int32] = []

    init() throws {
        (socket, port) = try Loopback.listen()
    }

    deinit {
        clients.forEach { close($0) }
        close(socket)
    }

    /// Drops every connection that has arrived so far.
    func drop() {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) > 0 { clients.append(accept(socket, nil, nil)) }
        clients.forEach { close($0) }
        clients = []
    }

    /// The time at which the next connection brought its first byte.
    func firstByte(within seconds: Double) throws -> Double {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(seconds * 1000)) == 1 else {
            throw BenchFailure("no connection came in \(seconds) s")
        }
        let client = accept(socket, nil, nil)
        clients.append(client)
        waiting.fd = client
        guard poll(&waiting, 1, Int32(seconds * 1000)) == 1 else {
            throw BenchFailure("no request came in \(seconds) s")
        }
        return Clock.now
    }
}
