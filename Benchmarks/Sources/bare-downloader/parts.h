#pragma once
#include <stddef.h>

/// The URLs to fetch, and the destination.
struct work {
    char **urls;
    int count;
    const char *directory;
};

enum { longest_body = 1 << 16 };

/// A body that has arrived.
struct body {
    struct body *next;
    /// The index of its URL.
    int index;
    int descriptor;
    size_t length;
    char bytes[longest_body];
};

/// Prints the error, and ends the program.
_Noreturn void fail(const char *what);

/// Fetches all URLs, `at_once` at a time.
void fetch_all(const struct work *work, int at_once);

/// Records all URLs as waiting, and starts the thread that places bodies.
void placing_begin(const struct work *work, const char *store);
/// Writes, syncs, renames, syncs, and records a body on that thread; then frees it.
void place(struct body *body);
/// Waits until all bodies are placed.
void placing_end(void);
