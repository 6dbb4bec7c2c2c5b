/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, by OpenSSL, over parts that are each followed by NUL. Thread rule: any thread. */
#ifndef KARTA_BASE_HASH_H
#define KARTA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the first 32 bits of SHA-256 over `parts` (each followed by a NUL byte; a NULL part is
 * the empty text) as 8 lower-case hex digits and a NUL. 0, or KARTA_ERR_INTERNAL.
 */
int hash_hex8(const char *const *parts, size_t count, char hex[9]);

/* The first 64 bits likewise; 0 where memory is out. */
uint64_t hash_u64(const char *const *parts, size_t count);

#endif
