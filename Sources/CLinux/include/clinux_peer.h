#pragma once
// Whether the peer of a TCP connection is still alive.
#include <stdint.h>

/// How the kernel finds a dead peer: it probes after `idle` seconds without a packet, then every `interval` seconds, and ends the
/// connection after `probes` probes without an answer. It repeats unacknowledged data after `longest_pause` milliseconds at most;
/// Linux before 6.15 ignores that, and pauses up to two minutes. 0, or -errno.
int longhaul_probe_peer(int socket, int idle, int interval, int probes, int longest_pause);
/// What the peer still has to acknowledge.
struct longhaul_peer_sight {
    /// Bytes that it has acknowledged so far, and milliseconds since its last packet that could acknowledge any.
    uint64_t acknowledged;
    uint32_t silence;
    /// 1 if there are bytes that it has room for and has not acknowledged.
    int owes_bytes;
};
/// Whether the peer has left what was sent last unanswered: 1, 0, or -errno.
int longhaul_peer_is_silent(int socket, struct longhaul_peer_sight *sight);
/// Whether the kernel has ended the connection because the peer left its probes unanswered: 1, 0, or -errno.
int longhaul_peer_was_given_up(int socket);
/// Ends the connection at once: both sides see a reset. 0, or -errno.
int longhaul_abort_connection(int socket);
