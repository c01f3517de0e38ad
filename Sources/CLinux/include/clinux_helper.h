#pragma once
// Running a credential helper: a program that reads a few lines and writes a few.
#include <stddef.h>
#include <sys/types.h>

/// Runs `argv`, found in PATH, in a session of its own (no terminal to ask on), with `input` on 0, what it writes to 1 read
/// into `output`, /dev/null on 2 and nothing else open. GIT_TERMINAL_PROMPT is 0 for it. Waits until it has ended.
///
/// The number of bytes it wrote, its exit status in `status`; or -ETIMEDOUT and -E2BIG (more than `capacity` bytes), after
/// it was killed with all of its group, or another -errno. A process that it left behind is not waited for.
ssize_t longhaul_call_helper(char *const argv[], const void *input, size_t length, void *output, size_t capacity,
                             int milliseconds, int *status);
