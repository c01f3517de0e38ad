// The part that Longhaul uses: ziglang lacks the header.
// Source: darwin: xnu/bsd/sys/xattr.h
#pragma once
#include <stdint.h>
#include <sys/types.h>

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size, uint32_t position, int options);
int fsetxattr(int fd, const char *name, const void *value, size_t size, uint32_t position, int options);
