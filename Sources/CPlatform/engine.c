#define _GNU_SOURCE
#include "cplatform_engine.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/mount.h>
#else
#include <linux/magic.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#endif

int longhaul_reserve(int fd, int64_t offset, int64_t length) {
#ifdef __APPLE__
    struct stat status;
    if (fstat(fd, &status) != 0) return -errno;
    // Space is added after the allocated blocks, wherever the range begins.
    fstore_t space = {.fst_flags = F_ALLOCATEALL,
                      .fst_posmode = F_PEOFPOSMODE,
                      .fst_length = offset + length - (int64_t)status.st_blocks * 512};
    if (space.fst_length <= 0) return 0;
    return fcntl(fd, F_PREALLOCATE, &space) == 0 ? 0 : -errno;
#else
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, length) == 0 ? 0 : -errno;
#endif
}

int longhaul_tells_each_change(int fd) {
#ifdef __APPLE__
    (void)fd;
    return 0;
#else
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
#endif
}

int longhaul_is_limited_by_server(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0) return 0;
#ifdef __APPLE__
    return !(system.f_flags & MNT_LOCAL);
#else
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
#endif
}

int longhaul_open_unnamed(const char *directory, mode_t mode) {
#ifdef __APPLE__
    (void)directory, (void)mode;
    return -EOPNOTSUPP;
#else
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    return fd >= 0 ? fd : -errno;
#endif
}

int longhaul_name_file(int fd, const char *path) {
#ifdef __APPLE__
    (void)fd, (void)path;
    return -EOPNOTSUPP;
#else
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
#endif
}

int longhaul_set_attribute(int fd, const char *name, const void *value, size_t count) {
#ifdef __APPLE__
    return fsetxattr(fd, name, value, count, 0, 0) == 0 ? 0 : -errno;
#else
    return fsetxattr(fd, name, value, count, 0) == 0 ? 0 : -errno;
#endif
}

ssize_t longhaul_get_attribute(int fd, const char *name, void *value, size_t room) {
#ifdef __APPLE__
    ssize_t count = fgetxattr(fd, name, value, room, 0, 0);
#else
    ssize_t count = fgetxattr(fd, name, value, room);
#endif
    return count >= 0 ? count : -errno;
}

ssize_t longhaul_default_acl(const char *directory, void *list, size_t room) {
#ifdef __APPLE__
    (void)directory, (void)list, (void)room;
    return -EOPNOTSUPP;
#else
    ssize_t count = getxattr(directory, "system.posix_acl_default", list, room);
    return count >= 0 ? count : -errno;
#endif
}

void longhaul_prepare_thread(const char *name) {
    sigset_t blocked;
    sigemptyset(&blocked);
    // If the signal is blocked, a write beyond RLIMIT_FSIZE fails with EFBIG and does not end the process.
    sigaddset(&blocked, SIGXFSZ);
    if (name) sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
#ifdef __APPLE__
    if (name) pthread_setname_np(name);
#else
    if (name) pthread_setname_np(pthread_self(), name);
#endif
}

void *longhaul_map_pieces(size_t count) {
    // With room to align the address to a huge page.
    size_t size = count * LONGHAUL_HUGE_PAGE, mapped = size + LONGHAUL_HUGE_PAGE;
    char *area = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)area % LONGHAUL_HUGE_PAGE;
    if (before > 0) munmap(area, before);
    munmap(area + before + size, mapped - before - size);
#ifdef __linux__
    madvise(area + before, size, MADV_HUGEPAGE);
#endif
    return area + before;
}

void longhaul_unmap_pieces(void *pieces, size_t count) {
    munmap(pieces, count * LONGHAUL_HUGE_PAGE);
}

int longhaul_set_direct(int fd, int is_direct) {
#ifdef __APPLE__
    return fcntl(fd, F_NOCACHE, is_direct) != -1 ? 0 : -errno;
#else
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    flags = is_direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    return fcntl(fd, F_SETFL, flags) == 0 ? 0 : -errno;
#endif
}

ssize_t longhaul_copy_range(int from, int to, int64_t offset, size_t count) {
#ifdef __APPLE__
    char bytes[64 << 10];
    ssize_t got = pread(from, bytes, count < sizeof bytes ? count : sizeof bytes, offset);
    if (got < 0) return -errno;
    for (ssize_t done = 0; done < got;) {
        ssize_t put = pwrite(to, bytes + done, (size_t)(got - done), offset + done);
        if (put < 0) return -errno;
        done += put;
    }
    return got;
#else
    off_t source = offset, target = offset;
    ssize_t copied = copy_file_range(from, &source, to, &target, count, 0);
    if (copied > 0) return copied;
    // Between file systems, and on some file systems, the call is refused or does nothing.
    if (copied < 0 && errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS) return -errno;
    if (lseek(to, offset, SEEK_SET) < 0) return -errno;
    source = offset;
    copied = sendfile(to, from, &source, count);
    return copied < 0 ? -errno : copied;
#endif
}

int64_t longhaul_next_data(int fd, int64_t offset, int64_t *end) {
#ifdef __APPLE__
    // APFS reports bytes that are not on the disk yet as a hole, which GNU coreutils found (bug 61386).
    struct stat status;
    if (fstat(fd, &status) != 0) return -errno;
    *end = INT64_MAX;
    return offset < status.st_size ? offset : -ENXIO;
#else
    off_t start = lseek(fd, offset, SEEK_DATA);
    if (start < 0 && errno == EINVAL) {
        *end = INT64_MAX;
        return offset;
    }
    if (start < 0) return -errno;
    *end = lseek(fd, start, SEEK_HOLE);
    return *end < 0 ? -errno : start;
#endif
}

int longhaul_birth(int fd, int64_t *nanoseconds) {
#ifdef __APPLE__
    struct stat status;
    if (fstat(fd, &status) != 0) return -errno;
    const struct timespec time = status.st_birthtimespec;
    if (time.tv_sec <= 0) return -EOPNOTSUPP;
#else
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return -errno;
    const struct statx_timestamp time = status.stx_btime;
    // Some file systems claim to support it, and report the start of 1970.
    if (!(status.stx_mask & STATX_BTIME) || time.tv_sec <= 0) return -EOPNOTSUPP;
#endif
    *nanoseconds = time.tv_sec * 1000000000LL + time.tv_nsec;
    return 0;
}

#ifdef __linux__
int longhaul_unsent_bytes(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -errno;
}

int longhaul_sync_file_system(int fd) {
    return syncfs(fd) == 0 ? 0 : -errno;
}

int longhaul_open_in_memory(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    return fd >= 0 ? fd : -errno;
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
#endif
