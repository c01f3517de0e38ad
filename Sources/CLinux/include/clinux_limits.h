#pragma once
// How many descriptors this process may have, and what the programs it starts get.
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/// Raises the soft limit of open files to the hard one, and remembers what it was for the programs that are started later.
/// To be called before there are threads. 0, or -errno.
int longhaul_raise_descriptor_limit(void);
/// How many open files this process may have now; INT64_MAX for any number.
int64_t longhaul_descriptor_limit(void);
/// Between fork and exec: the soft limit is again what it was before it was raised. A program that uses select() breaks when it gets
/// a descriptor above 1023 (select(2)), and it counts on the usual limit to be kept from that.
void longhaul_restore_descriptor_limit(void);

/// How a program is started: its descriptors 0 to 2, and nothing else open.
struct longhaul_start {
    /// Looked for in PATH when it has no slash.
    const char *program;
    char *const *arguments;
    char *const *environment;
    /// -1 for /dev/null.
    int in, out;
    /// Whether it gets a session of its own.
    int has_session;
};
/// Starts a child of this process, with no signal blocked or ignored; /dev/null is its standard error. The child's number when the
/// program runs, or -errno.
pid_t longhaul_start_child(const struct longhaul_start *start);
