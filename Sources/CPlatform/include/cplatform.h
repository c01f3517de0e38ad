#pragma once
// Operations on files, and values of the system. Declarations outside `__linux__` exist on Linux and on Darwin.
#include <stdint.h>
#include <sys/types.h>

/// Takes the lock on the whole of `fd`, without waiting: an open-file-description lock, or flock(2) on Darwin. 0, or
/// -errno (-EAGAIN or -EACCES if another open file has it).
int longhaul_lock_exclusive(int fd);
/// Waits for the lock without a time limit. 0, or -errno.
int longhaul_lock_exclusive_wait(int fd);
/// 1 if another description of the file has a lock on it, 0 if none has, or -errno. On Darwin, a lock of `fd` itself
/// counts too.
int longhaul_lock_is_held(int fd);
/// Releases the lock, even if a forked process still has the description. 0, or -errno.
int longhaul_unlock(int fd);
/// Renames without replacing. 0, or -errno (-EEXIST if `to` exists).
int longhaul_rename_noreplace(const char *from, const char *to);
/// Syncs a file or a directory to stable storage: fsync(2), or F_FULLFSYNC on Darwin, where fsync(2) leaves bytes in the
/// drive's memory. 0, or -errno.
int longhaul_sync(int fd);
/// Syncs the content of a file, with the metadata that is needed to read it. 0, or -errno.
int longhaul_sync_content(int fd);
/// Makes `to` a file with the content of `from`, sharing its blocks. `to` must not exist. 0, or -errno (-EOPNOTSUPP,
/// -ENOTTY, -EINVAL, or -EXDEV if the blocks cannot be shared: copy the bytes).
int longhaul_clone(const char *from, const char *to);

/// Fills the memory with random bits from the kernel. 0, or -errno.
int longhaul_random(void *memory, size_t length);
/// Writes the ID of this boot, which differs after each one, as a string. 0, or -errno.
int longhaul_boot_id(char *text, size_t room);
/// Writes the path of the running program as a string. 0, or -errno.
int longhaul_program(char *path, size_t room);
/// Returns the present environment.
char *const *longhaul_environment(void);
/// Returns unused memory of this process to the kernel: freed memory, and on Linux its code until it is called again.
void longhaul_release_memory(void);

/// A counter: each raise lets one wait return. NULL if the system lacks resources.
void *longhaul_semaphore_create(void);
void longhaul_semaphore_destroy(void *semaphore);
void longhaul_semaphore_raise(void *semaphore);
void longhaul_semaphore_wait(void *semaphore);
