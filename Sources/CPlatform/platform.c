#define _GNU_SOURCE
#include "cplatform.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

int longhaul_lock_exclusive(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : -errno;
}

int longhaul_lock_exclusive_wait(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    int result;
    do result = fcntl(fd, F_OFD_SETLKW, &lock);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : -errno;
}

int longhaul_lock_is_held(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    if (fcntl(fd, F_OFD_GETLK, &lock) != 0) return -errno;
    return lock.l_type == F_UNLCK ? 0 : 1;
}

int longhaul_rename_noreplace(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : -errno;
}

int longhaul_unlock(int fd) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : -errno;
}

int longhaul_random(void *memory, size_t length) {
    for (unsigned char *next = memory; length > 0;) {
        ssize_t got = getrandom(next, length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -errno;
        next += got;
        length -= (size_t)got;
    }
    return 0;
}
