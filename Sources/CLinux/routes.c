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

int longhaul_routes_gained(int fd) {
    _Alignas(struct nlmsghdr) char bytes[8192];
    int gained = 0;
    for (;;) {
        ssize_t count = recv(fd, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        // The kernel dropped messages: whatever they were, looking again does no harm.
        if (count < 0 && errno == ENOBUFS) {
            gained = 1;
            continue;
        }
        if (count <= 0) return gained;
        int rest = (int)count;
        for (struct nlmsghdr *head = (struct nlmsghdr *)bytes; NLMSG_OK(head, rest); head = NLMSG_NEXT(head, rest))
            if (head->nlmsg_type == RTM_NEWROUTE || head->nlmsg_type == RTM_NEWADDR) gained = 1;
    }
}
