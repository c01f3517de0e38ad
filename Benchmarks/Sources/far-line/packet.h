#pragma once
#include <stddef.h>
#include <stdint.h>

/// One packet in the line.
struct packet {
    struct packet *next;
    /// When it arrived at the line.
    uint64_t entered_ns;
    /// When it leaves the line at the other end.
    uint64_t arrives_ns;
    size_t length;
    unsigned char bytes[];
};

/// Packets in the order in which they arrived.
struct packets {
    struct packet *first, *last;
};

void packets_add(struct packets *packets, struct packet *packet);
/// Returns the first packet; `NULL` if there is none.
struct packet *packets_take(struct packets *packets);
