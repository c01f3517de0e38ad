#pragma once
// Sockets, epoll, signals and processes, as far as Swift's Glibc module does not show them.
// Everything returns a value >= 0, or -errno.
#include <stdint.h>
#include <sys/types.h>

/// Listens at `path`, of any length, mode 0600, non-blocking. What is there is replaced in one step, and only when it can be answered.
int longhaul_unix_listen(const char *path, int backlog);
/// Connects to `path`, of any length; the descriptor is non-blocking.
int longhaul_unix_connect(const char *path);
/// Accepts a connection; the descriptor is non-blocking and closed on exec.
int longhaul_accept(int listener);
/// The user of the process at the other end.
int longhaul_peer_user(int fd, uid_t *user);
/// 1 when `fd` is a listening AF_UNIX stream socket; makes it non-blocking and closed on exec.
int longhaul_adopt_listener(int fd);
/// Sends without SIGPIPE.
ssize_t longhaul_send(int fd, const void *bytes, size_t count);
/// Reads what is there.
ssize_t longhaul_receive(int fd, void *bytes, size_t count);

#define LONGHAUL_READABLE 1
#define LONGHAUL_WRITABLE 2
#define LONGHAUL_HUNG_UP 4

int longhaul_epoll_create(void);
/// Adds `fd`, or changes what is waited for; `key` comes back with its events.
int longhaul_epoll_set(int epoll, int fd, uint64_t key, int events, int is_new);
int longhaul_epoll_remove(int epoll, int fd);
/// Waits; -1 milliseconds waits for ever. Fills at most `capacity` keys and events.
int longhaul_epoll_wait(int epoll, uint64_t *keys, int *events, int capacity, int milliseconds);

/// A counter that wakes a poller; non-blocking.
int longhaul_event_create(void);
void longhaul_event_raise(int event);
void longhaul_event_clear(int event);

/// Blocks SIGTERM and SIGINT in this thread and those it starts, ignores SIGPIPE and SIGHUP; a descriptor that is
/// readable when one of the two came.
int longhaul_signals_open(void);
/// The number of the next signal, or -EAGAIN.
int longhaul_signals_next(int fd);

/// Waits for the lock on the whole of `fd` for at most `milliseconds`. It uses SIGALRM: only for a process that has one thread.
int longhaul_lock_exclusive_within(int fd, int milliseconds);

/// Gives the kernel back what this process has and does not use: freed memory, and its code until it is called again.
void longhaul_release_memory(void);

/// Sends one datagram to the socket that NOTIFY_SOCKET names ('@' means abstract).
int longhaul_notify(const char *socket_path, const char *message);

/// The environment as it is.
char *const *longhaul_environment(void);

/// Starts a program that outlives this process: a session of its own, `/` as directory, /dev/null on 0 and 1, `log` on 2,
/// `ready` on 3, nothing else open, no parent to be waited for by. Returns 0 also when the program cannot be executed:
/// then `ready` is closed without a byte.
int longhaul_start_detached(const char *path, char *const argv[], char *const envp[], int log, int ready);
/// Starts a program that has nothing to do with this process any more: a session of its own, `directory` (or `/`) to work
/// in, /dev/null on 0 to 2, nothing else open, no parent to be waited for by. 0 when it runs, or -errno.
int longhaul_launch(const char *path, char *const argv[], char *const envp[], const char *directory);
/// Runs a program with /dev/null on 0 to 2 and waits for it. Its exit status; -ETIMEDOUT (it is killed then).
int longhaul_run(const char *path, char *const argv[], char *const envp[], int milliseconds);
