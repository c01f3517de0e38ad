import CLinux
import Glibc
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
        let number = longhaul_unix_listen(path, 128)
        guard number >= 0 else {
            throw TransferFailure(.serviceUnavailable, "Listening at \(path) failed.", error: -number)
        }
        return Descriptor(number)
    }

    /// Connects to `path`, or tells the error number.
    package static func connect(path: String) -> Result<Descriptor, SystemErrorNumber> {
        let number = longhaul_unix_connect(path)
        return number >= 0 ? .success(Descriptor(number)) : .failure(SystemErrorNumber(-number))
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
            if count == -Int(EINTR) { continue }
            return count == -Int(EAGAIN) ? .full : .gone
        }
    }

    package static func send(_ bytes: UnsafeRawBufferPointer, to socket: Descriptor) -> Outcome {
        while true {
            let count = longhaul_send(socket.number, bytes.baseAddress, bytes.count)
            if count >= 0 { return .moved(count) }
            if count == -Int(EINTR) { continue }
            return count == -Int(EAGAIN) ? .full : .gone
        }
    }
}

/// An `errno`.
package struct SystemErrorNumber: Error, Equatable, Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }
}
