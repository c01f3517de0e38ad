#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_ipc.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int fail(int fd) {
    int error = errno;
    close(fd);
    return -error;
}

static int address(struct sockaddr_un *to, const char *path) {
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof to->sun_path) return -ENAMETOOLONG;
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    memcpy(to->sun_path, path, length);
    return 0;
}

/// Makes the address of a path of any length. A path that is too long is reached through its directory, whose
/// descriptor is returned in `directory` and must be closed after use; otherwise `directory` is -1.
static int address_by_directory(struct sockaddr_un *to, const char *path, int *directory) {
    *directory = -1;
    const char *slash = strrchr(path, '/');
    if (strlen(path) < sizeof to->sun_path || slash == NULL) return address(to, path);
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%.*s", (int)(slash - path), path) >= (int)sizeof name) return -ENAMETOOLONG;
    int fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    snprintf(name, sizeof name, "/proc/self/fd/%d%s", fd, slash);
    int error = address(to, name);
    if (error) {
        close(fd);
    } else {
        *directory = fd;
    }
    return error;
}

int longhaul_unix_listen(const char *path, int backlog) {
    struct sockaddr_un to;
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid()) >= (int)sizeof temporary) return -ENAMETOOLONG;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    unlink(temporary);
    int directory, error = address_by_directory(&to, temporary, &directory);
    // bind() gives the new name the mode of the socket's own inode.
    if (!error && (fchmod(fd, 0600) != 0 || bind(fd, (struct sockaddr *)&to, sizeof to) != 0)) error = -errno;
    if (directory >= 0) close(directory);
    if (error) {
        close(fd);
        return error;
    }
    if (chmod(temporary, 0600) != 0 || listen(fd, backlog) != 0 || rename(temporary, path) != 0) {
        int result = fail(fd);
        unlink(temporary);
        return result;
    }
    return fd;
}

int longhaul_unix_connect(const char *path) {
    struct sockaddr_un to;
    int directory, error = address_by_directory(&to, path, &directory);
    if (error) return error;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int result = fd < 0 ? -errno : fd;
    // A local connect is never in progress: it succeeds, or fails with EAGAIN if the backlog is full.
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) != 0) result = fail(fd);
    if (directory >= 0) close(directory);
    return result;
}

int longhaul_accept(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return fd >= 0 ? fd : -errno;
}

int longhaul_peer_user(int fd, uid_t *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -errno;
    *user = peer.uid;
    return 0;
}

static int option(int fd, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : -errno;
}

int longhaul_adopt_listener(int fd) {
    int domain = option(fd, SO_DOMAIN);
    if (domain < 0) return domain;
    if (domain != AF_UNIX || option(fd, SO_TYPE) != SOCK_STREAM || option(fd, SO_ACCEPTCONN) != 1) return 0;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return -errno;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return -errno;
    return 1;
}

ssize_t longhaul_send(int fd, const void *bytes, size_t count) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    return sent >= 0 ? sent : -errno;
}

ssize_t longhaul_receive(int fd, void *bytes, size_t count) {
    ssize_t received = recv(fd, bytes, count, 0);
    return received >= 0 ? received : -errno;
}

int longhaul_notify(const char *socket_path, const char *message) {
    struct sockaddr_un to;
    int error = address(&to, socket_path);
    if (error) return error;
    if (socket_path[0] == '@') to.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(socket_path));
    if (sendto(fd, message, strlen(message), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to, length) < 0) {
        return fail(fd);
    }
    close(fd);
    return 0;
}
#endif
