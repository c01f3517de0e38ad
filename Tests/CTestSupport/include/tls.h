#pragma once
// TLS on the server's side, for the servers of tests.
#include <stddef.h>

/// An authority, and a certificate for 127.0.0.1 and localhost that it signed, as PEM. The strings are the caller's.
struct test_certificates {
    char *authority;
    char *certificate;
    char *key;
};
/// 0, or -1.
int test_make_certificates(struct test_certificates *made);

/// What the connections of a server have in common. NULL when the certificate or the key cannot be read.
struct test_tls_context *test_tls_context(const char *certificate, const char *key, int speaks_http2, int speaks_http1);
void test_tls_context_free(struct test_tls_context *context);

/// Shakes hands, and blocks SIGPIPE in the calling thread, which must be the one that writes. NULL when that failed.
void *test_tls_accept(struct test_tls_context *context, int descriptor);
/// Whether that agreed on HTTP/2.
int test_tls_speaks_http2(void *connection);
/// How many bytes came or went; 0 for an orderly end, or -errno.
long test_tls_read(void *connection, void *into, size_t room);
long test_tls_write(void *connection, const void *bytes, size_t count);
/// Sends the closing alert.
void test_tls_say_end(void *connection);
void test_tls_free(void *connection);
