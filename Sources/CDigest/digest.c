#include "cdigest.h"
#include <stdlib.h>
#ifdef __APPLE__
#include <CommonCrypto/CommonDigest.h>
#include <stdint.h>

struct digest {
    int algorithm;
    union {
        CC_MD5_CTX md5;
        CC_SHA1_CTX sha1;
        CC_SHA256_CTX sha256;
        CC_SHA512_CTX sha512;
    } state;
};

// Servers still publish digests by MD5, which Apple deprecates for signatures.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

void *longhaul_digest_begin(int algorithm) {
    struct digest *digest = malloc(sizeof *digest);
    if (!digest) return NULL;
    digest->algorithm = algorithm;
    int is_begun = 0;
    switch (algorithm) {
    case LONGHAUL_MD5: is_begun = CC_MD5_Init(&digest->state.md5); break;
    case LONGHAUL_SHA1: is_begun = CC_SHA1_Init(&digest->state.sha1); break;
    case LONGHAUL_SHA256: is_begun = CC_SHA256_Init(&digest->state.sha256); break;
    case LONGHAUL_SHA512: is_begun = CC_SHA512_Init(&digest->state.sha512); break;
    }
    if (is_begun) return digest;
    free(digest);
    return NULL;
}

void longhaul_digest_update(void *pointer, const void *bytes, size_t count) {
    struct digest *digest = pointer;
    // A length has 32 bits there.
    for (const unsigned char *next = bytes; count > 0;) {
        const CC_LONG part = count < UINT32_MAX ? (CC_LONG)count : UINT32_MAX;
        switch (digest->algorithm) {
        case LONGHAUL_MD5: CC_MD5_Update(&digest->state.md5, next, part); break;
        case LONGHAUL_SHA1: CC_SHA1_Update(&digest->state.sha1, next, part); break;
        case LONGHAUL_SHA256: CC_SHA256_Update(&digest->state.sha256, next, part); break;
        default: CC_SHA512_Update(&digest->state.sha512, next, part); break;
        }
        next += part;
        count -= part;
    }
}

size_t longhaul_digest_finish(void *pointer, unsigned char value[LONGHAUL_DIGEST_ROOM]) {
    struct digest *digest = pointer;
    switch (digest->algorithm) {
    case LONGHAUL_MD5: CC_MD5_Final(value, &digest->state.md5); return CC_MD5_DIGEST_LENGTH;
    case LONGHAUL_SHA1: CC_SHA1_Final(value, &digest->state.sha1); return CC_SHA1_DIGEST_LENGTH;
    case LONGHAUL_SHA256: CC_SHA256_Final(value, &digest->state.sha256); return CC_SHA256_DIGEST_LENGTH;
    default: CC_SHA512_Final(value, &digest->state.sha512); return CC_SHA512_DIGEST_LENGTH;
    }
}

#pragma clang diagnostic pop

void longhaul_digest_free(void *digest) { free(digest); }
#else
#include <openssl/evp.h>

static const EVP_MD *kind(int algorithm) {
    switch (algorithm) {
    case LONGHAUL_MD5: return EVP_md5();
    case LONGHAUL_SHA1: return EVP_sha1();
    case LONGHAUL_SHA256: return EVP_sha256();
    case LONGHAUL_SHA512: return EVP_sha512();
    default: return NULL;
    }
}

void *longhaul_digest_begin(int algorithm) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, kind(algorithm), NULL) == 1) return context;
    EVP_MD_CTX_free(context);
    return NULL;
}

void longhaul_digest_update(void *digest, const void *bytes, size_t count) {
    // libcrypto cannot fail to update a digest that it began.
    if (EVP_DigestUpdate(digest, bytes, count) != 1) abort();
}

size_t longhaul_digest_finish(void *digest, unsigned char value[LONGHAUL_DIGEST_ROOM]) {
    unsigned int count = 0;
    // Nor to end it.
    if (EVP_DigestFinal_ex(digest, value, &count) != 1) abort();
    return count;
}

void longhaul_digest_free(void *digest) { EVP_MD_CTX_free(digest); }
#endif
