import Glibc

/// One TCP connection on the server's side, read through a buffer and written in blocks.
final class SocketStream {
    /// The peer is gone, or the server stops.
    struct Ended: Error {}

    let descriptor: Int32
    /// POLLRDHUP, which Swift does not see.
    private let peerEnded: Int16 = 0x2000
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var unread = 0..<0

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Everything up to and with the next empty line.
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

    /// One line without its end.
    func readLine() throws(Ended) -> String {
        var line: [UInt8] = []
        while true {
            let byte = try readByte()
            if byte == UInt8(ascii: "\n") { break }
            if byte != UInt8(ascii: "\r") { line.append(byte) }
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads what is there, at most `limit` bytes, and hands it on.
    func read(atMost limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(Ended) -> Int64 {
        if unread.isEmpty { try refill() }
        let count = Int(min(limit, Int64(unread.count)))
        buffer.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[unread.lowerBound..<unread.lowerBound + count]))
        }
        unread = unread.lowerBound + count..<unread.upperBound
        return Int64(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Ended) {
        var rest = bytes
        while !rest.isEmpty {
            let count = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Ended() }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    func write(_ bytes: [UInt8]) throws(Ended) {
        let failure: Ended? = bytes.withUnsafeBytes { raw in
            do throws(Ended) { try write(raw) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Ends the sending side, and reads on until the peer has ended too: closing with unread bytes would be a reset.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
        while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
    }

    /// Makes the coming `close` a reset, once what was written has reached the peer's kernel.
    func prepareReset() {
        var unsent: Int32 = 0
        while ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0 {
            // No event tells that the queue is empty. A peer that stopped reading ends this by going away.
            var watched = pollfd(fd: descriptor, events: peerEnded, revents: 0)
            if poll(&watched, 1, 1) > 0 { break }
        }
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    }

    private func readByte() throws(Ended) -> UInt8 {
        if unread.isEmpty { try refill() }
        let byte = buffer[unread.lowerBound]
        unread = unread.lowerBound + 1..<unread.upperBound
        return byte
    }

    private func refill() throws(Ended) {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Ended() }
            unread = 0..<count
            return
        }
    }
}
