import LonghaulCore
import LonghaulSystem

/// What was still unread on connections that libcurl closed in this turn of the loop.
///
/// A server that refuses an upload early answers and closes; the reset that follows makes libcurl's sending fail before
/// it has read the answer, which the kernel still holds (RFC 9112, section 9.6).
struct LastWords {
    private static let limit = 16 << 10
    private var words: [UInt16: [UInt8]] = [:]

    /// Reads what is left on a socket that is about to be closed; only plain HTTP can be understood.
    mutating func collect(from socket: Int32) {
        keep(
            [UInt8](unsafeUninitializedCapacity: Self.limit) { buffer, count in
                // What cannot be read is not there.
                let room = UnsafeMutableRawBufferPointer(buffer)
                count = ((try? LentDescriptor(socket).receiveNow(into: room)) ?? nil) ?? 0
            }, of: socket)
    }

    /// Reads what is left on a socket whose bytes only the transfer's TLS can decipher.
    mutating func collect(from socket: Int32, by easy: EasyHandle) {
        keep(easy.readRest(from: socket, atMost: Self.limit), of: socket)
    }

    private mutating func keep(_ bytes: [UInt8], of socket: Int32) {
        if bytes.starts(with: "HTTP/1.".utf8), let port = LentDescriptor(socket).localPort { words[port] = bytes }
    }

    func heard(onLocalPort port: Int) -> [UInt8]? {
        words.isEmpty ? nil : words[UInt16(truncatingIfNeeded: port)]
    }

    /// Whether the first final status line says 300 or more.
    static func areRefusal(_ bytes: [UInt8]) -> Bool {
        var collector = HeaderCollector()
        return bytes.withUnsafeBytes { bytes in
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                switch collector.take(UnsafeRawBufferPointer(rebasing: line)) {
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
    /// Asked by libcurl again and again, and between a failure and the end of its connection: that is the last time at which TLS can
    /// be asked. It is, when libcurl has complained and the connection is gone, and never on one that lives.
    func listenForLastWords() {
        guard machine.head == nil, let easy = wire.easy, easy.hasComplained, let socket = wire.socket else { return }
        guard LentDescriptor(socket).isHungUp else { return }
        thread.afterwards.lastWords.collect(from: socket, by: easy)
    }
}
