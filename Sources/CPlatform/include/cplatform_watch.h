#pragma once
#ifdef __linux__
// Changes of the names in directories (inotify(7)).
#include <stdint.h>

/// Returns a non-blocking descriptor for watches, or -errno.
int longhaul_watch_open(void);
/// Watches a directory for the events, such as IN_CREATE. Returns a nonnegative value without meaning, or -errno.
int longhaul_watch_add(int fd, const char *directory, uint32_t events);
/// Returns whether this name (NULL: any name) has changed since the last call, and discards all events: 1 or 0.
int longhaul_watch_take(int fd, const char *name);
#endif
