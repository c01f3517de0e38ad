#define _GNU_SOURCE
#include "clinux_conditions.h"
#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

int longhaul_names_open(void) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return fd >= 0 ? fd : -errno;
}

int longhaul_names_add(int fd, const char *directory) {
    uint32_t events = IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_CREATE | IN_ONLYDIR;
    return inotify_add_watch(fd, directory, events) >= 0 ? 0 : -errno;
}

int longhaul_names_take(int fd, const char *name) {
    _Alignas(struct inotify_event) char bytes[4096];
    int found = 0;
    ssize_t count;
    while ((count = read(fd, bytes, sizeof bytes)) > 0) {
        for (char *at = bytes; at < bytes + count;) {
            struct inotify_event *event = (struct inotify_event *)at;
            // Events that were lost may have been about it.
            if (event->mask & IN_Q_OVERFLOW) found = 1;
            if (event->len > 0 && strcmp(event->name, name) == 0) found = 1;
            at += sizeof *event + event->len;
        }
    }
    return found;
}
