import Glibc
import LonghaulCore
package import LonghaulIPC
package import LonghaulSystem

/// A client that sends any bytes, and blocks until an answer arrives.
package final class RawClient {
    package let socket: Descriptor
    private var reader = FrameReader()

    package init(path: String) throws {
        socket = try UnixSocket.connect(path: path).get()
    }

    /// Connects and sends hello; reads the service's welcome.
    package static func greeted(path: String) throws -> RawClient {
        let client = try RawClient(path: path)
        try client.send(.hello(version: 1, program: "test"), request: 1_000_000)
        guard case .welcome = try client.receive()?.message else { throw Unexpected.noWelcome }
        return client
    }

    package func send(_ message: ClientMessage, request: UInt64) throws {
        try send(Frame.bytes(of: ClientEnvelope(request: request, message: message)))
    }

    /// Sends all bytes, and waits if the socket is full. Fails if the service has closed the connection.
    package func send(_ bytes: [UInt8]) throws {
        var output = OutputQueue()
        output.append(bytes)
        while !output.isEmpty {
            guard output.write(to: socket) != nil else { throw Unexpected.closed }
            if !output.isEmpty { try wait(for: Int16(POLLOUT)) }
        }
    }

    /// Sends the bytes that the socket accepts now.
    package func sendWithoutWaiting(_ bytes: [UInt8]) {
        var output = OutputQueue()
        output.append(bytes)
        _ = output.write(to: socket)
    }

    /// Returns the next message; `nil` if the service has closed the connection.
    package func receive() throws -> ServiceEnvelope? {
        while true {
            if let bytes = try reader.next() { return try ServiceEnvelope.decoded(wireBytes: bytes) }
            try wait(for: Int16(POLLIN))
            var scratch = [UInt8](repeating: 0, count: 64 << 10)
            switch scratch.withUnsafeMutableBytes({ UnixSocket.receive(from: socket, into: $0) }) {
            case .moved(let count):
                scratch.withUnsafeBytes { reader.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            case .full: continue
            case .gone: return nil
            }
        }
    }

    /// Returns the service's last message before it closed the connection.
    package func receiveToEnd() throws -> ServiceMessage? {
        var last: ServiceMessage?
        while let envelope = try receive() { last = envelope.message }
        return last
    }

    private func wait(for events: Int16) throws {
        var set = [pollfd(fd: socket.number, events: events, revents: 0)]
        guard poll(&set, 1, 60_000) > 0 else { throw Unexpected.silence }
    }

    package enum Unexpected: Error {
        case noWelcome, closed, silence
    }
}
