#pragma once
#include <stddef.h>

/// What is to be fetched, and where it goes.
struct work {
    char **urls;
    int count;
    const char *directory;
};

enum { longest_body = 1 << 16 };

/// A body that has arrived.
struct body {
    struct body *next;
    /// Which URL it is of.
    int index;
    int descriptor;
    size_t length;
    char bytes[longest_body];
};

/// Says what went wrong, and ends the program.
_Noreturn void fail(const char *what);

/// Fetches all, so many at once.
void fetch_all(const struct work *work, int at_once);

/// Records all as waiting, and starts the thread that places bodies.
void placing_begin(const struct work *work, const char *store);
/// Has a body written, synced, named, synced and recorded; and freed.
void place(struct body *body);
/// Waits until all of the work is placed.
void placing_end(void);
