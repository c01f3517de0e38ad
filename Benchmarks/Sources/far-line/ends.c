#define _GNU_SOURCE
#include "ends.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char device_name[] = "far0";

static int refuse(const char *what) {
    fprintf(stderr, "far-line: %s: %m. It requires root and /dev/net/tun.\n", what);
    return 0;
}

static struct ifreq request_for(const char *device) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    return request;
}

static struct sockaddr address_of(const char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct sockaddr generic;
    inet_pton(AF_INET, text, &address.sin_addr);
    memcpy(&generic, &address, sizeof generic);
    return generic;
}

static int bring_up(int socket, const char *device) {
    struct ifreq request = request_for(device);
    if (ioctl(socket, SIOCGIFFLAGS, &request) < 0) return 0;
    request.ifr_flags |= IFF_UP | IFF_RUNNING;
    return ioctl(socket, SIOCSIFFLAGS, &request) == 0;
}

static int configure(int socket, const char *address, const char *peer) {
    struct ifreq request = request_for(device_name);
    request.ifr_addr = address_of(address);
    if (ioctl(socket, SIOCSIFADDR, &request) < 0) return 0;
    request = request_for(device_name);
    request.ifr_dstaddr = address_of(peer);
    if (ioctl(socket, SIOCSIFDSTADDR, &request) < 0) return 0;
    request = request_for(device_name);
    // A burst waits here while this program is not running: only the line itself may lose packets.
    request.ifr_qlen = 10000;
    if (ioctl(socket, SIOCSIFTXQLEN, &request) < 0) return 0;
    return bring_up(socket, device_name) && bring_up(socket, "lo");
}

int end_open(struct end *end, const char *address, const char *peer) {
    if (unshare(CLONE_NEWNET) < 0) return refuse("cannot create a network namespace");
    end->network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    end->device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (end->network < 0 || end->device < 0) return refuse("cannot open /dev/net/tun");
    struct ifreq request = request_for(device_name);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (ioctl(end->device, TUNSETIFF, &request) < 0) return refuse("cannot create a TUN device");
    int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int is_configured = control >= 0 && configure(control, address, peer);
    if (!is_configured) refuse("cannot configure the TUN device");
    if (control >= 0) close(control);
    return is_configured;
}
