#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

static inline long longhaul_tls_tell_end(
    BIO *bio, int operation, const char *argument, size_t length, int command, long value, int result, size_t *count
) {
    (void)argument, (void)length, (void)value, (void)count;
    // OpenSSL queries this only after a read without data that must not be repeated: that is the end.
    int asks = operation == (BIO_CB_CTRL | BIO_CB_RETURN) && command == BIO_CTRL_EOF;
    return asks && !BIO_should_retry(bio) ? 1 : result;
}

/// Makes the end of a TLS connection without the closing alert an error (RFC 8446, section 6.1) instead of a normal
/// end: the transport that libcurl gives OpenSSL never reports the end of its input (seen: 7.88). `connection` is the
/// `SSL` of CURLINFO_TLS_SSL_PTR.
static inline void longhaul_tls_demand_closing_alert(void *connection) {
    BIO *bio = SSL_get_rbio((SSL *)connection);
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
    SSL_clear_options((SSL *)connection, SSL_OP_IGNORE_UNEXPECTED_EOF);
#endif
    if (bio) BIO_set_callback_ex(bio, longhaul_tls_tell_end);
}

/// Decrypts the bytes that the kernel still holds of a connection on which sending failed. The connection cannot
/// receive afterwards. Returns the number of bytes; `connection` is the `SSL` of CURLINFO_TLS_SSL_PTR.
static inline size_t longhaul_tls_read_rest(void *connection, int socket, unsigned char *bytes, size_t room) {
    unsigned char records[32 << 10];
    const ssize_t received = recv(socket, records, sizeof records, MSG_DONTWAIT);
    // Bypasses libcurl's transport, which may only be used from within libcurl.
    BIO *bio = received > 0 ? BIO_new_mem_buf(records, (int)received) : NULL;
    BIO *nothing = bio ? BIO_new(BIO_s_mem()) : NULL;
    if (!nothing) return BIO_free(bio), 0;
    SSL_set0_rbio((SSL *)connection, bio);
    size_t count = 0, got = 0;
    while (count < room && SSL_read_ex((SSL *)connection, bytes + count, room - count, &got) == 1) count += got;
    ERR_clear_error();
    SSL_set0_rbio((SSL *)connection, nothing);
    return count;
}
