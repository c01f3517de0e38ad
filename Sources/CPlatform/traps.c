#define _GNU_SOURCE
#include "cplatform_traps.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

// The TLS model lets a handler read it without a call that may allocate.
#define OF_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))
OF_THREAD const char *place;
OF_THREAD struct longhaul_work present;

#ifdef __linux__
// Faults of a thread in the program. SIGBUS is excluded: an unreadable disk raises it for a mapped file. SIGKILL,
// SIGSYS, and the like come from outside.
enum { COUNT = 5, ROOM = 64 << 10 };
static const int numbers[COUNT] = {SIGILL, SIGTRAP, SIGSEGV, SIGFPE, SIGABRT};
static struct sigaction before[COUNT];
static pid_t owner;
static int is_open;

// A thread whose stack has overflowed needs a separate stack for a handler.
OF_THREAD void *room;

static void write_entry(void) {
    int fd = open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) return;
    // A full disk cannot be handled here. The page cache outlives the process, so there is no sync.
    (void)!write(fd, &present, sizeof present);
    close(fd);
}

static void note(int number, siginfo_t *info, void *context) {
    int saved = errno;
    // A signal that the kernel raises for an instruction has a positive code. Sent signals have other codes; only the
    // one of abort() indicates a fault.
    int is_sent = info->si_code <= 0;
    int is_abort = number == SIGABRT && info->si_code == SI_TKILL && info->si_pid == owner;
    if ((!is_sent || is_abort) && place && present.kind && getpid() == owner) write_entry();
    const struct sigaction *earlier = NULL;
    for (int i = 0; i < COUNT; i++) {
        if (numbers[i] == number) earlier = &before[i];
    }
    if (is_sent && earlier->sa_handler != SIG_DFL && earlier->sa_handler != SIG_IGN) {
        // A sent signal is not repeated, so the earlier handler is called here, and the signal then ends the process.
        if (earlier->sa_flags & SA_SIGINFO) earlier->sa_sigaction(number, info, context);
        else earlier->sa_handler(number);
        signal(number, SIG_DFL);
        raise(number);
    } else {
        // The fault is repeated for the earlier handler: a debugging tool, or the default action that ends the process.
        sigaction(number, earlier, NULL);
        if (is_sent) raise(number);
    }
    errno = saved;
}

int longhaul_traps_open(void) {
    if (is_open) return 0;
    owner = getpid();
    is_open = 1;
    for (int i = 0; i < COUNT; i++) {
        struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        if (sigaction(numbers[i], &action, &before[i]) != 0) return -errno;
    }
    return 0;
}

static void take_room(void) {
    stack_t stack;
    if (room || sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) return;
    void *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    stack = (stack_t){.ss_sp = memory, .ss_size = ROOM};
    if (sigaltstack(&stack, NULL) == 0) room = memory;
    else munmap(memory, ROOM);
}

static void give_room_back(void) {
    if (!room) return;
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(&none, NULL) != 0) return;
    munmap(room, ROOM);
    room = NULL;
}
#endif

const char *longhaul_traps_place(const char *path) {
    const char *earlier = place;
#ifdef __linux__
    if (path && is_open) take_room();
#endif
    place = path;
#ifdef __linux__
    if (!path) give_room_back();
#endif
    return earlier;
}

struct longhaul_work longhaul_traps_work(struct longhaul_work work) {
    struct longhaul_work earlier = present;
    present = work;
    return earlier;
}
