#pragma once
// Changes of small files.

/// A descriptor that tells of files which were put into watched directories, replaced or taken away; non-blocking.
int longhaul_names_open(void);
/// Watches a directory too: 0 or -errno.
int longhaul_names_add(int fd, const char *directory);
/// Whether a file of this name was touched in any of the directories since the last call; forgets all others: 1 or 0.
int longhaul_names_take(int fd, const char *name);
