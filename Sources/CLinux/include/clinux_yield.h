#pragma once
// What a connection and its network interface tell about who else is on the way.
#include <stdint.h>

/// What the kernel knows of a TCP connection: microseconds, and bytes of bodies and heads in either direction.
struct longhaul_tcp_facts {
    uint32_t round_trip, least_round_trip, receiver_round_trip;
    /// Milliseconds since data last arrived.
    uint32_t receive_pause;
    /// What a packet carries that comes, and one that leaves.
    uint32_t received_segment, sent_segment;
    /// `sent` counts what was sent again as well.
    uint64_t sent, acknowledged, received;
};
/// 0, or -errno.
int longhaul_tcp_facts(int socket, struct longhaul_tcp_facts *facts);
/// Bounds the window that is offered to the peer. 0, or -errno.
int longhaul_set_window_clamp(int socket, int bytes);
/// Bounds what the kernel keeps of bytes that nobody has read. 0, or -errno.
int longhaul_set_receive_buffer(int socket, int bytes);
/// The bytes that the interface of a connection has received and sent since it was made. 0, or -errno (-ENODEV for loopback and where
/// no interface has the connection's address).
int longhaul_interface_bytes(int socket, uint64_t *received, uint64_t *sent);
/// The first two numbers and the patch of the kernel's version. 0, or -errno.
int longhaul_kernel_version(int numbers[3]);
