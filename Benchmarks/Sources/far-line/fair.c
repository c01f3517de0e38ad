#include "fair.h"

#include <math.h>
#include <stdlib.h>

static const int64_t quantum = 1514;
/// The target for the wait of a connection's packets, and how long they may exceed it.
static const uint64_t target_ns = 5000000, interval_ns = 100000000;

/// FNV-1a over the addresses, the protocol and the ports of an IPv4 packet.
static unsigned flow_of(const struct packet *packet) {
    if (packet->length < 20) return 0;
    size_t header = (size_t)(packet->bytes[0] & 15) * 4;
    uint32_t hash = 2166136261u;
    for (size_t at = 9; at < header + 4 && at < packet->length; at++)
        if (at == 9 || (at >= 12 && at < 20) || at >= header) hash = (hash ^ packet->bytes[at]) * 16777619u;
    return (hash ^ hash >> 16) % fair_flows;
}

static void line_up(struct fair *fair, int number) {
    fair->flows[number].behind = -1;
    if (fair->last >= 0) fair->flows[fair->last].behind = number;
    else fair->first = number;
    fair->last = number;
}

static void step_back(struct fair *fair) {
    int number = fair->first;
    fair->first = fair->flows[number].behind;
    if (fair->first < 0) fair->last = -1;
}

void fair_open(struct fair *fair) {
    *fair = (struct fair){.first = -1, .last = -1};
}

void fair_add(struct fair *fair, struct packet *packet) {
    int number = (int)flow_of(packet);
    struct flow *flow = &fair->flows[number];
    packets_add(&flow->packets, packet);
    if (flow->is_active) return;
    flow->is_active = 1;
    flow->deficit = quantum;
    line_up(fair, number);
}

/// Whether this packet is dropped to make the connection slow down.
static int is_dropped(struct flow *flow, const struct packet *packet, uint64_t now_ns) {
    if (now_ns - packet->entered_ns < target_ns || !flow->packets.first) {
        flow->late_since_ns = 0;
        flow->drops = 0;
        return 0;
    }
    if (flow->late_since_ns == 0) {
        flow->late_since_ns = now_ns;
        flow->drops_at_ns = now_ns + interval_ns;
    }
    if (now_ns < flow->drops_at_ns) return 0;
    flow->drops++;
    flow->drops_at_ns = now_ns + (uint64_t)((double)interval_ns / sqrt(flow->drops));
    return 1;
}

struct packet *fair_take(struct fair *fair, uint64_t now_ns) {
    while (fair->first >= 0) {
        int number = fair->first;
        struct flow *flow = &fair->flows[number];
        if (flow->deficit <= 0) {
            flow->deficit += quantum;
            step_back(fair);
            line_up(fair, number);
            continue;
        }
        struct packet *packet = packets_take(&flow->packets);
        if (!packet) {
            flow->is_active = 0;
            step_back(fair);
            continue;
        }
        if (is_dropped(flow, packet, now_ns)) {
            free(packet);
            continue;
        }
        flow->deficit -= (int64_t)packet->length;
        return packet;
    }
    return NULL;
}
