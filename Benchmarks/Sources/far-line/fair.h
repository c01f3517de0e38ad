#pragma once
#include "packet.h"

enum { fair_flows = 256 };

/// The packets of one connection; connections with the same hash share it.
struct flow {
    struct packets packets;
    /// Bytes that it may still send in this round.
    int64_t deficit;
    /// Since when its packets have waited too long; 0 if they do not.
    uint64_t late_since_ns;
    /// When the next of them is dropped, and how many were.
    uint64_t drops_at_ns;
    unsigned drops;
    /// Whether it is in the round, and the connection after it.
    int is_active;
    int behind;
};

/// A buffer that serves connections in turn and drops packets that have waited too long, as home routers with fq_codel
/// do: deficit round robin (Shreedhar and Varghese), and the relevant part of CoDel (RFC 8289).
struct fair {
    struct flow flows[fair_flows];
    /// The connections with packets, in the order of their turns; -1 if there is none.
    int first, last;
};

void fair_open(struct fair *fair);
void fair_add(struct fair *fair, struct packet *packet);
/// Returns the next packet; `NULL` if there is none.
struct packet *fair_take(struct fair *fair, uint64_t now_ns);
