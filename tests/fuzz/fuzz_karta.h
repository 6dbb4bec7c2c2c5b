/* SPDX-License-Identifier: Apache-2.0 */
/* Kartas by a grammar: good ones, and good ones with one known fault put in. */
#ifndef KARTA_FUZZ_KARTA_H
#define KARTA_FUZZ_KARTA_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* New document without a fault. The same for the same seed. */
json_t *fuzz_karta_make(uint64_t *seed);

/*
 * Puts one fault into `karta`. *path is a new text: where a refusal must stand, or above which;
 * NULL where the fault has no single place. Returns the fault's name.
 */
const char *fuzz_karta_break(json_t *karta, uint64_t *seed, char **path);

/* One of the words. */
const char *fuzz_pick(uint64_t *seed, const char *const *words, size_t count);
#define FUZZ_PICK(seed, words) fuzz_pick(seed, words, sizeof(words) / sizeof *(words))

#endif
