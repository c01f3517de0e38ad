#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_yield.h"
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

int longhaul_tcp_facts(int socket, struct longhaul_tcp_facts *facts) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -errno;
    *facts = (struct longhaul_tcp_facts){
        .round_trip = info.tcpi_rtt,
        .least_round_trip = info.tcpi_min_rtt,
        .receiver_round_trip = info.tcpi_rcv_rtt,
        .receive_pause = info.tcpi_last_data_recv,
        .received_segment = info.tcpi_rcv_mss,
        .sent_segment = info.tcpi_snd_mss,
        .sent = info.tcpi_bytes_sent,
        .acknowledged = info.tcpi_bytes_acked,
        .received = info.tcpi_bytes_received,
    };
    return 0;
}

int longhaul_set_window_clamp(int socket, int bytes) {
    return setsockopt(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, &bytes, sizeof bytes) == 0 ? 0 : -errno;
}

int longhaul_set_receive_buffer(int socket, int bytes) {
    return setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) == 0 ? 0 : -errno;
}

/// Returns whether both addresses are the same host's, regardless of the port.
static int is_same(const struct sockaddr *one, const struct sockaddr *other) {
    if (!one || one->sa_family != other->sa_family) return 0;
    if (one->sa_family == AF_INET)
        return ((const struct sockaddr_in *)one)->sin_addr.s_addr == ((const struct sockaddr_in *)other)->sin_addr.s_addr;
    return one->sa_family == AF_INET6
        && memcmp(&((const struct sockaddr_in6 *)one)->sin6_addr, &((const struct sockaddr_in6 *)other)->sin6_addr,
                  sizeof(struct in6_addr)) == 0;
}

/// Converts an IPv4 address in the IPv6 form of a dual-stack socket to the form of the interface.
static void unmap(struct sockaddr_storage *address) {
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    if (address->ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) return;
    struct sockaddr_in four = {.sin_family = AF_INET};
    memcpy(&four.sin_addr, &six->sin6_addr.s6_addr[12], sizeof four.sin_addr);
    memset(address, 0, sizeof *address);
    memcpy(address, &four, sizeof four);
}

static int find_interface(int socket, char name[IF_NAMESIZE]) {
    struct sockaddr_storage own = {0};
    socklen_t length = sizeof own;
    if (getsockname(socket, (struct sockaddr *)&own, &length) != 0) return -errno;
    unmap(&own);
    struct ifaddrs *first;
    if (getifaddrs(&first) != 0) return -errno;
    int result = -ENODEV;
    for (struct ifaddrs *each = first; each; each = each->ifa_next) {
        if (each->ifa_flags & IFF_LOOPBACK || !is_same(each->ifa_addr, (struct sockaddr *)&own)) continue;
        snprintf(name, IF_NAMESIZE, "%s", each->ifa_name);
        result = 0;
        break;
    }
    freeifaddrs(first);
    return result;
}

int longhaul_interface_bytes(int socket, uint64_t *received, uint64_t *sent) {
    char name[IF_NAMESIZE];
    int result = find_interface(socket, name);
    if (result != 0) return result;
    FILE *file = fopen("/proc/self/net/dev", "re");
    if (!file) return -errno;
    char line[512];
    result = -ENODEV;
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon) continue;
        *colon = 0;
        if (strcmp(line + strspn(line, " "), name) != 0) continue;
        if (sscanf(colon + 1, "%" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, received, sent) == 2) result = 0;
        break;
    }
    fclose(file);
    return result;
}

int longhaul_kernel_version(int numbers[3]) {
    struct utsname names;
    if (uname(&names) != 0) return -errno;
    memset(numbers, 0, 3 * sizeof *numbers);
    return sscanf(names.release, "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]) >= 2 ? 0 : -EINVAL;
}
#endif
