#pragma once
// Server-side TLS for the servers of tests.
#include <stddef.h>

/// A CA, and a certificate for 127.0.0.1 and localhost that it signed, as PEM. The caller owns the strings.
struct test_certificates {
    char *authority;
    char *certificate;
    char *key;
};
/// 0, or -1.
int test_make_certificates(struct test_certificates *made);

/// The common TLS settings of a server's connections. NULL if the certificate or the key cannot be read.
struct test_tls_context *test_tls_context(const char *certificate, const char *key, int speaks_http2, int speaks_http1);
void test_tls_context_free(struct test_tls_context *context);

/// Performs the handshake, and blocks SIGPIPE in the calling thread, which must be the one that writes. NULL if the handshake failed.
void *test_tls_accept(struct test_tls_context *context, int descriptor);
/// Returns whether the handshake negotiated HTTP/2.
int test_tls_speaks_http2(void *connection);
/// Returns how many bytes were read or written; 0 for a normal end, or -errno.
long test_tls_read(void *connection, void *into, size_t room);
long test_tls_write(void *connection, const void *bytes, size_t count);
/// Sends the closing alert.
void test_tls_say_end(void *connection);
void test_tls_free(void *connection);
