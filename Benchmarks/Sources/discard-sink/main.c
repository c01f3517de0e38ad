// A loopback server that accepts every body and stores none: PUT and POST, and tus uploads. Usage: discard-sink
// PORT-FILE CERTIFICATE KEY LOG. The server writes its two ports, plain and TLS, to the file when it listens.
#include "connection.h"

#include <openssl/err.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// tus uploads: their number is their URL, and only their offset is stored.
enum { uploads_kept = 4096 };
static _Atomic uint64_t offsets[uploads_kept];
static _Atomic uint64_t lengths[uploads_kept];
static _Atomic unsigned next_upload;

static SSL_CTX *tls_context;
static const char *log_path;

/// Adds a line about tus to the log: the time, the event, and the number of bytes.
static void note(const char *what, uint64_t bytes) {
    struct timespec now;
    char line[128];
    clock_gettime(CLOCK_MONOTONIC, &now);
    int length = snprintf(line, sizeof line, "%lld.%09ld %s %llu\n", (long long)now.tv_sec, now.tv_nsec, what,
        (unsigned long long)bytes);
    int file = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (write(file, line, length) < 0) perror(log_path);
    close(file);
}

static int answer(struct connection *c, struct request *r) {
    char text[512];
    if (r->expects_continue && !connection_write(c, "HTTP/1.1 100 Continue\r\n\r\n")) return 0;
    if (strncmp(r->path, "/tus", 4) != 0) {
        if (connection_discard(c, r->length) != r->length) return 0;
        return connection_write(c, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
    }
    unsigned number = r->path[4] == '/' ? (unsigned)strtoul(r->path + 5, NULL, 10) % uploads_kept : 0;
    note(r->method, r->length);
    if (strcmp(r->method, "POST") == 0) {
        number = atomic_fetch_add(&next_upload, 1) % uploads_kept;
        offsets[number] = 0;
        lengths[number] = r->upload_length;
        uint64_t came = connection_discard(c, r->length);
        offsets[number] = came;
        if (came != r->length) return 0;
        snprintf(text, sizeof text,
            "HTTP/1.1 201 Created\r\nTus-Resumable: 1.0.0\r\nLocation: /tus/%u\r\nUpload-Offset: %llu\r\n"
            "Content-Length: 0\r\n\r\n", number, (unsigned long long)came);
    } else if (strcmp(r->method, "HEAD") == 0) {
        snprintf(text, sizeof text,
            "HTTP/1.1 200 OK\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: %llu\r\nUpload-Length: %llu\r\n"
            "Cache-Control: no-store\r\n\r\n",
            (unsigned long long)offsets[number], (unsigned long long)lengths[number]);
    } else if (strcmp(r->method, "PATCH") == 0) {
        if (r->upload_offset < 0 || (uint64_t)r->upload_offset != offsets[number]) {
            connection_write(c, "HTTP/1.1 409 Conflict\r\nTus-Resumable: 1.0.0\r\nContent-Length: 0\r\n\r\n");
            return 0;
        }
        uint64_t came = connection_discard(c, r->length);
        atomic_fetch_add(&offsets[number], came);
        note("PATCH-END", came);
        if (came != r->length) return 0;
        snprintf(text, sizeof text,
            "HTTP/1.1 204 No Content\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: %llu\r\n\r\n",
            (unsigned long long)offsets[number]);
    } else {
        snprintf(text, sizeof text,
            "HTTP/1.1 204 No Content\r\nTus-Resumable: 1.0.0\r\nTus-Version: 1.0.0\r\n"
            "Tus-Extension: creation,termination\r\n\r\n");
    }
    return connection_write(c, text);
}

static void *serve(void *argument) {
    struct connection *c = argument;
    struct request r;
    if (!c->tls || SSL_accept(c->tls) == 1) {
        while (connection_read_head(c, &r) && answer(c, &r) && !r.closes) {}
    }
    if (c->tls) {
        SSL_shutdown(c->tls);
        SSL_free(c->tls);
    }
    close(c->socket);
    free(c);
    return NULL;
}

struct listener {
    int socket;
    int has_tls;
};

static void *listen_forever(void *argument) {
    struct listener *l = argument;
    for (;;) {
        int socket = accept(l->socket, NULL, NULL);
        if (socket < 0) continue;
        int one = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct connection *c = calloc(1, sizeof *c);
        c->socket = socket;
        if (l->has_tls) {
            c->tls = SSL_new(tls_context);
            SSL_set_fd(c->tls, socket);
        }
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, c) != 0) {
            close(socket);
            free(c);
        } else {
            pthread_detach(thread);
        }
    }
}

static int listening(unsigned *port) {
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (socket_ < 0 || bind(socket_, (struct sockaddr *)&address, length) != 0 || listen(socket_, 1024) != 0 ||
        getsockname(socket_, (struct sockaddr *)&address, &length) != 0) {
        perror("discard-sink");
        exit(1);
    }
    *port = ntohs(address.sin_port);
    return socket_;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: discard-sink PORT-FILE CERTIFICATE KEY LOG\n");
        return 2;
    }
    log_path = arguments[4];
    // The process never outlives its parent.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    tls_context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(tls_context, arguments[2]) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls_context, arguments[3], SSL_FILETYPE_PEM) != 1) {
        ERR_print_errors_fp(stderr);
        return 1;
    }
    unsigned plain_port, tls_port;
    struct listener plain = {listening(&plain_port), 0}, tls = {listening(&tls_port), 1};
    FILE *file = fopen(arguments[1], "w");
    if (!file || fprintf(file, "%u %u\n", plain_port, tls_port) < 0 || fclose(file) != 0) {
        perror(arguments[1]);
        return 1;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, listen_forever, &tls);
    listen_forever(&plain);
    return 0;
}
