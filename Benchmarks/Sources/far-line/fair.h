#pragma once
#include "packet.h"

enum { fair_flows = 256 };

/// The packets of one connection, as far as their hash tells connections apart.
struct flow {
    struct packets packets;
    /// Bytes that it may still send in this round.
    int64_t deficit;
    /// Since when its packets have waited longer than they should; 0 while they do not.
    uint64_t late_since_ns;
    /// When the next of them is dropped, and how many were.
    uint64_t drops_at_ns;
    unsigned drops;
    /// Whether it is among those that are served in turn, and who comes behind it.
    int is_active;
    int behind;
};

/// A buffer that serves connections in turn and drops packets that have waited for too long, as home routers with fq_codel do: deficit
/// round robin (Shreedhar and Varghese), and of CoDel (RFC 8289) what matters here.
struct fair {
    struct flow flows[fair_flows];
    /// Those with packets, in the order of their turns; -1 where there is none.
    int first, last;
};

void fair_open(struct fair *fair);
void fair_add(struct fair *fair, struct packet *packet);
/// The packet whose turn it is; `NULL` when there is none.
struct packet *fair_take(struct fair *fair, uint64_t now_ns);
