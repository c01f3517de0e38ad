#pragma once
// What becomes of the names in directories (inotify(7)).
#include <stdint.h>

/// A descriptor for watches; non-blocking. It, or -errno.
int longhaul_watch_open(void);
/// Watches a directory for the events, IN_CREATE and the like. A value of no use, or -errno.
int longhaul_watch_add(int fd, const char *directory, uint32_t events);
/// Whether something became of this name (NULL: of any) since the last call; forgets all that happened: 1 or 0.
int longhaul_watch_take(int fd, const char *name);
