#pragma once
// Calls of the transfer engine that Swift's Glibc module does not show.
#include <stdint.h>
#include <sys/types.h>

/// One ready file descriptor.
struct longhaul_event {
    int fd;
    int is_readable;
    int is_writable;
    int has_failed;
};

/// A close-on-exec epoll instance, or -errno.
int longhaul_poll_create(void);
/// Watches `fd` for the given directions (neither: not at all); `is_known` tells whether it is watched already. 0, or -errno.
int longhaul_poll_set(int epoll, int fd, int is_known, int wants_read, int wants_write);
/// Waits for up to `capacity` events, at most 64, and at most `milliseconds` (-1: for ever). Their count, or -errno.
int longhaul_poll_wait(int epoll, struct longhaul_event *events, int capacity, int milliseconds);

/// A close-on-exec eventfd: non-blocking, or (as a semaphore) blocking and taken one at a time. It, or -errno.
int longhaul_eventfd(int is_semaphore);
/// Adds `count` to an eventfd. 0, or -errno.
int longhaul_eventfd_add(int fd, uint64_t count);
/// Takes what an eventfd holds. 0, or -errno.
int longhaul_eventfd_take(int fd);

/// Bytes in the send queue of a socket that its peer has not acknowledged, or -errno.
int longhaul_unsent_bytes(int socket);
/// Reserves room for a file without changing its length. 0, or -errno.
int longhaul_reserve(int fd, int64_t offset, int64_t length);
/// Brings everything of the file system that holds `fd` to stable storage. 0, or -errno.
int longhaul_sync_file_system(int fd);
/// Names the calling thread (15 bytes at most) and keeps all signals from it.
void longhaul_prepare_thread(const char *name);
