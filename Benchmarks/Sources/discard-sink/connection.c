#include "connection.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t receive(struct connection *c, void *into, size_t size) {
    if (c->tls) return SSL_read(c->tls, into, size > (1 << 30) ? 1 << 30 : (int)size);
    return recv(c->socket, into, size, 0);
}

static const char *field(const char *head, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            line += length + 1;
            while (*line == ' ') line++;
            return line;
        }
    }
    return NULL;
}

static int parse(const char *head, struct request *r) {
    memset(r, 0, sizeof *r);
    r->upload_offset = -1;
    const char *space = strchr(head, ' ');
    const char *end = space ? strchr(space + 1, ' ') : NULL;
    if (!end || (size_t)(space - head) >= sizeof r->method || (size_t)(end - space) >= sizeof r->path) return 0;
    memcpy(r->method, head, space - head);
    memcpy(r->path, space + 1, end - space - 1);
    const char *value;
    if ((value = field(head, "content-length"))) r->length = strtoull(value, NULL, 10);
    if ((value = field(head, "upload-offset"))) r->upload_offset = strtoll(value, NULL, 10);
    if ((value = field(head, "upload-length"))) r->upload_length = strtoull(value, NULL, 10);
    if ((value = field(head, "expect"))) r->expects_continue = strncasecmp(value, "100-continue", 12) == 0;
    if ((value = field(head, "connection"))) r->closes = strncasecmp(value, "close", 5) == 0;
    return 1;
}

int connection_read_head(struct connection *c, struct request *r) {
    for (;;) {
        c->head[c->held] = 0;
        char *end = strstr(c->head, "\r\n\r\n");
        if (end) {
            char after = end[4];
            end[4] = 0;
            int is_good = parse(c->head, r);
            end[4] = after;
            size_t used = end + 4 - c->head;
            c->held -= used;
            memmove(c->head, c->head + used, c->held);
            return is_good;
        }
        if (c->held >= sizeof c->head - 1) return 0;
        ssize_t count = receive(c, c->head + c->held, sizeof c->head - 1 - c->held);
        if (count <= 0) return 0;
        c->held += count;
    }
}

uint64_t connection_discard(struct connection *c, uint64_t length) {
    uint64_t done = c->held < length ? c->held : length;
    c->held -= done;
    memmove(c->head, c->head + done, c->held);
    char buffer[65536];
    while (done < length) {
        uint64_t rest = length - done;
        ssize_t count;
        if (c->tls) {
            count = receive(c, buffer, rest < sizeof buffer ? rest : sizeof buffer);
        } else {
            // The kernel discards the bytes without copying them.
            count = recv(c->socket, NULL, rest < (8u << 20) ? rest : (8u << 20), MSG_TRUNC);
        }
        if (count <= 0) break;
        done += count;
    }
    return done;
}

int connection_write(struct connection *c, const char *text) {
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t count = c->tls ? SSL_write(c->tls, text, (int)length) : send(c->socket, text, length, MSG_NOSIGNAL);
        if (count <= 0) return 0;
        text += count;
        length -= count;
    }
    return 1;
}
