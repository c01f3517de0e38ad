#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_helper.h"
#include "cplatform_limits.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Creates a file in memory with the input, so that the helper needs no writer while it runs.
static int input_file(const void *input, size_t length) {
    int file = memfd_create("longhaul-helper", MFD_CLOEXEC);
    if (file < 0) return -errno;
    for (size_t done = 0; done < length;) {
        ssize_t count = write(file, (const char *)input + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            int error = errno;
            close(file);
            return -error;
        }
        done += (size_t)count;
    }
    lseek(file, 0, SEEK_SET);
    return file;
}

static char **helper_environment(void) {
    static char no_prompt[] = "GIT_TERMINAL_PROMPT=0";
    size_t count = 0;
    while (environ[count]) count++;
    char **copy = malloc((count + 2) * sizeof *copy);
    if (!copy) return NULL;
    size_t kept = 0;
    for (size_t index = 0; index < count; index++) {
        if (strncmp(environ[index], "GIT_TERMINAL_PROMPT=", 20) != 0) copy[kept++] = environ[index];
    }
    copy[kept++] = no_prompt;
    copy[kept] = NULL;
    return copy;
}

static int start(pid_t *child, char *const argv[], int in, int out) {
    char **environment = helper_environment();
    if (!environment) return ENOMEM;
    struct longhaul_start start = {.program = argv[0], .arguments = argv, .environment = environment, .in = in,
                                   .out = out, .has_session = 1};
    *child = longhaul_start_child(&start);
    free(environment);
    return *child < 0 ? -*child : 0;
}

/// Reads until the helper has ended and all its output is read. 0, or the error for which it must be killed.
static int listen_to(int out, int handle, char *output, size_t capacity, size_t *length, int64_t deadline) {
    int is_open = 1, has_ended = 0;
    for (;;) {
        struct pollfd set[2] = {{.fd = is_open ? out : -1, .events = POLLIN}, {.fd = handle, .events = POLLIN}};
        int64_t left = deadline - milliseconds_now();
        if (left <= 0) return ETIMEDOUT;
        if (poll(set, 2, has_ended ? 0 : (int)left) < 0 && errno != EINTR) return errno;
        if (set[1].revents) has_ended = 1;
        if (!is_open || !set[0].revents) {
            if (has_ended) return 0;
            continue;
        }
        char rest[512];
        int is_full = *length == capacity;
        ssize_t count = read(out, is_full ? rest : output + *length, is_full ? sizeof rest : capacity - *length);
        if (count < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            return errno;
        }
        if (count == 0) is_open = 0;
        else if (is_full) return E2BIG;
        else *length += (size_t)count;
    }
}

ssize_t longhaul_call_helper(char *const argv[], const void *input, size_t length, void *output, size_t capacity,
                             int milliseconds, int *status) {
    int ends[2];
    int in = input_file(input, length);
    if (in < 0) return in;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        int error = errno;
        close(in);
        return -error;
    }
    pid_t child;
    int error = start(&child, argv, in, ends[1]);
    close(in);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return -error;
    }
    size_t count = 0;
    int handle = (int)syscall(SYS_pidfd_open, child, 0U);
    error = handle < 0 ? errno : listen_to(ends[0], handle, output, capacity, &count, milliseconds_now() + milliseconds);
    // Not reaped yet, so its process ID is still valid.
    if (error) kill(-child, SIGKILL);
    if (error) kill(child, SIGKILL);
    close(ends[0]);
    if (handle >= 0) close(handle);
    int result = 0;
    while (waitpid(child, &result, 0) < 0) {
        if (errno != EINTR) return error ? -error : -errno;
    }
    if (error) return -error;
    *status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    return (ssize_t)count;
}
#endif
