#pragma once
#include <openssl/ssl.h>
#include <stddef.h>
#include <stdint.h>

/// One client: its socket, its TLS if any, and what was read past the last head.
struct connection {
    int socket;
    SSL *tls;
    char head[16384];
    size_t held;
};

/// What a head asks for.
struct request {
    char method[16];
    char path[1024];
    uint64_t length;
    int64_t upload_offset;
    uint64_t upload_length;
    int expects_continue;
    int closes;
};

/// Reads a head; what follows it stays held. Returns 1, or 0 when there is none or it is bad.
int connection_read_head(struct connection *c, struct request *r);
/// Takes bytes of a body off the connection without looking at them. Returns how many came.
uint64_t connection_discard(struct connection *c, uint64_t length);
/// Writes text. Returns 1, or 0 when the client is gone.
int connection_write(struct connection *c, const char *text);
