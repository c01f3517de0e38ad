#include "packet.h"

void packets_add(struct packets *packets, struct packet *packet) {
    packet->next = NULL;
    if (packets->last) packets->last->next = packet;
    else packets->first = packet;
    packets->last = packet;
}

struct packet *packets_take(struct packets *packets) {
    struct packet *packet = packets->first;
    if (!packet) return NULL;
    packets->first = packet->next;
    if (!packets->first) packets->last = NULL;
    return packet;
}
