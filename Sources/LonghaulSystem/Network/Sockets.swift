import CLinux
import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// What is done with the sockets of connections beside libcurl.

extension OpenFile {
    /// Receives what is there: a count, 0 at the end of the connection, or `nil` when nothing has come yet.
    package func receiveNow(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        do throws(SystemError) {
            return try checked { recv(number, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) }
        } catch .wouldBlock {
            return nil
        } catch {
            throw error
        }
    }

    /// Sends a part of a file as far as the connection takes it now: a count, 0 when the file is shorter, or `nil` when
    /// nothing can be sent yet. SIGPIPE is for the caller to block.
    package func sendNow(_ file: Int32, at offset: Int64, count: Int) throws(SystemError) -> Int? {
        var position = offset
        while true {
            let sent = longhaul_send_file(number, file, &position, count)
            if sent >= 0 { return sent }
            let error = SystemError(Int32(truncatingIfNeeded: -sent))
            if error == .wouldBlock { return nil }
            if !error.isPassing { throw error }
        }
    }

    /// Whether the connection is gone in both directions.
    package var isHungUp: Bool {
        var watched = pollfd(fd: number, events: 0, revents: 0)
        return poll(&watched, 1, 0) == 1 && watched.revents & Int16(POLLHUP) != 0
    }

    /// How many bytes the peer has not acknowledged yet; 0 where that is not known.
    package var unsentBytes: Int64 { Int64(max(longhaul_unsent_bytes(number), 0)) }

    /// The port of a connection on this side.
    package var localPort: UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(number, address, &size) == 0
            else { return nil }
            // The port stands at the same place for both families.
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Makes another descriptor lead to what this one leads to.
    package func standIn(for other: Int32) throws(SystemError) {
        try value(longhaul_replace(other, number))
    }
}

extension Descriptor {
    /// A socket on which nothing ever comes.
    package static func silentSocket() throws(SystemError) -> Descriptor {
        Descriptor(try value(longhaul_silent_socket()))
    }
}

extension LentDescriptor {
    /// For whoever was given it to be closed.
    package func close() throws(SystemError) {
        try systemClose(number)
    }
}

private func systemClose(_ number: Int32) throws(SystemError) {
    // One that a signal interrupts has closed it all the same (close(2)).
    guard close(number) == 0 else { throw SystemError(errno) }
}
