#pragma once
// The limits of this process, and of the programs that it starts.
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/// Returns how many open files this process may have now; INT64_MAX for any number.
int64_t longhaul_descriptor_limit(void);

/// Whether this process has a limit of file sizes.
int longhaul_limits_file_sizes(void);

#ifdef __linux__
/// Raises the soft limit of open files to the hard limit, and stores the earlier value for the programs that are
/// started later. Must be called before there are threads. 0, or -errno.
int longhaul_raise_descriptor_limit(void);
/// Restores the earlier soft limit, between fork and exec. A program that uses select() fails when it gets a descriptor
/// above 1023 (select(2)), and relies on the usual limit to prevent that.
void longhaul_restore_descriptor_limit(void);

/// A program to start, with its descriptors 0 to 2 and no others.
struct longhaul_start {
    /// Searched in PATH if it has no slash.
    const char *program;
    char *const *arguments;
    char *const *environment;
    /// -1 for /dev/null.
    int in, out;
    /// Whether it gets a separate session.
    int has_session;
};
/// Starts a child of this process, with no signal blocked or ignored; /dev/null is its standard error. Returns its
/// process ID when the program runs, or -errno.
pid_t longhaul_start_child(const struct longhaul_start *start);
#endif
