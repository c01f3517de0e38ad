#pragma once
// Calls of the transfer engine that Swift's Glibc module does not show.
#include <stdint.h>
#include <sys/types.h>

/// A close-on-exec semaphore that starts at 0, or -errno.
int longhaul_semaphore_create(void);
/// Lets `count` takers pass. 0, or -errno.
int longhaul_semaphore_raise(int fd, uint64_t count);
/// Waits until it may pass. 0, or -errno.
int longhaul_semaphore_take(int fd);

/// Bytes in the send queue of a socket that its peer has not acknowledged, or -errno.
int longhaul_unsent_bytes(int socket);
/// Reserves room for a file without changing its length. 0, or -errno.
int longhaul_reserve(int fd, int64_t offset, int64_t length);
/// Brings everything of the file system that holds `fd` to stable storage. 0, or -errno.
int longhaul_sync_file_system(int fd);
/// Names the calling thread (15 bytes at most) and keeps all signals from it.
void longhaul_prepare_thread(const char *name);
