#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_ipc.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

int longhaul_epoll_create(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

int longhaul_epoll_set(int epoll, int fd, uint64_t key, int events, int is_new) {
    struct epoll_event event = {.events = 0, .data = {.u64 = key}};
    if (events & LONGHAUL_READABLE) event.events |= EPOLLIN;
    if (events & LONGHAUL_WRITABLE) event.events |= EPOLLOUT;
    return epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) == 0 ? 0 : -errno;
}

int longhaul_epoll_remove(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL) == 0 ? 0 : -errno;
}

int longhaul_epoll_wait(int epoll, uint64_t *keys, int *events, int capacity, int milliseconds) {
    struct epoll_event ready[64];
    int count = epoll_wait(epoll, ready, capacity < 64 ? capacity : 64, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        keys[i] = ready[i].data.u64;
        events[i] = (ready[i].events & EPOLLIN ? LONGHAUL_READABLE : 0) |
                    (ready[i].events & EPOLLOUT ? LONGHAUL_WRITABLE : 0) |
                    (ready[i].events & (EPOLLHUP | EPOLLERR) ? LONGHAUL_HUNG_UP : 0);
    }
    return count;
}

int longhaul_event_create(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd >= 0 ? fd : -errno;
}

void longhaul_event_raise(int event) {
    // Fails only if the counter is full; then the poller is awake already.
    (void)eventfd_write(event, 1);
}

void longhaul_event_clear(int event) {
    eventfd_t value;
    (void)eventfd_read(event, &value);
}

int longhaul_signals_open(void) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    int error = pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    if (error) return -error;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    // An inherited "ignore" would drop the signal before the descriptor sees it.
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd >= 0 ? fd : -errno;
}

int longhaul_signals_next(int fd) {
    struct signalfd_siginfo info;
    ssize_t count = read(fd, &info, sizeof info);
    return count == sizeof info ? (int)info.ssi_signo : -EAGAIN;
}

static void interrupt(int number) { (void)number; }

int longhaul_lock_exclusive_within(int fd, int milliseconds) {
    struct sigaction action = {.sa_handler = interrupt}, before;
    struct itimerval timer = {.it_interval = {.tv_usec = 50000}}, none = {0};
    timer.it_value.tv_sec = milliseconds / 1000;
    timer.it_value.tv_usec = milliseconds % 1000 * 1000;
    // The interval repeats the alarm: the first one may arrive before fcntl() waits.
    if (sigaction(SIGALRM, &action, &before) != 0 || setitimer(ITIMER_REAL, &timer, NULL) != 0) return -errno;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result = fcntl(fd, F_OFD_SETLKW, &lock) == 0 ? 0 : -errno;
    setitimer(ITIMER_REAL, &none, NULL);
    sigaction(SIGALRM, &before, NULL);
    return result == -EINTR ? -EAGAIN : result;
}
#endif
