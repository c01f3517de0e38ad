#pragma once
// Calls for the transfer engine that Swift's Glibc module does not expose.
#include <stdint.h>
#include <sys/types.h>

/// Allocates space for a file without changing its length. 0, or -errno.
int longhaul_reserve(int fd, int64_t offset, int64_t length);
/// Creates an unnamed file on this directory's file system, which is deleted when it is closed (O_TMPFILE). Returns its
/// descriptor, or -errno (-EOPNOTSUPP if the file system does not support it; always on Darwin).
int longhaul_open_unnamed(const char *directory, mode_t mode);
/// Links an unnamed file without replacing another one. 0, or -errno (-EEXIST if the name is taken).
int longhaul_name_file(int fd, const char *path);
/// Sets an extended attribute of a file. 0, or -errno (-EOPNOTSUPP if the file system does not support it).
int longhaul_set_attribute(int fd, const char *name, const void *value, size_t count);
/// Reads an extended attribute of at most `room` bytes. Returns its length, or -errno.
ssize_t longhaul_get_attribute(int fd, const char *name, void *value, size_t room);
/// Reads the access control list that new files in a directory get (acl(5)), in the kernel's format (linux/posix_acl_xattr.h). Returns its
/// length, without reading it if `room` is 0; or -errno (-ENODATA if there is none, -EOPNOTSUPP if the file system has none; always on
/// Darwin).
ssize_t longhaul_default_acl(const char *directory, void *list, size_t room);
/// Names the calling thread (at most 15 bytes) and blocks all signals in it.
void longhaul_prepare_thread(const char *name);

/// The unit of `longhaul_map_pieces`.
#define LONGHAUL_HUGE_PAGE (2 << 20)
/// Returns memory of `count` huge pages, if the kernel has some, or NULL: a disk transfers a piece of it in one part
/// instead of hundreds.
void *longhaul_map_pieces(size_t count);
void longhaul_unmap_pieces(void *pieces, size_t count);

/// Sets whether writes to `fd` bypass the page cache (O_DIRECT, F_NOCACHE). 0, or -errno (-EINVAL if the file system does not support it).
int longhaul_set_direct(int fd, int is_direct);
/// Returns whether each write on the file system of `fd` immediately changes a file's times for all processes. 1 for local
/// file systems of Linux; 0 for network file systems, and on Darwin, where it is unknown.
int longhaul_tells_each_change(int fd);
/// Returns whether a server or another process limits the size of files, unknown to the kernel. 1 or 0.
int longhaul_is_limited_by_server(int fd);
/// Copies up to `count` bytes at `offset` from one file to the same offset of another, without moving them if the file
/// system can share them. Returns how many, 0 at the end, or -errno.
ssize_t longhaul_copy_range(int from, int to, int64_t offset, size_t count);
/// Returns where the next data at or after `offset` begins, and sets `end` to the beginning of the next hole. If the file system does not
/// report holes, everything from `offset` on is data. -ENXIO if there is no more data, or -errno.
int64_t longhaul_next_data(int fd, int64_t offset, int64_t *end);
/// Gets the creation time of a file, in nanoseconds since 1970. 0, or -errno (-EOPNOTSUPP if the file system does not report it).
int longhaul_birth(int fd, int64_t *nanoseconds);

#ifdef __linux__
/// Returns the bytes in the send queue of a socket that its peer has not acknowledged, or -errno.
int longhaul_unsent_bytes(int socket);
/// Syncs the file system that holds `fd`. 0, or -errno.
int longhaul_sync_file_system(int fd);
/// Creates a file in memory; `/proc` shows its name. Returns its descriptor, or -errno.
int longhaul_open_in_memory(const char *name);
/// Sends up to `count` bytes of `file` from `*offset` on without copying them, and advances `*offset`. Returns how
/// many, or -errno. The caller must block SIGPIPE.
ssize_t longhaul_send_file(int socket, int file, int64_t *offset, size_t count);
/// Makes `target` a duplicate of `fd`, closed on exec. 0, or -errno.
int longhaul_replace(int target, int fd);
/// Returns a socket that never receives data, or -errno.
int longhaul_silent_socket(void);
#endif
