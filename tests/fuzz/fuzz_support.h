/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzzers share: numbers from a seed, a watchdog thread, digests. */
#ifndef KARTA_FUZZ_SUPPORT_H
#define KARTA_FUZZ_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jq/jq_program.h"

/* The same numbers for the same seed, on every machine. */
uint32_t fuzz_random(uint64_t *state, uint32_t below);

/* Starts the thread that enforces deadlines, and ends it. */
void fuzz_watchdog_start(void);
void fuzz_watchdog_stop(void);

/* Processor time of this thread: a busy machine makes no run longer. */
int64_t fuzz_cpu_ms(void);

/* Mixes bytes into a digest (FNV-1a); start with FUZZ_DIGEST. */
#define FUZZ_DIGEST 14695981039346656037ULL
uint64_t fuzz_digest(uint64_t digest, const void *bytes, size_t size);

/* Prints the message and ends the program as a failure. */
_Noreturn void fuzz_fail(const char *what, const char *detail);

/* What one part gave, as new text: its results, or its error. */
char *fuzz_result_text(const struct jq_result *result);

#endif
