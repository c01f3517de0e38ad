#pragma once
#ifdef __linux__
// Sockets, epoll, signals, and processes, as far as Swift's Glibc module does not expose them. All functions return a
// value >= 0, or -errno.
#include <stdint.h>
#include <sys/types.h>

/// Listens at `path`, of any length, mode 0600, non-blocking. Replaces an existing file atomically, and only when connections can be
/// accepted.
int longhaul_unix_listen(const char *path, int backlog);
/// Connects to `path`, of any length; the descriptor is non-blocking.
int longhaul_unix_connect(const char *path);
/// Accepts a connection; the descriptor is non-blocking and closed on exec.
int longhaul_accept(int listener);
/// Returns the user of the process at the other end.
int longhaul_peer_user(int fd, uid_t *user);
/// Returns 1 if `fd` is a listening AF_UNIX stream socket; makes it non-blocking and closed on exec.
int longhaul_adopt_listener(int fd);
/// Sends without SIGPIPE.
ssize_t longhaul_send(int fd, const void *bytes, size_t count);
/// Reads the available bytes.
ssize_t longhaul_receive(int fd, void *bytes, size_t count);

#define LONGHAUL_READABLE 1
#define LONGHAUL_WRITABLE 2
#define LONGHAUL_HUNG_UP 4

int longhaul_epoll_create(void);
/// Adds `fd`, or changes its events; `key` is returned with its events.
int longhaul_epoll_set(int epoll, int fd, uint64_t key, int events, int is_new);
int longhaul_epoll_remove(int epoll, int fd);
/// Waits; -1 milliseconds waits forever. Fills at most `capacity` keys and events.
int longhaul_epoll_wait(int epoll, uint64_t *keys, int *events, int capacity, int milliseconds);

/// Returns a counter that wakes a poller; non-blocking.
int longhaul_event_create(void);
void longhaul_event_raise(int event);
void longhaul_event_clear(int event);

/// Blocks SIGTERM and SIGINT in this thread and those it starts, and ignores SIGPIPE, SIGHUP, and SIGXFSZ. Returns a descriptor
/// that becomes readable when one of the two arrives.
int longhaul_signals_open(void);
/// Returns the number of the next signal, or -EAGAIN.
int longhaul_signals_next(int fd);

/// Waits for the lock on the whole of `fd` for at most `milliseconds`. Uses SIGALRM, so the process must have only one thread.
int longhaul_lock_exclusive_within(int fd, int milliseconds);

/// Sends one datagram to the socket in NOTIFY_SOCKET ('@' means abstract).
int longhaul_notify(const char *socket_path, const char *message);

/// Starts a program that outlives this process: a separate session, `/` as directory, /dev/null on 0 and 1, `log` on 2,
/// `ready` on 3, no other open descriptor, and no parent that has to reap it. Returns 0 even if the program cannot be
/// executed: then `ready` is closed without a byte.
int longhaul_start_detached(const char *path, char *const argv[], char *const envp[], int log, int ready);
/// Starts an independent program: a separate session, `directory` (or `/`) as working directory, /dev/null on 0 to 2,
/// no other open descriptor, and no parent that has to reap it. 0 when it runs, or -errno.
int longhaul_launch(const char *path, char *const argv[], char *const envp[], const char *directory);
/// Runs a program with /dev/null on 0 to 2 and waits for it. Returns its exit status, or -ETIMEDOUT after killing it.
int longhaul_run(const char *path, char *const argv[], char *const envp[], int milliseconds);
#endif
