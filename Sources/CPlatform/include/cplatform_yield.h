#pragma once
#ifdef __linux__
// Evidence of other traffic, from a connection and its network interface.
#include <stdint.h>

/// The kernel's data about a TCP connection: times in microseconds, and bytes of bodies and headers in both directions.
struct longhaul_tcp_facts {
    uint32_t round_trip, least_round_trip, receiver_round_trip;
    /// Milliseconds since data last arrived.
    uint32_t receive_pause;
    /// The payload of a received packet, and of a sent one.
    uint32_t received_segment, sent_segment;
    /// `sent` includes retransmissions.
    uint64_t sent, acknowledged, received;
};
/// 0, or -errno.
int longhaul_tcp_facts(int socket, struct longhaul_tcp_facts *facts);
/// Limits the window that is offered to the peer. 0, or -errno.
int longhaul_set_window_clamp(int socket, int bytes);
/// Limits the unread bytes that the kernel buffers. 0, or -errno.
int longhaul_set_receive_buffer(int socket, int bytes);
/// Returns the bytes that the interface of a connection has received and sent since its creation. 0, or -errno (-ENODEV
/// for loopback, and if no interface has the connection's address).
int longhaul_interface_bytes(int socket, uint64_t *received, uint64_t *sent);
/// Returns the first two numbers and the patch level of the kernel's version. 0, or -errno.
int longhaul_kernel_version(int numbers[3]);
#endif
