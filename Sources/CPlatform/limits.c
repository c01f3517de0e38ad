#define _GNU_SOURCE
#include "cplatform_limits.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t longhaul_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT64_MAX) return INT64_MAX;
    return (int64_t)limit.rlim_cur;
}

int longhaul_limits_file_sizes(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

#ifdef __linux__
#include <sys/syscall.h>

static struct rlimit limit_before;
static int has_raised;

int longhaul_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -errno;
    if (limit.rlim_cur >= limit.rlim_max) return 0;
    limit_before = limit;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return -errno;
    has_raised = 1;
    return 0;
}

void longhaul_restore_descriptor_limit(void) {
    if (has_raised) setrlimit(RLIMIT_NOFILE, &limit_before);
}

/// Runs after vfork, in the memory of a process whose other threads continue: system calls only. `failed` gets the
/// error of a failed call.
__attribute__((noinline, noreturn)) static void become(const struct longhaul_start *start, volatile int *failed) {
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Moved out of the way first: the given descriptors may be numbers 0 to 2 already.
    int null = open("/dev/null", O_RDWR);
    int in = fcntl(start->in < 0 ? null : start->in, F_DUPFD, 10);
    int out = fcntl(start->out < 0 ? null : start->out, F_DUPFD, 10);
    int error = fcntl(null, F_DUPFD, 10);
    if (in >= 0 && out >= 0 && error >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(error, 2) >= 0 &&
        (!start->has_session || setsid() >= 0)) {
        if (syscall(SYS_close_range, 3U, ~0U, 0U) != 0) {
            for (int fd = 3; fd < 65536; fd++) close(fd);
        }
        // Last, because a lower limit would refuse higher numbers.
        longhaul_restore_descriptor_limit();
        execvpe(start->program, start->arguments, start->environment);
    }
    *failed = errno;
    _exit(127);
}

pid_t longhaul_start_child(const struct longhaul_start *start) {
    // Does not copy this process, which may be large. Its signal handlers must not run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    volatile int failed = 0;
    pid_t child = vfork();
    if (child == 0) become(start, &failed);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0) return -error;
    if (!failed) return child;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return -failed;
}
#endif
