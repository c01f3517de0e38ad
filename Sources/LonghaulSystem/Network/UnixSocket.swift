import CLinux
package import LonghaulCore

/// The few things Longhaul does with sockets.
package enum UnixSocket {
    /// What reading or writing came to.
    package enum Outcome: Equatable, Sendable {
        case moved(Int)
        /// Nothing can be moved now.
        case full
        /// The other end is gone.
        case gone
    }

    /// Listens at `path`, replacing what is there in one step; only the owner of a lock may do that.
    package static func listen(path: String) throws(TransferFailure) -> Descriptor {
        do throws(SystemError) {
            return Descriptor(try value(longhaul_unix_listen(path, 128)))
        } catch {
            throw TransferFailure(.serviceUnavailable, "Could not listen at \(path).", error: error)
        }
    }

    /// A listening stream socket that this process was started with; `nil` when the descriptor is none.
    package static func adoptListener(_ number: Int32) -> Descriptor? {
        longhaul_adopt_listener(number) == 1 ? Descriptor(number) : nil
    }

    /// The next client that waits.
    package static func accept(from listener: Descriptor) -> Result<Descriptor, SystemError> {
        result(longhaul_accept(listener.number))
    }

    /// Connects to `path`, or tells why not.
    package static func connect(path: String) -> Result<Descriptor, SystemError> {
        result(longhaul_unix_connect(path))
    }

    /// The user at the other end; `nil` when the kernel does not tell.
    package static func peerUser(of socket: Descriptor) -> UInt32? {
        var user: UInt32 = 0
        return longhaul_peer_user(socket.number, &user) == 0 ? user : nil
    }

    package static func receive(from socket: Descriptor, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = longhaul_receive(socket.number, buffer.baseAddress, buffer.count)
            if count > 0 { return .moved(count) }
            if count == 0 { return .gone }
            if let outcome = outcome(count) { return outcome }
        }
    }

    package static func send(_ bytes: UnsafeRawBufferPointer, to socket: Descriptor) -> Outcome {
        while true {
            let count = longhaul_send(socket.number, bytes.baseAddress, bytes.count)
            if count >= 0 { return .moved(count) }
            if let outcome = outcome(count) { return outcome }
        }
    }

    /// Sends one message to the socket that `NOTIFY_SOCKET` names. It is lost when nobody is there or the queue is full.
    package static func notify(_ path: String, _ message: String) {
        longhaul_notify(path, message)
    }

    /// `nil`: try again.
    private static func outcome(_ failed: Int) -> Outcome? {
        let error = SystemError(Int32(truncatingIfNeeded: -failed))
        if error.isPassing { return nil }
        return error == .wouldBlock ? .full : .gone
    }

    private static func result(_ number: Int32) -> Result<Descriptor, SystemError> {
        number >= 0 ? .success(Descriptor(number)) : .failure(SystemError(-number))
    }
}
