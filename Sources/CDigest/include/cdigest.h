#pragma once
// Digests by the system's library: libcrypto on Linux, CommonCrypto on Darwin. A separate target from CPlatform, because
// a program without digests must not load libcrypto.
#include <stddef.h>

#define LONGHAUL_MD5 1
#define LONGHAUL_SHA1 2
#define LONGHAUL_SHA256 3
#define LONGHAUL_SHA512 4
/// The length of the longest digest.
#define LONGHAUL_DIGEST_ROOM 64

/// Begins a digest, which must be freed. NULL if the library lacks memory or refuses the algorithm.
void *longhaul_digest_begin(int algorithm);
void longhaul_digest_update(void *digest, const void *bytes, size_t count);
/// Writes the digest, and returns its length. No bytes may be added afterwards.
size_t longhaul_digest_finish(void *digest, unsigned char value[LONGHAUL_DIGEST_ROOM]);
void longhaul_digest_free(void *digest);
