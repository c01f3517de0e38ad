#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_ipc.h"
#include "cplatform_limits.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_quiet(void) {
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/// Runs after vfork, in the memory of a process whose other threads continue: system calls only.
__attribute__((noinline, noreturn)) static void become_detached(
    const char *path, char *const argv[], char *const envp[], int log, int ready) {
    become_quiet();
    // Moved out of the way first: the given descriptors may be numbers 0 to 3 already.
    int null = open("/dev/null", O_RDWR);
    int null_high = fcntl(null, F_DUPFD, 10), log_high = fcntl(log, F_DUPFD, 10), ready_high = fcntl(ready, F_DUPFD, 10);
    if (null_high < 0 || log_high < 0 || ready_high < 0) _exit(127);
    if (dup2(null_high, 0) < 0 || dup2(null_high, 1) < 0 || dup2(log_high, 2) < 0 || dup2(ready_high, 3) < 0) _exit(127);
    if (syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
        for (int fd = 4; fd < 65536; fd++) close(fd);
    }
    longhaul_restore_descriptor_limit();
    if (chdir("/") == 0) execve(path, argv, envp);
    _exit(127);
}

/// Also runs after vfork.
__attribute__((noinline, noreturn)) static void run_detached(
    const char *path, char *const argv[], char *const envp[], int log, int ready) {
    if (setsid() < 0) _exit(127);
    // A second child can never get a controlling terminal, and has no parent that must reap it.
    pid_t second = vfork();
    if (second == 0) become_detached(path, argv, envp, log, ready);
    _exit(second < 0 ? 127 : 0);
}

int longhaul_start_detached(const char *path, char *const argv[], char *const envp[], int log, int ready) {
    // Does not copy this process, which may be large. Its signal handlers must not run in the children.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t first = vfork();
    if (first == 0) run_detached(path, argv, envp, log, ready);
    int error = errno, status = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (first < 0) return -error;
    while (waitpid(first, &status, 0) < 0) {
        // The program ignores SIGCHLD, so the kernel has reaped the child.
        if (errno == ECHILD) return 0;
        if (errno != EINTR) return -errno;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EAGAIN;
}

/// Runs between fork and exec: async-signal-safe calls only. `failed` gets the error of a failed call.
static void run_launched(const char *path, char *const argv[], char *const envp[], const char *directory, int failed) {
    int error = 0;
    if (setsid() < 0) _exit(127);
    pid_t second = _Fork();
    if (second > 0) _exit(0);
    if (second < 0) error = errno;
    if (!error) {
        become_quiet();
        int null = open("/dev/null", O_RDWR);
        int null_high = fcntl(null, F_DUPFD, 10), failed_high = fcntl(failed, F_DUPFD, 10);
        if (null_high >= 0 && failed_high >= 0 && dup2(null_high, 0) >= 0 && dup2(null_high, 1) >= 0 &&
            dup2(null_high, 2) >= 0 && dup2(failed_high, 3) >= 0 && fcntl(3, F_SETFD, FD_CLOEXEC) == 0) {
            failed = 3;
            if (syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
                for (int fd = 4; fd < 65536; fd++) close(fd);
            }
            longhaul_restore_descriptor_limit();
            if (chdir(directory) != 0 && chdir("/") != 0) _exit(127);
            execve(path, argv, envp);
        }
        error = errno;
    }
    (void)!write(failed, &error, sizeof error);
    _exit(127);
}

int longhaul_launch(const char *path, char *const argv[], char *const envp[], const char *directory) {
    int ends[2], status = 0, error = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    pid_t first = _Fork();
    if (first == 0) run_launched(path, argv, envp, directory, ends[1]);
    if (first < 0) error = errno;
    close(ends[1]);
    // The end of the pipe means that the program runs.
    ssize_t count = 0;
    if (!error) {
        do count = read(ends[0], &error, sizeof error);
        while (count < 0 && errno == EINTR);
        if (count != sizeof error) error = 0;
        while (waitpid(first, &status, 0) < 0 && errno == EINTR) {}
    }
    close(ends[0]);
    return -error;
}

int longhaul_run(const char *path, char *const argv[], char *const envp[], int milliseconds) {
    struct longhaul_start start = {.program = path, .arguments = argv, .environment = envp, .in = -1, .out = -1};
    pid_t child = longhaul_start_child(&start);
    if (child < 0) return child;

    int status = 0, timed_out = 0;
    int handle = (int)syscall(SYS_pidfd_open, child, 0U);
    if (handle >= 0) {
        struct pollfd wait = {.fd = handle, .events = POLLIN};
        timed_out = poll(&wait, 1, milliseconds) == 0;
        close(handle);
    }
    if (timed_out) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -errno;
    }
    if (timed_out) return -ETIMEDOUT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}
#endif
