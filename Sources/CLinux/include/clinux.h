#pragma once
// What Swift's Glibc module does not show: declarations behind _GNU_SOURCE, variadics and macros.
#include <stdint.h>
#include <sys/types.h>

/// Takes (or tries) the open-file-description lock on the whole of `fd`. 0, or -errno.
int longhaul_lock_exclusive(int fd);
/// Waits for the lock, for as long as it takes. 0, or -errno.
int longhaul_lock_exclusive_wait(int fd);
/// 1 when another description of the file has a lock on it, 0 when none has, or -errno.
int longhaul_lock_is_held(int fd);
/// Renames without replacing. 0, or -errno (-EEXIST when `to` exists).
int longhaul_rename_noreplace(const char *from, const char *to);
/// Gives an open-file-description lock back, also where a forked process still has the description. 0, or -errno.
int longhaul_unlock(int fd);
/// Fills the memory with random bits from the kernel. 0, or -errno.
int longhaul_random(void *memory, size_t length);
