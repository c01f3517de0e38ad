#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_peer.h"
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

// From <netinet/tcp.h>, which cannot be included beside <linux/tcp.h>.
enum { STATE_ESTABLISHED = 1, STATE_CLOSED = 7, STATE_CLOSE_WAIT = 8 };

#ifndef TCP_RTO_MAX_MS
#define TCP_RTO_MAX_MS 44
#endif

static int set(int socket, int level, int name, int value) {
    return setsockopt(socket, level, name, &value, sizeof value) == 0 ? 0 : -errno;
}

int longhaul_probe_peer(int socket, int idle, int interval, int probes, int longest_pause) {
    int result = set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    if (!result) result = set(socket, IPPROTO_TCP, TCP_KEEPIDLE, idle);
    if (!result) result = set(socket, IPPROTO_TCP, TCP_KEEPINTVL, interval);
    if (!result) result = set(socket, IPPROTO_TCP, TCP_KEEPCNT, probes);
    if (!result) set(socket, IPPROTO_TCP, TCP_RTO_MAX_MS, longest_pause);
    return result;
}

static int inspect(int socket, struct tcp_info *info) {
    socklen_t length = sizeof *info;
    memset(info, 0, sizeof *info);
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &length) == 0 ? 0 : -errno;
}

int longhaul_peer_is_silent(int socket, struct longhaul_peer_sight *sight) {
    struct tcp_info info;
    int result = inspect(socket, &info);
    if (result) return result;
    *sight = (struct longhaul_peer_sight){
        .acknowledged = info.tcpi_bytes_acked,
        .silence = info.tcpi_last_ack_recv,
        .owes_bytes = info.tcpi_unacked > 0 && info.tcpi_snd_wnd > 0,
    };
    if (info.tcpi_state != STATE_ESTABLISHED && info.tcpi_state != STATE_CLOSE_WAIT) return 0;
    // Probes are counted until the next acknowledgment. A peer that keeps its window closed answers each packet, and is alive.
    return sight->owes_bytes || info.tcpi_probes > 0
        || (info.tcpi_unacked > 0 && info.tcpi_last_ack_recv > info.tcpi_last_data_sent);
}

int longhaul_peer_was_given_up(int socket) {
    struct tcp_info info;
    int result = inspect(socket, &info);
    return result ? result : info.tcpi_state == STATE_CLOSED && info.tcpi_probes > 0;
}

int longhaul_abort_connection(int socket) {
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    return connect(socket, &nobody, sizeof nobody) == 0 ? 0 : -errno;
}
#endif
