#define _GNU_SOURCE
#include "clinux_engine.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

int longhaul_poll_create(void) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    return epoll >= 0 ? epoll : -errno;
}

int longhaul_poll_set(int epoll, int fd, int is_known, int wants_read, int wants_write) {
    struct epoll_event event = {.events = 0, .data.fd = fd};
    if (wants_read) event.events |= EPOLLIN;
    if (wants_write) event.events |= EPOLLOUT;
    int operation = !event.events ? EPOLL_CTL_DEL : is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    return epoll_ctl(epoll, operation, fd, &event) == 0 ? 0 : -errno;
}

int longhaul_poll_wait(int epoll, struct longhaul_event *events, int capacity, int milliseconds) {
    struct epoll_event ready[64];
    int count = epoll_wait(epoll, ready, capacity < 64 ? capacity : 64, milliseconds);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        events[i].fd = ready[i].data.fd;
        events[i].is_readable = (ready[i].events & EPOLLIN) != 0;
        events[i].is_writable = (ready[i].events & EPOLLOUT) != 0;
        events[i].has_failed = (ready[i].events & (EPOLLERR | EPOLLHUP)) != 0;
    }
    return count;
}

int longhaul_eventfd(int is_semaphore) {
    int fd = eventfd(0, EFD_CLOEXEC | (is_semaphore ? EFD_SEMAPHORE : EFD_NONBLOCK));
    return fd >= 0 ? fd : -errno;
}

int longhaul_eventfd_add(int fd, uint64_t count) {
    return write(fd, &count, sizeof count) == sizeof count ? 0 : -errno;
}

int longhaul_eventfd_take(int fd) {
    uint64_t count;
    return read(fd, &count, sizeof count) == sizeof count ? 0 : -errno;
}

int longhaul_unsent_bytes(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -errno;
}

int longhaul_reserve(int fd, int64_t offset, int64_t length) {
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, length) == 0 ? 0 : -errno;
}

int longhaul_sync_file_system(int fd) {
    return syncfs(fd) == 0 ? 0 : -errno;
}

void longhaul_prepare_thread(const char *name) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_setname_np(pthread_self(), name);
}
