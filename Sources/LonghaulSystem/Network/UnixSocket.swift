#if os(Linux)
    import CPlatform
    package import LonghaulCore

    /// Operations on Unix sockets.
    package enum UnixSocket {
        /// The result of reading or writing.
        package enum Outcome: Equatable, Sendable {
            case moved(Int)
            /// Nothing can be transferred now.
            case full
            /// The other end has closed.
            case gone
        }

        /// Listens at `path`, and replaces an existing socket atomically. Only for the holder of the lock.
        package static func listen(path: String) throws(TransferFailure) -> Descriptor {
            do throws(SystemError) {
                return Descriptor(try value(longhaul_unix_listen(path, 128)))
            } catch {
                throw TransferFailure(.serviceUnavailable, "Could not listen at \(path).", error: error)
            }
        }

        /// Adopts a listening stream socket that this process was started with; `nil` if the descriptor is not one.
        package static func adoptListener(_ number: Int32) -> Descriptor? {
            longhaul_adopt_listener(number) == 1 ? Descriptor(number) : nil
        }

        /// Accepts the next waiting client.
        package static func accept(from listener: Descriptor) -> Result<Descriptor, SystemError> {
            result(longhaul_accept(listener.number))
        }

        /// Connects to `path`, or returns the error.
        package static func connect(path: String) -> Result<Descriptor, SystemError> {
            result(longhaul_unix_connect(path))
        }

        /// Returns the user at the other end; `nil` if the kernel does not report it.
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

        /// Sends a message to the socket in `NOTIFY_SOCKET`. The message is lost if no process listens or the queue is
        /// full.
        package static func notify(_ path: String, _ message: String) {
            longhaul_notify(path, message)
        }

        /// Returns `nil` if the call should be repeated.
        private static func outcome(_ failed: Int) -> Outcome? {
            let error = SystemError(Int32(truncatingIfNeeded: -failed))
            if error.isPassing { return nil }
            return error == .wouldBlock ? .full : .gone
        }

        private static func result(_ number: Int32) -> Result<Descriptor, SystemError> {
            number >= 0 ? .success(Descriptor(number)) : .failure(SystemError(-number))
        }
    }
#endif
