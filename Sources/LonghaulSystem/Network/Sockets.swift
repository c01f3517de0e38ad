#if os(Linux)
    import CPlatform
    import Glibc
    import LonghaulCore

    // Operations on the sockets of libcurl's connections.

    extension OpenFile {
        /// Receives the available bytes. Returns their number, 0 at the end of the connection, or `nil` if there are none
        /// yet.
        package func receiveNow(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
            do throws(SystemError) {
                return try checked { recv(number, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) }
            } catch .wouldBlock {
                return nil
            } catch {
                throw error
            }
        }

        /// Sends a part of a file, as far as the connection accepts it now. Returns the number of bytes, 0 if the file is
        /// shorter, or `nil` if nothing can be sent yet. The caller must block SIGPIPE.
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

        /// Whether the connection is closed in both directions.
        package var isHungUp: Bool {
            var watched = pollfd(fd: number, events: 0, revents: 0)
            return poll(&watched, 1, 0) == 1 && watched.revents & Int16(POLLHUP) != 0
        }

        /// The number of bytes that the peer has not acknowledged yet; 0 if unknown.
        package var unsentBytes: Int64 { Int64(max(longhaul_unsent_bytes(number), 0)) }

        /// The local port of a connection.
        package var localPort: UInt16? {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutableBytes(of: &storage) { bytes in
                guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    getsockname(number, address, &size) == 0
                else { return nil }
                // Both address families have the port at the same offset.
                return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
            }
        }

        /// Makes another descriptor refer to this open file.
        package func standIn(for other: Int32) throws(SystemError) {
            try value(longhaul_replace(other, number))
        }
    }

    extension Descriptor {
        /// Creates a socket that never receives data.
        package static func silentSocket() throws(SystemError) -> Descriptor {
            Descriptor(try value(longhaul_silent_socket()))
        }
    }

    extension LentDescriptor {
        /// Closes a descriptor that its owner passed on for closing.
        package func close() throws(SystemError) {
            try systemClose(number)
        }
    }

    private func systemClose(_ number: Int32) throws(SystemError) {
        // An interrupted close has closed the descriptor anyway (close(2)).
        guard close(number) == 0 else { throw SystemError(errno) }
    }
#endif
