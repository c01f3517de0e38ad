#pragma once
// The lifecycle signals of a process. Handlers are C functions, because code in a handler must not belong to an actor.

/// Starts to catch SIGTERM, SIGINT, SIGHUP, SIGTSTP, and SIGCONT. Signals that the process ignored at its start stay
/// ignored, as nohup and a shell's background jobs expect. 0, or -errno (-EBUSY if they are caught already).
int longhaul_lifecycle_open(void);
/// Restores the earlier handlers of the signals.
void longhaul_lifecycle_close(void);
/// Waits for a signal or a wake; -1 milliseconds waits forever. Returns the number, or -ETIMEDOUT.
int longhaul_lifecycle_next(int milliseconds);
/// Wakes `longhaul_lifecycle_next` from any thread.
void longhaul_lifecycle_wake(int value);
/// Lets a signal's default action stop the whole process. Returns when the process continues, or at once if the kernel
/// does not stop a process in an orphaned process group.
void longhaul_lifecycle_stop(int signal);
/// Lets a signal's default action end the process.
_Noreturn void longhaul_lifecycle_end(int signal);
