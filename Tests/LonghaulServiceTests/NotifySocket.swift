import Glibc
import LonghaulIPC
import LonghaulSystem
import TestSupport

/// The socket to which a service of `Type=notify` sends its state.
final class NotifySocket: Sendable {
    /// Every datagram, in order.
    let messages = Mailbox<String>()
    private let socket: Descriptor

    /// A path, or a name that starts with `@` for an abstract socket.
    init(name: String) {
        let socket = Descriptor(Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: name.hasPrefix("@") ? [0] + bytes.dropFirst() : bytes)
        }
        let length = socklen_t(2 + bytes.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.number, $0, length) }
        }
        precondition(result == 0, "The notify socket could not be bound: error \(errno).")
        self.socket = socket
        startThread { [messages] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = recv(socket.number, &buffer, buffer.count, 0), count > 0 {
                messages.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }

    deinit {
        shutdown(socket.number, Int32(SHUT_RDWR))
    }
}
