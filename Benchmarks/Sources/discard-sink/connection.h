#pragma once
#include <openssl/ssl.h>
#include <stddef.h>
#include <stdint.h>

/// One client: its socket, its TLS if any, and the bytes that were read past the last headers.
struct connection {
    int socket;
    SSL *tls;
    char head[16384];
    size_t held;
};

/// The request in some headers.
struct request {
    char method[16];
    char path[1024];
    uint64_t length;
    int64_t upload_offset;
    uint64_t upload_length;
    int expects_continue;
    int closes;
};

/// Reads headers; the bytes after them stay buffered. Returns 1, or 0 if there are none or they are invalid.
int connection_read_head(struct connection *c, struct request *r);
/// Discards bytes of a body without inspecting them. Returns how many arrived.
uint64_t connection_discard(struct connection *c, uint64_t length);
/// Writes text. Returns 1, or 0 if the client has disconnected.
int connection_write(struct connection *c, const char *text);
