#pragma once
// Changes of the wall clock, and its time zone.

#ifdef __linux__
/// Returns a descriptor that becomes readable when the clock is set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET); -errno on failure.
int longhaul_clock_open(void);
/// Returns whether the clock was set since the last call.
int longhaul_clock_was_set(int fd);
#endif
/// Returns the seconds east of Greenwich at a time, by the present TZ or /etc/localtime.
long longhaul_zone_offset(long long seconds);
