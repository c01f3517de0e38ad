#define _GNU_SOURCE
#include "cplatform_engine.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int longhaul_unsent_bytes(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -errno;
}

int longhaul_reserve(int fd, int64_t offset, int64_t length) {
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, length) == 0 ? 0 : -errno;
}

int longhaul_tells_each_change(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0) return 0;
    switch (system.f_type) {
    case EXT4_SUPER_MAGIC: // ext2 and ext3 too
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
        return 1;
    default:
        return 0;
    }
}

int longhaul_is_limited_by_server(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0) return 0;
    switch ((unsigned long)system.f_type & 0xFFFFFFFFUL) {
    case FUSE_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case V9FS_MAGIC:
    case 0x786F4256: // VBOXSF_SUPER_MAGIC, which is in no header
        return 1;
    default:
        return 0;
    }
}

int longhaul_sync_file_system(int fd) {
    return syncfs(fd) == 0 ? 0 : -errno;
}

int longhaul_open_unnamed(const char *directory, mode_t mode) {
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    return fd >= 0 ? fd : -errno;
}

int longhaul_open_in_memory(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

int longhaul_name_file(int fd, const char *path) {
    // The call without /proc works only for privileged processes, and for all since Linux 6.10 (linkat(2)).
    static atomic_bool goes_round;
    if (!goes_round) {
        if (linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH) == 0) return 0;
        if (errno != ENOENT) return -errno;
    }
    char own[32];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0) return -errno;
    goes_round = true;
    return 0;
}

int longhaul_set_attribute(int fd, const char *name, const void *value, size_t count) {
    return fsetxattr(fd, name, value, count, 0) == 0 ? 0 : -errno;
}

ssize_t longhaul_get_attribute(int fd, const char *name, void *value, size_t room) {
    ssize_t count = fgetxattr(fd, name, value, room);
    return count >= 0 ? count : -errno;
}

void longhaul_prepare_thread(const char *name) {
    sigset_t blocked;
    sigemptyset(&blocked);
    // If the signal is blocked, a write beyond RLIMIT_FSIZE fails with EFBIG and does not end the process.
    sigaddset(&blocked, SIGXFSZ);
    if (name) sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    if (name) pthread_setname_np(pthread_self(), name);
}

void *longhaul_map_pieces(size_t count) {
    // With room to align the address to a huge page.
    size_t size = count * LONGHAUL_HUGE_PAGE, mapped = size + LONGHAUL_HUGE_PAGE;
    char *area = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)area % LONGHAUL_HUGE_PAGE;
    if (before > 0) munmap(area, before);
    munmap(area + before + size, mapped - before - size);
    madvise(area + before, size, MADV_HUGEPAGE);
    return area + before;
}

void longhaul_unmap_pieces(void *pieces, size_t count) {
    munmap(pieces, count * LONGHAUL_HUGE_PAGE);
}

int longhaul_set_direct(int fd, int is_direct) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    flags = is_direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    return fcntl(fd, F_SETFL, flags) == 0 ? 0 : -errno;
}

ssize_t longhaul_copy_range(int from, int to, int64_t offset, size_t count) {
    off_t source = offset, target = offset;
    ssize_t copied = copy_file_range(from, &source, to, &target, count, 0);
    if (copied > 0) return copied;
    // Between file systems, and on some file systems, the call is refused or does nothing.
    if (copied < 0 && errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS) return -errno;
    if (lseek(to, offset, SEEK_SET) < 0) return -errno;
    source = offset;
    copied = sendfile(to, from, &source, count);
    return copied < 0 ? -errno : copied;
}

int64_t longhaul_next_data(int fd, int64_t offset, int64_t *end) {
    off_t start = lseek(fd, offset, SEEK_DATA);
    if (start < 0 && errno == EINVAL) {
        *end = INT64_MAX;
        return offset;
    }
    if (start < 0) return -errno;
    *end = lseek(fd, start, SEEK_HOLE);
    return *end < 0 ? -errno : start;
}

int longhaul_birth(int fd, int64_t *nanoseconds) {
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return -errno;
    // Some file systems claim to support it, and report the start of 1970.
    if (!(status.stx_mask & STATX_BTIME) || status.stx_btime.tv_sec <= 0) return -EOPNOTSUPP;
    *nanoseconds = status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
    return 0;
}

ssize_t longhaul_send_file(int socket, int file, int64_t *offset, size_t count) {
    off_t position = *offset;
    ssize_t sent = sendfile(socket, file, &position, count);
    if (sent < 0) return -errno;
    *offset = position;
    return sent;
}

int longhaul_replace(int target, int fd) {
    return dup3(fd, target, O_CLOEXEC) == target ? 0 : -errno;
}

int longhaul_silent_socket(void) {
    // No process can send to a socket without a name.
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd >= 0 ? fd : -errno;
}
