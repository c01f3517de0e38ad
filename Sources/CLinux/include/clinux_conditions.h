#pragma once
// Changes of the clock and of small files.

#include <stddef.h>

/// A descriptor that becomes readable when the wall clock is set; non-blocking. -errno where there is no such thing.
int longhaul_clock_watch_open(void);
/// Whether the clock was set since the last call: 1 or 0.
int longhaul_clock_watch_take(int fd);

/// A descriptor that tells of files which were put into watched directories, replaced or taken away; non-blocking.
int longhaul_names_open(void);
/// Watches a directory too: 0 or -errno.
int longhaul_names_add(int fd, const char *directory);
/// Whether a file of this name was touched in any of the directories since the last call; forgets all others: 1 or 0.
/// Two names are asked for at once: bit 0 for `first`, bit 1 for `second`.
int longhaul_names_take(int fd, const char *first, const char *second);
