#pragma once
#ifdef __linux__
// Runs a credential helper: a program that reads a few lines and writes a few.
#include <stddef.h>
#include <sys/types.h>

/// Runs `argv`, found in PATH, in a separate session (without a terminal for prompts), with `input` on descriptor 0, the output on 1 read
/// into `output`, /dev/null on 2, and no other open descriptor. Sets GIT_TERMINAL_PROMPT to 0. Waits until the program has ended.
///
/// Returns the number of bytes that it wrote, and its exit status in `status`; or -ETIMEDOUT or -E2BIG (more than `capacity` bytes), after
/// killing its process group, or another -errno. Does not wait for processes that the program leaves behind.
ssize_t longhaul_call_helper(char *const argv[], const void *input, size_t length, void *output, size_t capacity,
                             int milliseconds, int *status);

/// Ends the running programs, because the process is about to exit: gives them this time to finish, then the same time after SIGTERM,
/// and then kills them. No program starts from now on.
void longhaul_end_helpers(int milliseconds);
#endif
