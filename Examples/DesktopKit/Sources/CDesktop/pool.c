#include <time.h>

#include "cdesktop.h"

// On Linux, Swift's global executor is libdispatch's thread pool, which checks its threads every second until the process exits
// (_dispatch_workq_init_once in libdispatch's workqueue.c). An idle window must not wake the computer, so tasks outside of the
// main actor run on a thread pool of GLib instead, whose threads wait without a timer. The Swift runtime has hooks for this
// purpose (swift/Runtime/Concurrency.h). JavaScriptKit uses them for its event loop.

#define SWIFT __attribute__((swiftcall))

typedef struct Job Job;
typedef struct {
    void *identity;
    void *implementation;
} Executor;

typedef SWIFT void (*Enqueue)(Job *);
typedef SWIFT void (*EnqueueWithDelay)(unsigned long long, Job *);
typedef SWIFT void (*EnqueueWithDeadline)(long long, long long, long long, long long, int, Job *);

extern SWIFT void (*swift_task_enqueueGlobal_hook)(Job *, Enqueue);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long, Job *, EnqueueWithDelay);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long, long long, long long, long long, int, Job *, EnqueueWithDeadline);
extern SWIFT void swift_job_run(Job *, Executor);
extern void swift_get_time(long long *seconds, long long *nanoseconds, int clock);

static GThreadPool *pool;

static void run(gpointer job, gpointer none) {
    Executor generic = {NULL, NULL};
    swift_job_run(job, generic);
}

static gboolean push(gpointer job) {
    g_thread_pool_push(pool, job, NULL);
    return G_SOURCE_REMOVE;
}

static SWIFT void enqueue(Job *job, Enqueue original) { push(job); }

static SWIFT void enqueue_with_delay(unsigned long long nanoseconds, Job *job, EnqueueWithDelay original) {
    unsigned long long milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
    g_timeout_add(MIN(milliseconds, G_MAXUINT), push, job);
}

static SWIFT void enqueue_with_deadline(
    long long seconds, long long nanoseconds, long long leeway_seconds, long long leeway_nanoseconds, int clock,
    Job *job, EnqueueWithDeadline original) {
    long long now_seconds, now_nanoseconds;
    swift_get_time(&now_seconds, &now_nanoseconds, clock);
    double left = (double)(seconds - now_seconds) * 1e9 + (double)(nanoseconds - now_nanoseconds);
    enqueue_with_delay(left <= 0 ? 0 : left >= 1e18 ? 1000000000000000000ULL : (unsigned long long)left, job, NULL);
}

void desktop_use_own_pool(void) {
    pool = g_thread_pool_new(run, NULL, (int)g_get_num_processors(), FALSE, NULL);
    swift_task_enqueueGlobal_hook = enqueue;
    swift_task_enqueueGlobalWithDelay_hook = enqueue_with_delay;
    swift_task_enqueueGlobalWithDeadline_hook = enqueue_with_deadline;
}
