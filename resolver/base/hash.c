/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of separated parts: the NUL after each keeps ("ab", "c") apart from ("a", "bc"). */
#include "base/hash.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/error.h"

static void free_context(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
}

static bool add_part(EVP_MD_CTX *context, const char *part)
{
    const char *text = part != NULL ? part : "";
    return EVP_DigestUpdate(context, text, strlen(text) + 1) == 1;
}

static int digest_of(const char *const *parts, size_t count, unsigned char *digest)
{
    KARTA_CLEANUP(free_context) EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
        return KARTA_ERR_INTERNAL;
    for (size_t i = 0; i < count; i++)
        if (!add_part(context, parts[i]))
            return KARTA_ERR_INTERNAL;
    return EVP_DigestFinal_ex(context, digest, NULL) == 1 ? KARTA_OK : KARTA_ERR_INTERNAL;
}

int hash_hex8(const char *const *parts, size_t count, char hex[9])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    int rc = digest_of(parts, count, digest);
    if (rc == KARTA_OK)
        snprintf(hex, 9, "%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
    return rc;
}

uint64_t hash_u64(const char *const *parts, size_t count)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    uint64_t bits = 0;
    if (digest_of(parts, count, digest) != KARTA_OK)
        return 0;
    for (size_t i = 0; i < sizeof bits; i++)
        bits = bits << 8 | digest[i];
    return bits;
}
