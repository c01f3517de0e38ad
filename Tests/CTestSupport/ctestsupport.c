#define _GNU_SOURCE
#include "ctestsupport.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// SplitMix64 with the word's number as its state: any word can be computed without the earlier ones.
static inline __attribute__((always_inline)) uint64_t word_at(uint64_t seed, uint64_t number) {
    uint64_t z = seed * 0xD1342543DE82EF95ULL + (number + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

void test_fill(uint64_t seed, uint64_t offset, void *into, size_t count) {
    unsigned char *out = into;
    while (count > 0) {
        // Tests fill gigabytes in unoptimized C code: even there, a copy of constant length is one instruction.
        for (; offset % 8 == 0 && count >= 8; out += 8, offset += 8, count -= 8) {
            uint64_t word = word_at(seed, offset / 8);
            memcpy(out, &word, 8);
        }
        if (count == 0) return;
        uint64_t word = word_at(seed, offset / 8);
        size_t skip = offset % 8;
        size_t take = 8 - skip < count ? 8 - skip : count;
        memcpy(out, (unsigned char *)&word + skip, take);
        out += take;
        offset += take;
        count -= take;
    }
}

#if defined(__x86_64__)
/// CRC-32C, eight bytes at once: the tests hash gigabytes in unoptimized C code.
__attribute__((target("sse4.2"))) uint64_t test_checksum(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, sizeof word);
        hash = __builtin_ia32_crc32di(hash, word);
    }
    while (count-- > 0) hash = __builtin_ia32_crc32qi((uint32_t)hash, *next++);
    return hash;
}
#else
/// FNV-1a.
uint64_t test_checksum(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *next = bytes, *end = next + count;
    while (next < end) hash = (hash ^ *next++) * 1099511628211ULL;
    return hash;
}
#endif

void test_digest(const char *algorithm, uint64_t seed, uint64_t length, char base64[128]) {
    unsigned char piece[65536], raw[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_DigestInit_ex(context, EVP_get_digestbyname(algorithm), NULL);
    for (uint64_t offset = 0; offset < length; offset += sizeof piece) {
        size_t count = length - offset < sizeof piece ? length - offset : sizeof piece;
        test_fill(seed, offset, piece, count);
        EVP_DigestUpdate(context, piece, count);
    }
    EVP_DigestFinal_ex(context, raw, &size);
    EVP_MD_CTX_free(context);
    EVP_EncodeBlock((unsigned char *)base64, raw, (int)size);
}

/// Runs after vfork, in the memory of a process whose other threads continue: system calls only.
static void become(const struct test_program *program) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Including those that a shell ignores in background jobs.
    const int common[] = {SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGCONT};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) signal(common[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (program->has_terminal) {
        setsid();
        ioctl(program->input, TIOCSCTTY, 0);
    } else if (program->leads_group) {
        setpgid(0, 0);
    }
    // Copies above 2 first, so that no dup2 overwrites a descriptor that is still needed.
    int input = fcntl(program->input, F_DUPFD, 3), output = fcntl(program->output, F_DUPFD, 3);
    int error = fcntl(program->error, F_DUPFD, 3);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0) return;
    if (program->directory != NULL && chdir(program->directory) != 0) return;
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    execve(program->path, program->arguments, program->environment);
}

long test_attribute(const char *path, const char *name, void *value, size_t room) {
    ssize_t count = getxattr(path, name, value, room);
    return count >= 0 ? count : -errno;
}

int test_set_attribute(const char *path, const char *name, const void *value, size_t count) {
    return setxattr(path, name, value, count, 0) == 0 ? 0 : -errno;
}

int test_spawn(const struct test_program *program) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -errno;
    // Copying the tests' memory for each program would cost more than the program.
    pid_t child = vfork();
    if (child == 0) {
        become(program);
        int problem = errno;
        _exit(write(report[1], &problem, sizeof problem) > 0 ? 127 : 126);
    }
    int problem = child < 0 ? errno : 0;
    close(report[1]);
    ssize_t got;
    do got = child < 0 ? 0 : read(report[0], &problem, sizeof problem);
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (problem == 0) return child;
    // An unreaped child makes a wait for any child, such as Swift Testing's, poll repeatedly.
    if (child > 0) waitpid(child, NULL, 0);
    return -problem;
}

int test_open_terminal(int *controller, int *terminal, int columns, int rows) {
    *controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*controller < 0) return -errno;
    char name[128];
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    if (grantpt(*controller) == 0 && unlockpt(*controller) == 0 && ptsname_r(*controller, name, sizeof name) == 0) {
        *terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (*terminal >= 0 && ioctl(*terminal, TIOCSWINSZ, &size) == 0) return 0;
    }
    int problem = errno;
    close(*controller);
    return -problem;
}

int test_hold_process(int process) {
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    return handle >= 0 ? handle : -errno;
}

int test_end_process(int handle, int signal, int milliseconds) {
    if (signal != 0 && syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0) != 0 && errno != ESRCH) return -errno;
    struct pollfd watched = {.fd = handle, .events = POLLIN};
    int count;
    do count = poll(&watched, 1, milliseconds);
    while (count < 0 && errno == EINTR);
    return count > 0 ? 0 : count == 0 ? -ETIMEDOUT : -errno;
}

int test_enter_network(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    int code = setns(fd, CLONE_NEWNET) == 0 ? 0 : -errno;
    close(fd);
    return code;
}
