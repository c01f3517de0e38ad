#if os(Linux)
    import CPlatform
    import LonghaulCore

    /// The kernel's probes for detecting a dead peer of an idle connection.
    package struct PeerProbes: Equatable, Sendable {
        /// Seconds without a packet before the first probe.
        package var idle: Int32
        /// Seconds between probes.
        package var interval: Int32
        /// The number of probes in a row that may stay unanswered.
        package var count: Int32
        /// The longest pause before the kernel repeats unacknowledged data, in milliseconds.
        package var longestPause: Int32

        package init(idle: Int32, interval: Int32, count: Int32, longestPause: Int32) {
            self.idle = idle
            self.interval = interval
            self.count = count
            self.longestPause = longestPause
        }
    }

    /// The state of a peer that has not acknowledged the last packet.
    package struct PeerStatus: Equatable, Sendable {
        /// Bytes that the peer has acknowledged so far.
        package var acknowledged: Int64
        /// Nanoseconds since the peer's last packet that could acknowledge bytes.
        package var silence: Int64
        /// Whether there are unacknowledged bytes that the peer has room for.
        package var owesBytes: Bool
    }

    // Detection of a dead peer of a TCP connection.
    extension OpenFile {
        /// Enables the kernel's probes of the peer. Has no effect on sockets other than TCP.
        package func probePeer(_ probes: PeerProbes) {
            _ = longhaul_probe_peer(number, probes.idle, probes.interval, probes.count, probes.longestPause)
        }

        /// The silence of the peer; `nil` if it has acknowledged the last packet.
        package var peerStatus: PeerStatus? {
            var sight = longhaul_peer_sight()
            guard longhaul_peer_is_silent(number, &sight) == 1 else { return nil }
            return PeerStatus(
                acknowledged: Int64(clamping: sight.acknowledged), silence: Int64(sight.silence) * 1_000_000,
                owesBytes: sight.owes_bytes != 0)
        }

        /// Whether the kernel ended the connection because the peer answered no probe.
        package var wasGivenUp: Bool { longhaul_peer_was_given_up(number) == 1 }

        /// Ends a TCP connection at once, in each process that has a descriptor of it: reading and sending fail.
        package func abortConnection() {
            _ = longhaul_abort_connection(number)
        }
    }
#endif
