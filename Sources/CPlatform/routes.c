#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_network.h"
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int longhaul_routes_open(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        // A link that loses its carrier keeps its routes and addresses, and the kernel reports only
        // the link.
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int code = errno;
    close(fd);
    return -code;
}

int longhaul_routes_take(int fd) {
    _Alignas(struct nlmsghdr) char bytes[8192];
    int found = 0;
    for (;;) {
        ssize_t count = recv(fd, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        // The kernel dropped messages: assuming a change is harmless.
        if (count < 0 && errno == ENOBUFS) {
            found = LONGHAUL_ROUTES_CHANGED | LONGHAUL_ROUTES_GAINED;
            continue;
        }
        if (count <= 0) return found;
        int rest = (int)count;
        for (struct nlmsghdr *head = (struct nlmsghdr *)bytes; NLMSG_OK(head, rest); head = NLMSG_NEXT(head, rest)) {
            found |= LONGHAUL_ROUTES_CHANGED;
            if (head->nlmsg_type == RTM_NEWROUTE || head->nlmsg_type == RTM_NEWADDR) found |= LONGHAUL_ROUTES_GAINED;
        }
    }
}

// Returns whether the interface is not the loopback interface, and its link works (IFF_RUNNING: operstate up or
// unknown).
static int works(int fd, int index) {
    struct ifreq request = {.ifr_ifindex = index};
    if (ioctl(fd, SIOCGIFNAME, &request) < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0) return 0;
    return (request.ifr_flags & (IFF_UP | IFF_RUNNING | IFF_LOOPBACK)) == (IFF_UP | IFF_RUNNING);
}

// Returns whether an IPv6 address is only valid on its own link (fe80::/10), or for groups (ff00::/8).
static int is_of_link(const struct rtmsg *route, struct rtattr *attribute, int rest) {
    if (route->rtm_family != AF_INET6 || route->rtm_dst_len == 0) return 0;
    for (; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest)) {
        if (attribute->rta_type != RTA_DST) continue;
        const struct in6_addr *to = RTA_DATA(attribute);
        return IN6_IS_ADDR_LINKLOCAL(to) || IN6_IS_ADDR_MULTICAST(to);
    }
    return 0;
}

static int leads_out(int fd, const struct nlmsghdr *head) {
    if (head->nlmsg_type != RTM_NEWROUTE) return 0;
    const struct rtmsg *route = NLMSG_DATA(head);
    if (route->rtm_family != AF_INET && route->rtm_family != AF_INET6) return 0;
    if (route->rtm_table == RT_TABLE_LOCAL || route->rtm_type != RTN_UNICAST) return 0;
    if (route->rtm_flags & (RTM_F_CLONED | RTNH_F_DEAD | RTNH_F_LINKDOWN)) return 0;
    struct rtattr *attribute = RTM_RTA(route);
    int rest = RTM_PAYLOAD(head);
    if (is_of_link(route, attribute, rest)) return 0;
    for (; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest)) {
        if (attribute->rta_type == RTA_OIF && works(fd, *(int *)RTA_DATA(attribute))) return 1;
        if (attribute->rta_type != RTA_MULTIPATH) continue;
        struct rtnexthop *hop = RTA_DATA(attribute);
        int left = RTA_PAYLOAD(attribute);
        for (; RTNH_OK(hop, left); left -= RTNH_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop))
            if (!(hop->rtnh_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN)) && works(fd, hop->rtnh_ifindex)) return 1;
    }
    return 0;
}

// Reads the reply to a dump up to the first route to another machine; 1, 0, or -errno.
static int find_way_out(int fd) {
    _Alignas(struct nlmsghdr) char bytes[16384];
    for (;;) {
        ssize_t count = recv(fd, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        int rest = (int)count;
        for (struct nlmsghdr *head = (struct nlmsghdr *)bytes; NLMSG_OK(head, rest); head = NLMSG_NEXT(head, rest)) {
            if (head->nlmsg_type == NLMSG_DONE) return 0;
            if (head->nlmsg_type == NLMSG_ERROR) return ((struct nlmsgerr *)NLMSG_DATA(head))->error;
            if (leads_out(fd, head)) return 1;
        }
        if (count == 0) return 0;
    }
}

int longhaul_routes_lead_out(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
    } request = {
        .head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
                 .nlmsg_type = RTM_GETROUTE,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .route = {.rtm_family = AF_UNSPEC}};
    int result = send(fd, &request, request.head.nlmsg_len, 0) < 0 ? -errno : find_way_out(fd);
    close(fd);
    return result;
}
#endif
