#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_network.h"
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int longhaul_is_cut(int fd) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage storage;
    } own, peer;
    socklen_t size = sizeof own, peer_size = sizeof peer;
    // A connection that is still being made has no peer, and reports its own failure.
    if (getsockname(fd, &own.any, &size) < 0 || getpeername(fd, &peer.any, &peer_size) < 0) return 0;
    if (own.any.sa_family == AF_INET)
        own.v4.sin_port = 0;
    else if (own.any.sa_family == AF_INET6)
        own.v6.sin6_port = 0;
    else
        return 0;
    // Connecting a UDP socket looks up the route and sends nothing.
    int probe = socket(own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return 0;
    int error = bind(probe, &own.any, size) < 0 || connect(probe, &peer.any, peer_size) < 0 ? errno : 0;
    close(probe);
    return error == EADDRNOTAVAIL || error == ENETUNREACH || error == EHOSTUNREACH || error == ENETDOWN ||
           error == ENODEV;
}

void longhaul_abort(int fd) {
    // tcp_disconnect() of the kernel: a reset if one can be sent, and ECONNRESET here.
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    connect(fd, &none, sizeof none);
}
#endif
