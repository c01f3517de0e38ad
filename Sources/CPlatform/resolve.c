#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_network.h"
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

// libcurl ignores IPv6 if the kernel lacks it; then a host with only IPv6 addresses has no address.
static int family(void) {
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return AF_INET;
    close(fd);
    return AF_UNSPEC;
}

int longhaul_look_up(const char *host) {
    struct addrinfo hints = {.ai_family = family(), .ai_socktype = SOCK_STREAM, .ai_flags = AI_IDN};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, NULL, &hints, &found);
    if (code == 0) freeaddrinfo(found);
    switch (code) {
    case 0: return LONGHAUL_HOST_FOUND;
    // The name servers answered. A name that is never sent to a name server, such as one with a label of more than 63
    // bytes, is EAI_NONAME too, and one that IDNA does not allow is EAI_IDN_ENCODE.
    case EAI_NONAME:
    case EAI_NODATA:
    case EAI_ADDRFAMILY:
    case EAI_IDN_ENCODE: return LONGHAUL_HOST_UNKNOWN;
    default: return LONGHAUL_HOST_NOT_TOLD;
    }
}
#endif
