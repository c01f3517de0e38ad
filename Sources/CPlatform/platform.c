#define _GNU_SOURCE
#include "cplatform.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#include <mach-o/dyld.h>
#include <stdlib.h>
#include <sys/clonefile.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#else
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#endif

int longhaul_lock_exclusive(int fd) {
#ifdef __APPLE__
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
#else
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : -errno;
#endif
}

int longhaul_lock_exclusive_wait(int fd) {
    int result;
#ifdef __APPLE__
    do result = flock(fd, LOCK_EX);
    while (result != 0 && errno == EINTR);
#else
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    do result = fcntl(fd, F_OFD_SETLKW, &lock);
    while (result != 0 && errno == EINTR);
#endif
    return result == 0 ? 0 : -errno;
}

int longhaul_lock_is_held(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
#ifdef __APPLE__
    // Finds locks of flock(2) too (<sys/fcntl.h>, F_GETLKPID).
    if (fcntl(fd, F_GETLK, &lock) != 0) return -errno;
#else
    if (fcntl(fd, F_OFD_GETLK, &lock) != 0) return -errno;
#endif
    return lock.l_type == F_UNLCK ? 0 : 1;
}

int longhaul_unlock(int fd) {
#ifdef __APPLE__
    return flock(fd, LOCK_UN) == 0 ? 0 : -errno;
#else
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : -errno;
#endif
}

int longhaul_rename_noreplace(const char *from, const char *to) {
#ifdef __APPLE__
    return renamex_np(from, to, RENAME_EXCL) == 0 ? 0 : -errno;
#else
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : -errno;
#endif
}

int longhaul_sync(int fd) {
    int result;
#ifdef __APPLE__
    do result = fcntl(fd, F_FULLFSYNC);
    while (result != 0 && errno == EINTR);
    if (result == 0) return 0;
    // A network file system has no drive to flush. Any other error may mean lost bytes.
    if (errno != ENOTSUP && errno != EOPNOTSUPP && errno != ENOTTY && errno != EINVAL) return -errno;
#endif
    do result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : -errno;
}

int longhaul_sync_content(int fd) {
#ifdef __APPLE__
    return longhaul_sync(fd);
#else
    int result;
    do result = fdatasync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : -errno;
#endif
}

int longhaul_clone(const char *from, const char *to) {
#ifdef __APPLE__
    if (clonefile(from, to, CLONE_NOFOLLOW) != 0) return -errno;
    // A clone has the flags and the mode of its source, which may forbid writing or removing it.
    if (chflags(to, 0) == 0 && chmod(to, 0600) == 0) return 0;
    int error = errno;
    unlink(to);
    return -error;
#else
    int source = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (source < 0) return -errno;
    int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int result = target < 0 || ioctl(target, FICLONE, source) != 0 ? -errno : 0;
    if (result != 0 && target >= 0) unlink(to);
    if (target >= 0) close(target);
    close(source);
    return result;
#endif
}

int longhaul_random(void *memory, size_t length) {
#ifdef __APPLE__
    arc4random_buf(memory, length);
#else
    for (unsigned char *next = memory; length > 0;) {
        ssize_t got = getrandom(next, length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -errno;
        next += got;
        length -= (size_t)got;
    }
#endif
    return 0;
}

int longhaul_boot_id(char *text, size_t room) {
#ifdef __APPLE__
    return sysctlbyname("kern.bootsessionuuid", text, &room, NULL, 0) == 0 ? 0 : -errno;
#else
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t count;
    do count = read(fd, text, room - 1);
    while (count < 0 && errno == EINTR);
    int result = count < 0 ? -errno : 0;
    close(fd);
    if (result == 0) text[count] = 0, text[strcspn(text, "\n")] = 0;
    return result;
#endif
}

int longhaul_program(char *path, size_t room) {
#ifdef __APPLE__
    uint32_t length = (uint32_t)room;
    return _NSGetExecutablePath(path, &length) == 0 ? 0 : -ENAMETOOLONG;
#else
    ssize_t count = readlink("/proc/self/exe", path, room - 1);
    if (count < 0) return -errno;
    path[count] = 0;
    return 0;
#endif
}

char *const *longhaul_environment(void) {
#ifdef __APPLE__
    return *_NSGetEnviron();
#else
    return environ;
#endif
}
