#pragma once
// The wall clock as others change it, and what it shows here.

/// A descriptor that can be read when the clock was set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET); -errno on failure.
int longhaul_clock_open(void);
/// Whether the clock was set since the last call.
int longhaul_clock_was_set(int fd);
/// Seconds east of Greenwich at an instant, by TZ or /etc/localtime as it is now.
long longhaul_zone_offset(long long seconds);
