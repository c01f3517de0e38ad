import Glibc
import LonghaulCore

/// A SOCKS 5 proxy (RFC 1928) that answers as scripted. It connects to no server: after a success, it sends an HTTP response itself.
package final class SocksPeer: Sendable {
    package struct Script: Sendable {
        /// The user name and the password (RFC 1929) that it requires, with a colon.
        package var login: String?
        /// The reply to a request; 0 for success.
        package var reply: UInt8 = 0
        /// Sent instead of the first answer.
        package var noise: String?

        package init(login: String? = nil, reply: UInt8 = 0, noise: String? = nil) {
            (self.login, self.reply, self.noise) = (login, reply, noise)
        }
    }

    package let port: Int
    private let listener: Int32
    private let connections = Monitor(0)

    package init(_ script: Script) throws {
        (listener, port) = try NastyServer.listen(on: 0)
        let (listener, connections) = (listener, connections)
        startThread {
            while case let socket = accept(listener, nil, nil), socket >= 0 || errno == EINTR || errno == ECONNABORTED {
                guard socket >= 0 else { continue }
                connections.update { $0 += 1 }
                Self.serve(socket, script)
                close(socket)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    package var connectionCount: Int { connections.value }

    private static func serve(_ socket: Int32, _ script: Script) {
        guard let greeting = read(2, socket), let methods = read(Int(greeting[1]), socket) else { return }
        if let noise = script.noise { return write(Array(noise.utf8), socket) }
        let method: UInt8 = script.login == nil ? 0 : 2
        guard methods.contains(method) else { return write([5, 0xFF], socket) }
        write([5, method], socket)
        if let login = script.login {
            guard let head = read(2, socket), let user = read(Int(head[1]), socket), let length = read(1, socket),
                let password = read(Int(length[0]), socket)
            else { return }
            let isRight = user + [UInt8(ascii: ":")] + password == Array(login.utf8)
            write([1, isRight ? 0 : 1], socket)
            guard isRight else { return }
        }
        guard let request = read(5, socket) else { return }
        // An address (1 for IPv4), or a name and its length (3); then the port.
        guard read(request[3] == 3 ? Int(request[4]) + 2 : 5, socket) != nil else { return }
        write([5, script.reply, 0, 1, 0, 0, 0, 0, 0, 0], socket)
        guard script.reply == 0 else { return }
        var seen: [UInt8] = []
        while !seen.reversed().starts(with: "\n\r\n\r".utf8) {
            guard let byte = read(1, socket) else { return }
            seen += byte
        }
        write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8), socket)
    }

    private static func read(_ count: Int, _ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(socket, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private static func write(_ bytes: [UInt8], _ socket: Int32) {
        send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
