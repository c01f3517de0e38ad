#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_watch.h"
#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

int longhaul_watch_open(void) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return fd >= 0 ? fd : -errno;
}

int longhaul_watch_add(int fd, const char *directory, uint32_t events) {
    int id = inotify_add_watch(fd, directory, events | IN_ONLYDIR);
    return id >= 0 ? id : -errno;
}

int longhaul_watch_take(int fd, const char *name) {
    _Alignas(struct inotify_event) char bytes[4096];
    int found = 0;
    for (;;) {
        ssize_t count = read(fd, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return found;
        for (char *at = bytes; at < bytes + count;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            // Lost events may have concerned this name.
            if (name == NULL || event->mask & IN_Q_OVERFLOW) found = 1;
            if (name != NULL && event->len > 0 && strcmp(event->name, name) == 0) found = 1;
            at += sizeof *event + event->len;
        }
    }
}
#endif
