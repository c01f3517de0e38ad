import LonghaulCore
import LonghaulSystem

/// Unread bytes of connections that libcurl closed in this turn of the loop.
///
/// A server that refuses an upload early responds and closes. The reset that follows makes libcurl's sending fail before it has read the
/// response, which the kernel still holds (RFC 9112, section 9.6).
struct UnreadResponses {
    private static let limit = 16 << 10
    private var words: [UInt16: [UInt8]] = [:]

    /// Reads the rest from a socket that is about to be closed. Only plain HTTP can be parsed.
    mutating func collect(from socket: Int32) {
        keep(
            [UInt8](unsafeUninitializedCapacity: Self.limit) { buffer, count in
                // An unreadable socket has no rest.
                let room = UnsafeMutableRawBufferPointer(buffer)
                count = ((try? LentDescriptor(socket).receiveNow(into: room)) ?? nil) ?? 0
            }, of: socket)
    }

    /// Reads the rest from a socket whose bytes only the transfer's TLS can decrypt.
    mutating func collect(from socket: Int32, by easy: EasyHandle) {
        keep(easy.readRest(from: socket, atMost: Self.limit), of: socket)
    }

    private mutating func keep(_ bytes: [UInt8], of socket: Int32) {
        if bytes.starts(with: "HTTP/1.".utf8), let port = LentDescriptor(socket).localPort { words[port] = bytes }
    }

    func heard(onLocalPort port: Int) -> [UInt8]? {
        words.isEmpty ? nil : words[UInt16(truncatingIfNeeded: port)]
    }

    /// Returns whether the first final status line has a status of 300 or more.
    static func areRefusal(_ bytes: [UInt8]) -> Bool {
        var collector = HeaderCollector()
        return bytes.withUnsafeBytes { bytes in
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                switch collector.receive(UnsafeRawBufferPointer(rebasing: line)) {
                case .more: continue
                case .complete(let status, _): if status >= 200 { return status >= 300 }
                case .tooLong, .malformed: return false
                }
            }
            return false
        }
    }

    mutating func forget() {
        if !words.isEmpty { words = [:] }
    }
}

extension Exchange {
    /// Reads the rest if the connection is gone. libcurl calls this repeatedly, including between a failure and the end of its
    /// connection, which is the last moment at which TLS can read. It reads only after an error of libcurl, and never from a live
    /// connection.
    func listenForLastWords() {
        guard machine.head == nil, let easy = wire.easy, easy.hasComplained, let socket = wire.socket else { return }
        guard LentDescriptor(socket).isHungUp else { return }
        thread.deferred.unreadResponses.collect(from: socket, by: easy)
    }
}
