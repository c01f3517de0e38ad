import LonghaulCore
import LonghaulSystem

/// Sockets that the engine itself reads from or sends on (``DirectPath``).
struct TakenSockets {
    private let poller: Poller
    /// A socket that never receives data.
    private let silence: Descriptor
    private var exchanges: [Int32: Exchange] = [:]

    init(_ poller: Poller) throws(SystemError) {
        self.poller = poller
        silence = try Descriptor.silentSocket()
    }

    var all: [Int32] { Array(exchanges.keys) }

    subscript(socket: Int32) -> Exchange? { exchanges.isEmpty ? nil : exchanges[socket] }

    /// Returns `false` if the system refuses.
    mutating func watch(_ socket: TakenSocket, of exchange: Exchange) -> Bool {
        exchanges[socket.descriptor] = exchange
        let interest: Readiness = socket.direction == .receiving ? .readable : .writable
        return (try? poller.add(socket.descriptor, key: UInt64(socket.descriptor), interest: interest)) != nil
    }

    mutating func unwatch(_ socket: Int32) {
        exchanges[socket] = nil
        poller.remove(socket)
    }

    /// Replaces another socket by one that never receives data.
    func standIn(for socket: Int32) -> Bool { (try? silence.standIn(for: socket)) != nil }
}
