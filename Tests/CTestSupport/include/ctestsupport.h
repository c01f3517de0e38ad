#pragma once
#include "tls.h"
// C functions for tests: loops over many bytes that are fast in a debug build, and starting programs.
#include <stddef.h>
#include <stdint.h>

/// Writes the bytes [offset, offset + count) of the endless pseudo-random content of `seed`.
void test_fill(uint64_t seed, uint64_t offset, void *into, size_t count);
/// FNV-1a, 64 bits; `hash` is the value so far (start with TEST_CHECKSUM_START).
uint64_t test_checksum(uint64_t hash, const void *bytes, size_t count);
#define TEST_CHECKSUM_START 14695981039346656037ULL
/// Writes the digest ("SHA256", "MD5" …) of the first `length` bytes of that content in base64, with a terminating zero.
void test_digest(const char *algorithm, uint64_t seed, uint64_t length, char base64[128]);

/// Reads an extended attribute of a file. Returns its length, or -errno.
long test_attribute(const char *path, const char *name, void *value, size_t room);

/// Sets an extended attribute of a file. 0, or -errno.
int test_set_attribute(const char *path, const char *name, const void *value, size_t count);

/// Moves the calling thread into a network, such as `/proc/1/ns/net`. 0, or -errno.
int test_enter_network(const char *path);

/// A program to start.
struct test_program {
    const char *path;
    char *const *arguments;
    char *const *environment;
    /// NULL keeps the directory.
    const char *directory;
    /// Descriptors for standard input, output, and error.
    int input, output, error;
    /// Not 0: the child leads a new session, and its standard input becomes its controlling terminal.
    int has_terminal;
    /// Not 0: the child leads a process group, like a job of a shell.
    int leads_group;
};
/// Starts the program. It gets SIGKILL when the calling thread ends, and has no other descriptor. Returns the process ID, or -errno.
int test_spawn(const struct test_program *program);
/// Creates a pseudo-terminal of that size. 0, or -errno.
int test_open_terminal(int *controller, int *terminal, int columns, int rows);
/// Returns a descriptor for a process with any parent, so that its ID cannot be reused, or -errno.
int test_hold_process(int process);
/// Sends a signal (0: none) and waits until the process has ended. 0, or -errno.
int test_end_process(int handle, int signal, int milliseconds);
