import CLinux
import LonghaulCore

/// How the kernel finds out that the peer of an idle connection is dead.
package struct PeerProbes: Equatable, Sendable {
    /// Seconds without a packet before the first probe.
    package var idle: Int32
    /// Seconds between probes.
    package var interval: Int32
    /// How many probes in a row may stay unanswered.
    package var count: Int32
    /// How long the kernel waits at most before it repeats unacknowledged data, in milliseconds.
    package var longestPause: Int32

    package init(idle: Int32, interval: Int32, count: Int32, longestPause: Int32) {
        self.idle = idle
        self.interval = interval
        self.count = count
        self.longestPause = longestPause
    }
}

/// A peer that has left the last packet unanswered.
package struct PeerStatus: Equatable, Sendable {
    /// Bytes that it has acknowledged so far.
    package var acknowledged: Int64
    /// Nanoseconds since its last packet that could acknowledge any.
    package var silence: Int64
    /// Whether there are bytes that it has room for and has not acknowledged.
    package var owesBytes: Bool
}

// Whether the peer of a TCP connection is alive.
extension OpenFile {
    /// Has the kernel probe the peer. Does nothing to other sockets than those of TCP.
    package func probePeer(_ probes: PeerProbes) {
        _ = longhaul_probe_peer(number, probes.idle, probes.interval, probes.count, probes.longestPause)
    }

    /// The silence of the peer; `nil` if it has answered the last packet.
    package var peerStatus: PeerStatus? {
        var sight = longhaul_peer_sight()
        guard longhaul_peer_is_silent(number, &sight) == 1 else { return nil }
        return PeerStatus(
            acknowledged: Int64(clamping: sight.acknowledged), silence: Int64(sight.silence) * 1_000_000,
            owesBytes: sight.owes_bytes != 0)
    }

    /// Whether the kernel has ended the connection because the peer answered no probe.
    package var wasGivenUp: Bool { longhaul_peer_was_given_up(number) == 1 }

    /// Ends a TCP connection at once, in each process that has a descriptor of it: reading and sending fail.
    package func abortConnection() {
        _ = longhaul_abort_connection(number)
    }
}
