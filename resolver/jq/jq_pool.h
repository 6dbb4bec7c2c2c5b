/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled states of all programs: made when first needed, kept while they are used, bounded over
 * the whole process. Any thread, for every function.
 */
#ifndef KARTA_JQ_POOL_H
#define KARTA_JQ_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "jq/jq_state.h"
#include "karta/engine.h"

/* A program as the pool knows it; everything but `text` is guarded by the pool's lock. */
struct pool_entry {
    const char *text; /* borrowed for the entry's life */
    pthread_cond_t changed;
    char *failure; /* why it does not compile, or NULL */
    struct state *idle[LIMIT_SLOTS];
    size_t idle_count, busy, compiling, waiting;
    size_t wanted;                     /* the most callers that were seen at once */
    struct pool_entry *before, *after; /* all programs */
};

int pool_entry_init(struct pool_entry *entry, const char *text, struct karta_error *err);

/* Frees its states; waits for a spare that is being compiled. No caller may hold a state. */
void pool_entry_dispose(struct pool_entry *entry);

/* Whether a state of it exists, busy or not. */
bool pool_is_compiled(struct pool_entry *entry);

/*
 * Takes a state for this caller, compiling or waiting where none is idle. KARTA_ERR_TIMEOUT when
 * `deadline_ms` (0: none) passes first, KARTA_ERR_EXPRESSION, KARTA_ERR_NOMEM, KARTA_ERR_LIMIT.
 */
int pool_take(struct pool_entry *entry, int64_t deadline_ms, struct state **state,
              struct karta_error *err);

/* What became of a state that was taken: no run, a run, or a run that the watch stopped. */
enum pool_use { POOL_UNUSED, POOL_USED, POOL_BROKEN };

/* Gives it back; a broken one is freed. */
void pool_give(struct pool_entry *entry, struct state *state, enum pool_use use);

/* Compiles spares for the programs that callers waited for. Returns how many. */
int pool_spare(void);

/* Frees all idle states. */
void pool_shrink(void);

void pool_counts(struct karta_engine_counts *counts);

#endif
