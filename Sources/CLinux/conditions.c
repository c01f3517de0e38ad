#define _GNU_SOURCE
#include "clinux_conditions.h"
#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// A date that never comes: only a clock that is set wakes the timer (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
static int arm(int fd) {
    struct itimerspec date = {.it_value = {.tv_sec = 1L << 40}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &date, NULL) == 0 ? 0 : -errno;
}

int longhaul_clock_watch_open(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -errno;
    int result = arm(fd);
    if (result == 0) return fd;
    close(fd);
    return result;
}

int longhaul_clock_watch_take(int fd) {
    unsigned long long count;
    if (read(fd, &count, sizeof count) >= 0 || errno != ECANCELED) return 0;
    arm(fd);
    return 1;
}

int longhaul_names_open(void) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return fd >= 0 ? fd : -errno;
}

int longhaul_names_add(int fd, const char *directory) {
    uint32_t events = IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_CREATE | IN_ONLYDIR;
    return inotify_add_watch(fd, directory, events) >= 0 ? 0 : -errno;
}

int longhaul_names_take(int fd, const char *first, const char *second) {
    _Alignas(struct inotify_event) char bytes[4096];
    int found = 0;
    ssize_t count;
    while ((count = read(fd, bytes, sizeof bytes)) > 0) {
        for (char *at = bytes; at < bytes + count;) {
            struct inotify_event *event = (struct inotify_event *)at;
            if (event->mask & IN_Q_OVERFLOW) found = 3;
            if (event->len > 0 && strcmp(event->name, first) == 0) found |= 1;
            if (event->len > 0 && strcmp(event->name, second) == 0) found |= 2;
            at += sizeof *event + event->len;
        }
    }
    return found;
}
