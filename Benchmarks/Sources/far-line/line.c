#include "line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// How long a packet may wait for a line that is busy before it is dropped instead, as a router's buffer would.
static const uint64_t longest_wait_ns = 200000000;

struct packet {
    struct packet *next;
    uint64_t arrives_ns;
    size_t length;
    unsigned char bytes[];
};

/// xorshift64* (Vigna): one number a packet.
static uint32_t draw(struct line *line) {
    line->chance ^= line->chance >> 12;
    line->chance ^= line->chance << 25;
    line->chance ^= line->chance >> 27;
    return (uint32_t)((line->chance * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

void line_enter(struct line *line, const unsigned char *bytes, size_t length, uint64_t now_ns) {
    if (line->loss > 0 && draw(line) < line->loss) return;
    if (line->busy_until_ns < now_ns) line->busy_until_ns = now_ns;
    if (line->rate > 0) {
        if (line->busy_until_ns - now_ns > longest_wait_ns) return;
        line->busy_until_ns += length * UINT64_C(1000000000) / line->rate;
    }
    struct packet *packet = malloc(sizeof *packet + length);
    // What there is no memory for is lost like any other packet.
    if (!packet) return;
    packet->next = NULL;
    packet->arrives_ns = line->busy_until_ns + line->delay_ns;
    packet->length = length;
    memcpy(packet->bytes, bytes, length);
    if (line->last) line->last->next = packet;
    else line->first = packet;
    line->last = packet;
}

uint64_t line_deliver(struct line *line, int descriptor, uint64_t now_ns) {
    while (line->first && line->first->arrives_ns <= now_ns) {
        struct packet *packet = line->first;
        line->first = packet->next;
        if (!line->first) line->last = NULL;
        if (write(descriptor, packet->bytes, packet->length) < 0 && errno != EAGAIN) perror("far-line: write");
        free(packet);
    }
    return line->first ? line->first->arrives_ns : UINT64_MAX;
}
