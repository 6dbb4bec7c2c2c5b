/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One compiled state of libjq, and the watch that ends what runs too long. A state is used by one
 * thread at a time; the watch may be called from any.
 */
#ifndef KARTA_JQ_STATE_H
#define KARTA_JQ_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "jq/jq_value.h"
#include "karta/error.h"

struct state {
    struct jq_state *jq;
    char *message;               /* the first message while compiling, or NULL */
    struct state *older, *newer; /* in the pool's list of idle states */
    struct pool_entry *entry;    /* the program that it was compiled for */
};

/* New, compiled from `text`. KARTA_ERR_EXPRESSION with libjq's message, KARTA_ERR_NOMEM. */
int state_new(const char *text, struct state **state, struct karta_error *err);
void state_free(struct state *state);

/*
 * Runs once on `input` (borrowed). *result is new. KARTA_ERR_TIMEOUT: the watch stopped it, the
 * state is good for nothing but being freed (*broken). `deadline_ms` 0: none.
 */
int state_run(struct state *state, jv input, int64_t deadline_ms, jv *result, bool *broken,
              struct karta_error *err);

/* Stops whatever runs and has a deadline that is not after `now_ms`. */
void watch_expire(int64_t now_ms);

#endif
