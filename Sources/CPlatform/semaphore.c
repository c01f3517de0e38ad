#include "cplatform.h"
#ifdef __APPLE__
// sem_init(3) always fails there.
#include <dispatch/dispatch.h>

void *longhaul_semaphore_create(void) { return dispatch_semaphore_create(0); }

void longhaul_semaphore_destroy(void *semaphore) { dispatch_release((dispatch_semaphore_t)semaphore); }

void longhaul_semaphore_raise(void *semaphore) { dispatch_semaphore_signal((dispatch_semaphore_t)semaphore); }

void longhaul_semaphore_wait(void *semaphore) {
    dispatch_semaphore_wait((dispatch_semaphore_t)semaphore, DISPATCH_TIME_FOREVER);
}
#else
#include <semaphore.h>
#include <stdlib.h>

void *longhaul_semaphore_create(void) {
    sem_t *semaphore = malloc(sizeof *semaphore);
    if (semaphore && sem_init(semaphore, 0, 0) == 0) return semaphore;
    free(semaphore);
    return NULL;
}

void longhaul_semaphore_destroy(void *semaphore) {
    sem_destroy(semaphore);
    free(semaphore);
}

void longhaul_semaphore_raise(void *semaphore) { sem_post(semaphore); }

void longhaul_semaphore_wait(void *semaphore) {
    // Repeats an interrupted wait.
    while (sem_wait(semaphore) != 0) continue;
}
#endif
