#pragma once
#ifdef __linux__
// Whether the peer of a TCP connection is still alive.
#include <stdint.h>

/// Sets how the kernel detects a dead peer: it probes after `idle` seconds without a packet, then every `interval`
/// seconds, and ends the connection after `probes` unanswered probes. It repeats unacknowledged data after
/// `longest_pause` milliseconds at most; Linux before 6.15 ignores that, and pauses up to two minutes. 0, or -errno.
int longhaul_probe_peer(int socket, int idle, int interval, int probes, int longest_pause);
/// The data that the peer still has to acknowledge.
struct longhaul_peer_sight {
    /// Bytes acknowledged so far, and milliseconds since the peer's last packet that could acknowledge any.
    uint64_t acknowledged;
    uint32_t silence;
    /// 1 if there are bytes for which the peer has room and that it has not acknowledged.
    int owes_bytes;
};
/// Returns whether the peer has not answered the last packets: 1, 0, or -errno.
int longhaul_peer_is_silent(int socket, struct longhaul_peer_sight *sight);
/// Returns whether the kernel has ended the connection because the peer did not answer its probes: 1, 0, or -errno.
int longhaul_peer_was_given_up(int socket);
/// Ends the connection at once: both sides see a reset. 0, or -errno.
int longhaul_abort_connection(int socket);
#endif
