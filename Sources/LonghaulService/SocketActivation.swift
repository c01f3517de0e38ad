import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// The listening socket that systemd passes (sd_listen_fds(3)).
enum SocketActivation {
    /// Returns `nil` if systemd passed no socket. Fails if the descriptor is not a listening stream socket.
    static func listener(environment: [String: String]) throws(TransferFailure) -> Descriptor? {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == ThisProcess.id,
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0
        else { return nil }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { ThisProcess.removeVariable(name) }
        let first: Int32 = 3
        for extra in (first + 1)..<(first + max(1, min(count, 1_024))) { _ = Descriptor(extra) }
        guard let listener = UnixSocket.adoptListener(first) else {
            throw TransferFailure(
                .serviceUnavailable,
                "Descriptor 3 must be a listening Unix stream socket. Use ListenStream= and Accept=no in the socket unit."
            )
        }
        return listener
    }
}
