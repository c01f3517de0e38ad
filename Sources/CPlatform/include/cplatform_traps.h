#pragma once
// The transfer that a thread is processing, which is recorded in a file if the process traps.
#include <stdint.h>

/// The work of a thread; none if `kind` is 0. Entries of the file have the same layout.
struct longhaul_work {
    uint32_t magic, kind;
    uint64_t high, low;
};
#define LONGHAUL_WORK_MAGIC 0x5452484CU

#ifdef __linux__
/// Records traps from now on, for the rest of the process's life. 0, or -errno.
int longhaul_traps_open(void);
#endif
/// Sets the file for traps of the calling thread; NULL for none. Returns the previous path. The string belongs to the
/// caller, and must exist until another path is set.
const char *longhaul_traps_place(const char *path);
/// Sets the work of the calling thread, and returns the previous one.
struct longhaul_work longhaul_traps_work(struct longhaul_work work);
