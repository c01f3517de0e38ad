#define _GNU_SOURCE
#include "cplatform_lifecycle.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int make_pipe(int ends[2]) {
#ifdef __APPLE__
    if (pipe(ends) != 0) return -errno;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
#else
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : -errno;
#endif
}

enum { COUNT = 5 };
static const int numbers[COUNT] = {SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT};
static struct sigaction before[COUNT];
// Created once and kept: a handler may still be writing when the earlier handlers are restored.
static int reader = -1, writer = -1;
static pid_t owner;
static int is_open;

static void note(int number) {
    int saved = errno;
    if (getpid() == owner) {
        unsigned char byte = (unsigned char)number;
        // Fails only if the pipe is full; then there is enough to read already.
        (void)!write(writer, &byte, 1);
    } else {
        // A copy made by fork(): it gets the signal itself, while the pipe belongs to its parent.
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = saved;
}

int longhaul_lifecycle_open(void) {
    if (is_open) return -EBUSY;
    if (writer < 0) {
        int ends[2];
        int error = make_pipe(ends);
        if (error) return error;
        reader = ends[0];
        writer = ends[1];
    }
    // Messages for an earlier reader are discarded.
    unsigned char old[64];
    while (read(reader, old, sizeof old) > 0) continue;
    owner = getpid();
    is_open = 1;
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler == SIG_IGN) continue;
        struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
        // Serialized: a SIGTSTP that interrupts the handler of an earlier SIGCONT would be recorded first.
        for (int j = 0; j < COUNT; j++) sigaddset(&action.sa_mask, numbers[j]);
        sigaction(numbers[i], &action, NULL);
    }
    return 0;
}

void longhaul_lifecycle_close(void) {
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], &before[i], NULL);
    is_open = 0;
}

int longhaul_lifecycle_next(int milliseconds) {
    struct pollfd waiting = {.fd = reader, .events = POLLIN};
    unsigned char byte;
    if (read(reader, &byte, 1) == 1) return byte;
    if (poll(&waiting, 1, milliseconds) < 0) return errno == EINTR ? -ETIMEDOUT : -errno;
    return read(reader, &byte, 1) == 1 ? byte : -ETIMEDOUT;
}

void longhaul_lifecycle_wake(int value) {
    unsigned char byte = (unsigned char)value;
    (void)!write(writer, &byte, 1);
}

static void happen(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    // Sent to this thread, so that it was delivered when raise() returns.
    raise(number);
}

void longhaul_lifecycle_stop(int number) {
    struct sigaction standard = {.sa_handler = SIG_DFL}, ours;
    sigaction(number, &standard, &ours);
    happen(number);
    sigaction(number, &ours, NULL);
}

void longhaul_lifecycle_end(int number) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    happen(number);
    // The default action does not end process 1 of a container.
    _exit(128 + number);
}
