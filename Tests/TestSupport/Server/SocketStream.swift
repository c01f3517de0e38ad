/// One connection on the server's side, read through a buffer and written in blocks.
final class SocketStream {
    private let channel: Channel
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var unread = 0..<0

    init(_ channel: Channel) {
        self.channel = channel
    }

    /// Reads through the next empty line.
    func readHead() throws(Ended) -> [UInt8] {
        var head: [UInt8] = []
        while true {
            let byte = try readByte()
            head.append(byte)
            if byte == UInt8(ascii: "\n"), head.count > 2, head.suffix(4).elementsEqual([13, 10, 13, 10]) {
                return head
            }
        }
    }

    /// Reads one line without its end.
    func readLine() throws(Ended) -> String {
        var line: [UInt8] = []
        while true {
            let byte = try readByte()
            if byte == UInt8(ascii: "\n") { break }
            if byte != UInt8(ascii: "\r") { line.append(byte) }
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads the available bytes, at most `limit`, and passes them to `body`.
    func read(atMost limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(Ended) -> Int64 {
        if unread.isEmpty { try refill() }
        let count = Int(min(limit, Int64(unread.count)))
        buffer.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[unread.lowerBound..<unread.lowerBound + count]))
        }
        unread = unread.lowerBound + count..<unread.upperBound
        return Int64(count)
    }

    func write(_ bytes: [UInt8]) throws(Ended) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { try? channel.write(UnsafeRawBufferPointer(rebasing: $0[done...])) }
            guard let count else { throw Ended() }
            done += count
        }
    }

    private func readByte() throws(Ended) -> UInt8 {
        if unread.isEmpty { try refill() }
        let byte = buffer[unread.lowerBound]
        unread = unread.lowerBound + 1..<unread.upperBound
        return byte
    }

    private func refill() throws(Ended) {
        let count = buffer.withUnsafeMutableBytes { try? channel.read(into: $0) }
        guard let count else { throw Ended() }
        unread = 0..<count
    }
}
