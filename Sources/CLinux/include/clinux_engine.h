#pragma once
// Calls of the transfer engine that Swift's Glibc module does not show.
#include <stdint.h>
#include <sys/types.h>

/// Bytes in the send queue of a socket that its peer has not acknowledged, or -errno.
int longhaul_unsent_bytes(int socket);
/// Reserves room for a file without changing its length. 0, or -errno.
int longhaul_reserve(int fd, int64_t offset, int64_t length);
/// Brings everything of the file system that holds `fd` to stable storage. 0, or -errno.
int longhaul_sync_file_system(int fd);
/// A new file of this directory's file system that has no name and is gone when it is closed (O_TMPFILE). It, or -errno
/// (-EOPNOTSUPP where the file system cannot).
int longhaul_open_unnamed(const char *directory, mode_t mode);
/// Creates a file in memory; `/proc` shows its name. Its descriptor, or -errno.
int longhaul_open_in_memory(const char *name);
/// Gives an unnamed file its name, which replaces nothing. 0, or -errno (-EEXIST when the name is taken).
int longhaul_name_file(int fd, const char *path);
/// Gives a file an extended attribute. 0, or -errno (-EOPNOTSUPP where the file system has none).
int longhaul_set_attribute(int fd, const char *name, const void *value, size_t count);
/// Reads one of at most `room` bytes. Its length, or -errno.
ssize_t longhaul_get_attribute(int fd, const char *name, void *value, size_t room);
/// Names the calling thread (15 bytes at most) and keeps all signals from it.
void longhaul_prepare_thread(const char *name);

/// What `longhaul_map_pieces` counts in.
#define LONGHAUL_HUGE_PAGE (2 << 20)
/// Memory in huge pages, where the kernel has some: a disk fetches a piece of it in one part instead of hundreds. `count` of them,
/// or NULL.
void *longhaul_map_pieces(size_t count);
void longhaul_unmap_pieces(void *pieces, size_t count);

/// Whether writes to `fd` pass by the page cache (O_DIRECT). 0, or -errno (-EINVAL where the file system cannot).
int longhaul_set_direct(int fd, int is_direct);
/// Whether the file system of `fd` is one on which each write shows at once in a file's times, for whoever asks by this system:
/// Linux's own are, those that ask a server are not. 1 or 0.
int longhaul_tells_each_change(int fd);
/// Whether a server or another process, which the kernel does not know, limits the size of files. 1 or 0.
int longhaul_is_limited_by_server(int fd);
/// Sends up to `count` bytes of `file` from `*offset` on, which moves along, without copying them. How many, or -errno.
/// SIGPIPE is for the caller to block.
ssize_t longhaul_send_file(int socket, int file, int64_t *offset, size_t count);
/// Copies up to `count` bytes at `offset` from one file to the same place of another: without moving any where the file system can
/// share them. How many, 0 at the end, or -errno.
ssize_t longhaul_copy_range(int from, int to, int64_t offset, size_t count);
/// Returns where the next data at or after `offset` begins, and sets `end` to the beginning of the next hole. If the file system does not
/// report holes, everything from `offset` on is data. -ENXIO if there is no more data, or -errno.
int64_t longhaul_next_data(int fd, int64_t offset, int64_t *end);
/// When a file was made, in nanoseconds since 1970. 0, or -errno (-EOPNOTSUPP where the file system does not tell).
int longhaul_birth(int fd, int64_t *nanoseconds);
/// Makes `target` another descriptor of what `fd` leads to, closed on exec. 0, or -errno.
int longhaul_replace(int target, int fd);
/// A socket on which nothing ever comes, or -errno.
int longhaul_silent_socket(void);
