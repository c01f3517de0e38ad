// Preloaded into unmodified programs: a wall clock that a test sets. Its offset from the machine's clock is in the
// eight bytes of the file SET_CLOCK, in microseconds. Monotonic clocks and the times of files are unchanged.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const _Atomic int64_t *shift;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("SET_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) shift = page;
    close(file);
}

static void move(struct timespec *time, int64_t microseconds) {
    int64_t nanoseconds = time->tv_nsec + microseconds % 1000000 * 1000;
    time->tv_sec += microseconds / 1000000;
    if (nanoseconds < 0) nanoseconds += 1000000000, time->tv_sec -= 1;
    if (nanoseconds >= 1000000000) nanoseconds -= 1000000000, time->tv_sec += 1;
    time->tv_nsec = nanoseconds;
}

static int64_t now_shift(void) { return shift ? *shift : 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) move(time, now_shift());
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// A wait until a time lasts as long as that time is away on this clock.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *date) {
    struct timespec deadline = *date;
    move(&deadline, -now_shift());
    return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &deadline);
}
