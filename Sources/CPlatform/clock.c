#define _GNU_SOURCE
#include "cplatform_clock.h"
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/timerfd.h>

static int arm(int fd) {
    // Later than any clock: this timer only ends because the clock was set.
    struct itimerspec never = {.it_value = {.tv_sec = (time_t)1 << 40}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int longhaul_clock_open(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -errno;
    if (arm(fd) == 0) return fd;
    int code = errno;
    close(fd);
    return -code;
}

int longhaul_clock_was_set(int fd) {
    uint64_t count;
    if (read(fd, &count, sizeof count) >= 0) return 0;
    if (errno != ECANCELED) return 0;
    arm(fd);
    return 1;
}
#endif

long longhaul_zone_offset(long long seconds) {
    time_t instant = (time_t)seconds;
    struct tm local;
    // Reads /etc/localtime again if the file was replaced; localtime_r(3) alone need not.
    tzset();
    return localtime_r(&instant, &local) ? local.tm_gmtoff : 0;
}
