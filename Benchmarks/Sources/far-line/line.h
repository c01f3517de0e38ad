#pragma once
#include "fair.h"

#include <stddef.h>
#include <stdint.h>

/// One direction of the line: packets leave after a delay, in the order in which they arrived or with connections in turn.
struct line {
    /// The delay of a packet.
    uint64_t delay_ns;
    /// The bytes per second that may enter; 0 for no limit.
    uint64_t rate;
    /// How many of 2^32 packets are lost.
    uint64_t loss;
    /// The state of the random numbers for losses: the same seed loses the same packets.
    uint64_t chance;
    /// When all packets so far will have entered at that rate.
    uint64_t busy_until_ns;
    /// The packets in the line.
    struct packets under_way;
    /// The packets that wait to enter if connections are served in turn; otherwise `NULL`.
    struct fair *waiting;
};

enum { packet_room = 2048 };

/// A packet enters, is lost, or is dropped because the line's buffer is full.
void line_enter(struct line *line, const unsigned char *bytes, size_t length, uint64_t now_ns);
/// Writes the packets that have arrived to the descriptor, and returns the time of the next call; UINT64_MAX if the
/// line is empty.
uint64_t line_deliver(struct line *line, int descriptor, uint64_t now_ns);
