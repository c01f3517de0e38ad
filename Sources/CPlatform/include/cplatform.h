#pragma once
// Declarations that Swift's Glibc module does not expose: those behind _GNU_SOURCE, variadics, and macros.
#include <stdint.h>
#include <sys/types.h>

/// Takes the open-file-description lock on the whole of `fd`, without waiting. 0, or -errno.
int longhaul_lock_exclusive(int fd);
/// Waits for the lock without a time limit. 0, or -errno.
int longhaul_lock_exclusive_wait(int fd);
/// 1 if another description of the file has a lock on it, 0 if none has, or -errno.
int longhaul_lock_is_held(int fd);
/// Renames without replacing. 0, or -errno (-EEXIST if `to` exists).
int longhaul_rename_noreplace(const char *from, const char *to);
/// Releases an open-file-description lock, even if a forked process still has the description. 0, or -errno.
int longhaul_unlock(int fd);
/// Fills the memory with random bits from the kernel. 0, or -errno.
int longhaul_random(void *memory, size_t length);
