#include "line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// How long a packet may wait for a busy line before it is dropped, as by a router's buffer.
static const uint64_t longest_wait_ns = 200000000;

/// xorshift64* (Vigna): one number per packet.
static uint32_t draw(struct line *line) {
    line->chance ^= line->chance >> 12;
    line->chance ^= line->chance << 25;
    line->chance ^= line->chance >> 27;
    return (uint32_t)((line->chance * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

/// How long the line needs for a packet at its rate.
static uint64_t takes_ns(const struct line *line, size_t length) {
    return line->rate > 0 ? length * UINT64_C(1000000000) / line->rate : 0;
}

static void go_in(struct line *line, struct packet *packet) {
    line->busy_until_ns += takes_ns(line, packet->length);
    packet->arrives_ns = line->busy_until_ns + line->delay_ns;
    packets_add(&line->under_way, packet);
}

void line_enter(struct line *line, const unsigned char *bytes, size_t length, uint64_t now_ns) {
    if (line->loss > 0 && draw(line) < line->loss) return;
    if (!line->waiting) {
        if (line->busy_until_ns < now_ns) line->busy_until_ns = now_ns;
        if (line->busy_until_ns - now_ns > longest_wait_ns) return;
    }
    struct packet *packet = malloc(sizeof *packet + length);
    // A packet without memory is lost like any other lost packet.
    if (!packet) return;
    packet->entered_ns = now_ns;
    packet->length = length;
    memcpy(packet->bytes, bytes, length);
    if (line->waiting) fair_add(line->waiting, packet);
    else go_in(line, packet);
}

/// Lets the packets whose turn has come enter the line.
static void let_in(struct line *line, uint64_t now_ns) {
    while (line->busy_until_ns <= now_ns) {
        struct packet *packet = fair_take(line->waiting, now_ns);
        if (!packet) break;
        // A packet that arrives at an idle line enters at once; a waiting packet enters after the earlier ones.
        if (packet->entered_ns > line->busy_until_ns) line->busy_until_ns = packet->entered_ns;
        go_in(line, packet);
    }
}

uint64_t line_deliver(struct line *line, int descriptor, uint64_t now_ns) {
    if (line->waiting) let_in(line, now_ns);
    while (line->under_way.first && line->under_way.first->arrives_ns <= now_ns) {
        struct packet *packet = packets_take(&line->under_way);
        if (write(descriptor, packet->bytes, packet->length) < 0 && errno != EAGAIN) perror("far-line: write");
        free(packet);
    }
    uint64_t next = line->under_way.first ? line->under_way.first->arrives_ns : UINT64_MAX;
    if (line->waiting && line->waiting->first >= 0 && line->busy_until_ns < next) next = line->busy_until_ns;
    return next;
}
