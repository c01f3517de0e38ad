#ifdef __linux__
#define _GNU_SOURCE
#include "cplatform_helper.h"
#include "cplatform_limits.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
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

/// A program that runs. The list's mutex ensures that its process ID is valid, because it is reaped after its removal.
struct running {
    pid_t child;
    struct running *next;
};
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct running *list;
static int is_ending;

/// Starts the program and adds it to the list, unless the process is about to end. 0, or an error.
static int start_listed(struct running *running, char *const argv[], int in, int out) {
    pthread_mutex_lock(&list_mutex);
    int error = is_ending ? ECANCELED : start(&running->child, argv, in, out);
    if (!error) {
        running->next = list;
        list = running;
    }
    pthread_mutex_unlock(&list_mutex);
    return error;
}

static void remove_from_list(struct running *running) {
    pthread_mutex_lock(&list_mutex);
    struct running **at = &list;
    while (*at != running) at = &(*at)->next;
    *at = running->next;
    pthread_mutex_unlock(&list_mutex);
}

/// Sends a signal to all programs in the list, then waits until the list is empty, at most until the time is over.
static int signal_all(int number, int milliseconds) {
    int64_t deadline = milliseconds_now() + milliseconds;
    for (int is_first = 1;; is_first = 0) {
        pthread_mutex_lock(&list_mutex);
        for (struct running *at = list; at && is_first && number; at = at->next) {
            // The group does not exist until the program has its own session.
            if (kill(-at->child, number) != 0) kill(at->child, number);
        }
        int is_empty = !list;
        pthread_mutex_unlock(&list_mutex);
        if (is_empty || milliseconds_now() >= deadline) return is_empty;
        usleep(10000);
    }
}

void longhaul_end_helpers(int milliseconds) {
    pthread_mutex_lock(&list_mutex);
    is_ending = 1;
    pthread_mutex_unlock(&list_mutex);
    if (!signal_all(0, milliseconds) && !signal_all(SIGTERM, milliseconds)) signal_all(SIGKILL, milliseconds);
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
    struct running running;
    int error = start_listed(&running, argv, in, ends[1]);
    close(in);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return -error;
    }
    pid_t child = running.child;
    size_t count = 0;
    int handle = (int)syscall(SYS_pidfd_open, child, 0U);
    error = handle < 0 ? errno : listen_to(ends[0], handle, output, capacity, &count, milliseconds_now() + milliseconds);
    // Not reaped yet, so its process ID is still valid.
    if (error) kill(-child, SIGKILL);
    if (error) kill(child, SIGKILL);
    close(ends[0]);
    if (handle >= 0) close(handle);
    remove_from_list(&running);
    int result = 0;
    while (waitpid(child, &result, 0) < 0) {
        if (errno != EINTR) return error ? -error : -errno;
    }
    if (error) return -error;
    *status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    return (ssize_t)count;
}
#endif
