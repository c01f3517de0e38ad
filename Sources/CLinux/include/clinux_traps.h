#pragma once
// Which transfer a thread is at work on, noted in a file when the process traps there.
#include <stdint.h>

/// What a thread is at work on; nothing while `kind` is 0. Entries of the file have this form as well.
struct longhaul_work {
    uint32_t magic, kind;
    uint64_t high, low;
};
#define LONGHAUL_WORK_MAGIC 0x5452484CU

/// From now on, and for the rest of the process's life, a trap is noted. 0, or -errno.
int longhaul_traps_open(void);
/// Where traps of the calling thread are noted; NULL: nowhere. Answers the place that it had before. The text belongs to the
/// caller, and must last until another place is set.
const char *longhaul_traps_place(const char *path);
/// Sets what the calling thread is at work on, and answers what that was before.
struct longhaul_work longhaul_traps_work(struct longhaul_work work);
