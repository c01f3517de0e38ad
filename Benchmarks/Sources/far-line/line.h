#pragma once
#include "fair.h"

#include <stddef.h>
#include <stdint.h>

/// One direction of the line: packets leave in the order in which they came, or connections in turn, each a while later.
struct line {
    /// How long a packet is under way.
    uint64_t delay_ns;
    /// Bytes a second that may enter; 0 for as many as come.
    uint64_t rate;
    /// How many of 2^32 packets are lost.
    uint64_t loss;
    /// Where the numbers that decide about loss have come to: the same seed loses the same packets.
    uint64_t chance;
    /// When the packets that entered so far will all have gone in, at that rate.
    uint64_t busy_until_ns;
    /// Those that have gone in and are under way.
    struct packets under_way;
    /// Those that wait to go in where connections are served in turn; `NULL` where they are not.
    struct fair *waiting;
};

enum { packet_room = 2048 };

/// A packet enters, is lost, or finds the line's buffer full and is dropped.
void line_enter(struct line *line, const unsigned char *bytes, size_t length, uint64_t now_ns);
/// Writes to the descriptor whatever has arrived, and returns when there is something to do next; UINT64_MAX when nothing is under
/// way.
uint64_t line_deliver(struct line *line, int descriptor, uint64_t now_ns);
