#define _GNU_SOURCE
#include "clinux_ipc.h"
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

int longhaul_routes_open(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
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
        // The kernel dropped messages: whatever they were, looking again does no harm.
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

static int is_default(const struct nlmsghdr *head) {
    if (head->nlmsg_type != RTM_NEWROUTE) return 0;
    const struct rtmsg *route = NLMSG_DATA(head);
    return route->rtm_dst_len == 0 && route->rtm_table == RT_TABLE_MAIN && route->rtm_type == RTN_UNICAST;
}

// Reads the answer to a dump to its end; 1, 0 or -errno.
static int find_default(int fd) {
    _Alignas(struct nlmsghdr) char bytes[16384];
    int found = 0;
    for (;;) {
        ssize_t count = recv(fd, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        int rest = (int)count;
        for (struct nlmsghdr *head = (struct nlmsghdr *)bytes; NLMSG_OK(head, rest); head = NLMSG_NEXT(head, rest)) {
            if (head->nlmsg_type == NLMSG_DONE) return found;
            if (head->nlmsg_type == NLMSG_ERROR) return ((struct nlmsgerr *)NLMSG_DATA(head))->error;
            if (is_default(head)) found = 1;
        }
        if (count == 0) return found;
    }
}

int longhaul_routes_have_default(void) {
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
    int result = send(fd, &request, request.head.nlmsg_len, 0) < 0 ? -errno : find_default(fd);
    close(fd);
    return result;
}
