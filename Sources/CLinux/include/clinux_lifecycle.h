#pragma once
// The signals that tell a process about its life. Handlers are C: what runs in one must not belong to an actor.

/// Begins to catch SIGTERM, SIGINT, SIGHUP, SIGTSTP and SIGCONT. Those that the process was started to ignore stay
/// ignored, as nohup and a shell's background jobs expect. 0, or -errno (-EBUSY when they are caught already).
int longhaul_lifecycle_open(void);
/// Gives the signals back to whoever had them before.
void longhaul_lifecycle_close(void);
/// Waits for a signal or a wake; -1 milliseconds waits for ever. The number, or -ETIMEDOUT.
int longhaul_lifecycle_next(int milliseconds);
/// Wakes `longhaul_lifecycle_next` from any thread.
void longhaul_lifecycle_wake(int value);
/// Lets a signal's default action stop the whole process. Returns when it goes on, or at once where the kernel does not
/// stop a process because no shell could continue it.
void longhaul_lifecycle_stop(int signal);
/// Lets a signal's default action end the process.
_Noreturn void longhaul_lifecycle_end(int signal);
