import CTestSupport
import Glibc

/// The bytes of one TCP connection on the server's side, plain or encrypted. One thread uses it.
final class Channel {
    enum Failure: Error {
        /// The peer has disconnected, or the server stops.
        case ended
        /// No bytes can be moved now; only if the descriptor is nonblocking.
        case wouldBlock
    }

    let descriptor: Int32
    private let tls: UnsafeMutableRawPointer?
    /// POLLRDHUP, which is not visible in Swift.
    private let peerEnded: Int16 = 0x2000

    /// Performs the TLS handshake if there is a context; `nil` if that fails.
    init?(_ descriptor: Int32, _ context: TLSContext?) {
        self.descriptor = descriptor
        guard let context else {
            tls = nil
            return
        }
        guard let tls = test_tls_accept(context.pointer, descriptor) else { return nil }
        self.tls = tls
    }

    deinit {
        if let tls { test_tls_free(tls) }
    }

    /// Whether TLS negotiated HTTP/2.
    var speaksHTTP2: Bool { tls.map { test_tls_speaks_http2($0) == 1 } ?? false }

    /// Returns the number of bytes read: at least one.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        while true {
            let count = tls.map { test_tls_read($0, buffer.baseAddress, buffer.count) } ?? recv(buffer)
            if count == -Int(EINTR) { continue }
            if count == -Int(EAGAIN) { throw .wouldBlock }
            guard count > 0 else { throw .ended }
            return count
        }
    }

    /// Returns the number of bytes written: at least one.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
        while true {
            let count = tls.map { test_tls_write($0, bytes.baseAddress, bytes.count) } ?? send(bytes)
            if count == -Int(EINTR) { continue }
            if count == -Int(EAGAIN) { throw .wouldBlock }
            guard count > 0 else { throw .ended }
            return count
        }
    }

    func setBlocking(_ isBlocking: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// Ends the sending side, and reads until the peer has ended too: closing with unread bytes would be a reset.
    func finish() {
        setBlocking(true)
        if let tls { test_tls_say_end(tls) }
        shutdown(descriptor, Int32(SHUT_WR))
        var rest = [UInt8](repeating: 0, count: 1 << 16)
        while Glibc.recv(descriptor, &rest, rest.count, 0) > 0 {}
    }

    /// Makes the later `close` a reset, after the written bytes have reached the peer's kernel.
    func prepareReset() {
        var unsent: Int32 = 0
        while ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0 {
            // No event reports that the queue is empty. A peer that stopped reading ends this wait by disconnecting.
            var watched = pollfd(fd: descriptor, events: peerEnded, revents: 0)
            if poll(&watched, 1, 1) > 0 { break }
        }
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    }

    private func recv(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0)
        return count < 0 ? -Int(errno) : count
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count < 0 ? -Int(errno) : count
    }
}
