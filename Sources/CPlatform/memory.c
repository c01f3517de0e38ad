#define _GNU_SOURCE
#include "cplatform.h"
#ifdef __APPLE__
#include <malloc/malloc.h>

void longhaul_release_memory(void) { malloc_zone_pressure_relief(NULL, 0); }
#else
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/// Returns whether the loader has written to the code; no library built in this century needs that.
static int has_text_relocations(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) return 1;
            if (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL) return 1;
        }
    }
    return 0;
}

/// Unmodified code is in its file: the kernel loads it again when it is called.
static int release_code(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), kernels = getauxval(AT_SYSINFO_EHDR);
    if (has_text_relocations(object)) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || part->p_flags & PF_W) continue;
        uintptr_t begin = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_filesz + page - 1) & ~(page - 1);
        if (kernels >= begin && kernels < end) continue;
        // If the kernel refuses, the code stays in memory.
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 0;
}

void longhaul_release_memory(void) {
    malloc_trim(0);
    dl_iterate_phdr(release_code, NULL);
}
#endif
