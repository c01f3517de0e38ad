// Slows the clocks of a program that runs under callgrind, for LD_PRELOAD: its timers then expire as rarely as in a run at
// full speed. SLOW_CLOCK is the factor.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

enum { CLOCKS = 16 };
static long long first[CLOCKS];  // in nanoseconds
static int factor = 1;

static int (*next_gettime)(clockid_t, struct timespec *);
static int (*next_poll)(struct pollfd *, nfds_t, int);
static int (*next_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*next_wait)(int, struct epoll_event *, int, int);

static long long nanoseconds(clockid_t clock) {
    struct timespec time;
    next_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((constructor)) static void prepare(void) {
    next_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    next_poll = dlsym(RTLD_NEXT, "poll");
    // On x86-64, dlsym finds the version of glibc 2.2.5, which has another condition variable.
    next_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!next_timedwait) next_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    next_wait = dlsym(RTLD_NEXT, "epoll_wait");
    const char *text = getenv("SLOW_CLOCK");
    if (text) factor = atoi(text);
    first[CLOCK_REALTIME] = nanoseconds(CLOCK_REALTIME);
    first[CLOCK_MONOTONIC] = nanoseconds(CLOCK_MONOTONIC);
    first[CLOCK_MONOTONIC_RAW] = nanoseconds(CLOCK_MONOTONIC_RAW);
    first[CLOCK_BOOTTIME] = nanoseconds(CLOCK_BOOTTIME);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!next_gettime) prepare();
    if (clock < 0 || clock >= CLOCKS || !first[clock]) return next_gettime(clock, time);
    long long slow = first[clock] + (nanoseconds(clock) - first[clock]) / factor;
    time->tv_sec = slow / 1000000000LL;
    time->tv_nsec = slow % 1000000000LL;
    return 0;
}

static int longer(int timeout) {
    return timeout <= 0 ? timeout : timeout > INT_MAX / factor ? INT_MAX : timeout * factor;
}

int poll(struct pollfd *files, nfds_t count, int timeout) { return next_poll(files, count, longer(timeout)); }

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout) {
    return next_wait(epoll, events, count, longer(timeout));
}

// The program waits on the wall clock. A date of a far year is not multiplied, because it would overflow.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
    struct timespec time = *deadline;
    long long away = time.tv_sec * 1000000000LL + time.tv_nsec - first[CLOCK_REALTIME];
    if (away < LLONG_MAX / 4 / factor) {
        long long real = first[CLOCK_REALTIME] + away * factor;
        time = (struct timespec){real / 1000000000LL, real % 1000000000LL};
    }
    return next_timedwait(condition, mutex, &time);
}
