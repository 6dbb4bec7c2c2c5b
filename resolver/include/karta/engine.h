/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expression engine as its host sees it. The library starts no thread: whoever owns threads
 * calls karta_engine_expire about every 10 ms, or no deadline is ever enforced.
 */
#ifndef KARTA_ENGINE_H
#define KARTA_ENGINE_H

#include <stdint.h>

#include "karta/error.h"

/* Milliseconds of the monotonic clock, the clock of every deadline here. Any thread. */
KARTA_API int64_t karta_engine_now_ms(void);

/*
 * Once in main, before any thread is started and before the first program: warms libjq up, seeds
 * jansson's hash, and points the variable HOME to nowhere, since libjq would read $HOME/.jq into
 * every program. Who needs HOME reads it before.
 */
KARTA_API int karta_engine_init(struct karta_error *err);

/* Stops every evaluation whose deadline is not after `now_ms`. Any thread; never blocks long. */
KARTA_API void karta_engine_expire(int64_t now_ms);

/*
 * Compiles what callers had to wait for, off their path: spare states of busy programs. Call it
 * from a thread that may take its time (tens of milliseconds). Returns how many were compiled.
 */
KARTA_API int karta_engine_spare(void);

/* Frees the compiled states that nobody is using, so that a leak checker sees a clean end. */
KARTA_API void karta_engine_shutdown(void);

/* How evaluations ended since the start. Any thread. */
struct karta_engine_counts {
    uint64_t runs, expired, compiled, compile_failures;
    uint64_t states, states_most; /* that exist just now, and how many may */
};
KARTA_API void karta_engine_counts(struct karta_engine_counts *counts);

#endif
