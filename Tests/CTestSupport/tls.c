#define _GNU_SOURCE
#include "tls.h"
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    int done = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return done;
}

// `issuer` is NULL for a CA, which signs itself.
static X509 *make_certificate(EVP_PKEY *key, const char *name, long serial, X509 *issuer, EVP_PKEY *issuer_key) {
    X509 *certificate = X509_new();
    if (certificate == NULL) return NULL;
    X509_NAME *subject = X509_get_subject_name(certificate);
    int done = X509_set_version(certificate, 2) && ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial) &&
               X509_gmtime_adj(X509_getm_notBefore(certificate), -86400L) &&
               X509_gmtime_adj(X509_getm_notAfter(certificate), 2 * 86400L) && X509_set_pubkey(certificate, key) &&
               X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0) &&
               X509_set_issuer_name(certificate, issuer != NULL ? X509_get_subject_name(issuer) : subject);
    if (issuer == NULL) {
        done = done && add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") &&
               add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign");
    } else {
        done = done && add_extension(certificate, issuer, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost,DNS:xn--bcher-kva.localhost") &&
               add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth");
    }
    if (done && X509_sign(certificate, issuer_key != NULL ? issuer_key : key, EVP_sha256()) > 0) return certificate;
    X509_free(certificate);
    return NULL;
}

// Returns the written bytes as a string that the caller frees.
static char *text_of(BIO *memory) {
    char *bytes;
    long length = BIO_get_mem_data(memory, &bytes);
    return strndup(bytes, (size_t)length);
}

int test_make_certificates(struct test_certificates *made) {
    EVP_PKEY *authority_key = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
    X509 *authority = NULL, *certificate = NULL;
    if (authority_key != NULL && key != NULL) {
        authority = make_certificate(authority_key, "Test authority", 1, NULL, NULL);
        if (authority != NULL) certificate = make_certificate(key, "localhost", 2, authority, authority_key);
    }
    BIO *first = BIO_new(BIO_s_mem()), *second = BIO_new(BIO_s_mem()), *third = BIO_new(BIO_s_mem());
    int done = certificate != NULL && PEM_write_bio_X509(first, authority) &&
               PEM_write_bio_X509(second, certificate) &&
               PEM_write_bio_PKCS8PrivateKey(third, key, NULL, NULL, 0, NULL, NULL);
    if (done) *made = (struct test_certificates){text_of(first), text_of(second), text_of(third)};
    BIO_free(first), BIO_free(second), BIO_free(third);
    X509_free(authority), X509_free(certificate);
    EVP_PKEY_free(authority_key), EVP_PKEY_free(key);
    return done ? 0 : -1;
}

struct test_tls_context {
    SSL_CTX *context;
    int speaks_http2, speaks_http1;
};

static int choose_protocol(
    SSL *connection, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
    unsigned int offered_length, void *context
) {
    (void)connection;
    static const unsigned char protocols[] = "\x02h2\x08http/1.1";
    const struct test_tls_context *server = context;
    const unsigned int http2 = 3, all = sizeof protocols - 1;
    int found = SSL_select_next_proto(
        (unsigned char **)chosen, length, server->speaks_http2 ? protocols : protocols + http2,
        server->speaks_http2 ? server->speaks_http1 ? all : http2 : all - http2, offered, offered_length);
    // Fails without a common protocol: a server of one protocol must never be mistaken for one of another.
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

struct test_tls_context *test_tls_context(const char *certificate, const char *key, int speaks_http2, int speaks_http1) {
    struct test_tls_context *made = calloc(1, sizeof *made);
    BIO *first = BIO_new_mem_buf(certificate, -1), *second = BIO_new_mem_buf(key, -1);
    X509 *server = PEM_read_bio_X509(first, NULL, NULL, NULL);
    EVP_PKEY *private = PEM_read_bio_PrivateKey(second, NULL, NULL, NULL);
    made->speaks_http2 = speaks_http2, made->speaks_http1 = speaks_http1;
    made->context = SSL_CTX_new(TLS_server_method());
    int done = server != NULL && private != NULL && SSL_CTX_use_certificate(made->context, server) == 1 &&
               SSL_CTX_use_PrivateKey(made->context, private) == 1;
    SSL_CTX_set_mode(made->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(made->context, choose_protocol, made);
    BIO_free(first), BIO_free(second);
    X509_free(server);
    EVP_PKEY_free(private);
    if (done) return made;
    test_tls_context_free(made);
    return NULL;
}

void test_tls_context_free(struct test_tls_context *context) {
    SSL_CTX_free(context->context);
    free(context);
}

void *test_tls_accept(struct test_tls_context *context, int descriptor) {
    // OpenSSL writes without MSG_NOSIGNAL; only this thread writes to this connection.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    SSL *connection = SSL_new(context->context);
    if (connection != NULL && SSL_set_fd(connection, descriptor) == 1 && SSL_accept(connection) == 1) return connection;
    SSL_free(connection);
    ERR_clear_error();
    return NULL;
}

int test_tls_speaks_http2(void *connection) {
    const unsigned char *protocol;
    unsigned int length;
    SSL_get0_alpn_selected(connection, &protocol, &length);
    return length == 2 && memcmp(protocol, "h2", 2) == 0;
}

static long outcome(SSL *connection, int result) {
    if (result > 0) return result;
    int reason = SSL_get_error(connection, result);
    ERR_clear_error();
    switch (reason) {
    case SSL_ERROR_ZERO_RETURN: return 0;
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return -EAGAIN;
    default: return -ECONNRESET;
    }
}

long test_tls_read(void *connection, void *into, size_t room) {
    return outcome(connection, SSL_read(connection, into, room > INT_MAX ? INT_MAX : (int)room));
}

long test_tls_write(void *connection, const void *bytes, size_t count) {
    return outcome(connection, SSL_write(connection, bytes, count > INT_MAX ? INT_MAX : (int)count));
}

void test_tls_say_end(void *connection) {
    SSL_shutdown(connection);
    ERR_clear_error();
}

void test_tls_free(void *connection) { SSL_free(connection); }
