/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling, running and stopping one state of libjq. The idea of stopping: libjq looks at a flag
 * before each instruction, jq_halt sets it, and it may be set once only and only while the state
 * lives. So a run stands in a table exactly while it may be halted, and both sides hold the table's
 * lock: the watch decides and halts under it, the runner takes its run out before it looks at the
 * result. No run can be mistaken for the one before it.
 */
#include "jq/jq_state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <jq.h>

#include "base/limits.h"
#include "base/mem.h"

struct watched {
    jq_state *jq; /* NULL: the place is free */
    int64_t deadline_ms;
};

static struct {
    pthread_mutex_t lock;
    size_t used; /* places above it were never taken */
    struct watched runs[LIMIT_SLOTS];
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void collect_message(void *data, jv message)
{
    struct state *state = data;
    if (state->message == NULL)
        state->message = value_error_text(message);
    jv_free(message);
}

int state_new(const char *text, struct state **state, struct karta_error *err)
{
    struct state *made = calloc(1, sizeof *made);
    if (made == NULL || (made->jq = jq_init()) == NULL) {
        free(made);
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    jq_set_error_cb(made->jq, collect_message, made);
    /* without the attribute an import makes libjq abort */
    jq_set_attr(made->jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
    if (jq_compile(made->jq, text) == 0) {
        karta_error_set(err, KARTA_ERR_EXPRESSION, "does not compile: %s",
                        made->message != NULL ? made->message : "libjq does not say why");
        state_free(made);
        return KARTA_ERR_EXPRESSION;
    }
    *state = made;
    return 0;
}

void state_free(struct state *state)
{
    if (state == NULL)
        return;
    jq_teardown(&state->jq);
    free(state->message);
    free(state);
}

/* The place of the run, -1 when none is free. */
static int watch_begin(jq_state *jq, int64_t deadline_ms)
{
    int place = -1;
    pthread_mutex_lock(&watch.lock);
    for (size_t i = 0; i < LIMIT_SLOTS && place < 0; i++)
        if (watch.runs[i].jq == NULL) {
            watch.runs[i] = (struct watched){jq, deadline_ms};
            watch.used = i >= watch.used ? i + 1 : watch.used;
            place = (int)i;
        }
    pthread_mutex_unlock(&watch.lock);
    return place;
}

static void watch_end(int place)
{
    pthread_mutex_lock(&watch.lock);
    watch.runs[place].jq = NULL;
    pthread_mutex_unlock(&watch.lock);
}

void watch_expire(int64_t now_ms)
{
    pthread_mutex_lock(&watch.lock);
    for (size_t i = 0; i < watch.used; i++) {
        struct watched *run = &watch.runs[i];
        if (run->jq != NULL && run->deadline_ms <= now_ms && !jq_halted(run->jq))
            jq_halt(run->jq, jv_invalid(), jv_invalid());
    }
    pthread_mutex_unlock(&watch.lock);
}

/* Lets go of everything that the run left, in the thread that counted its references. */
static void forget(struct state *state)
{
    jq_start(state->jq, jv_null(), 0);
}

static int failed_run(jv result, struct karta_error *err)
{
    jv message = jv_invalid_get_msg(result);
    KARTA_AUTO_TEXT text = value_error_text(message);
    jv_free(message);
    return karta_error_set(err, KARTA_ERR_INTERNAL, "the program failed: %s",
                           text != NULL ? text : "out of memory");
}

int state_run(struct state *state, jv input, int64_t deadline_ms, jv *result, bool *broken,
              struct karta_error *err)
{
    *broken = false;
    jq_start(state->jq, jv_copy(input), 0);
    int place = deadline_ms != 0 ? watch_begin(state->jq, deadline_ms) : -1;
    if (deadline_ms != 0 && place < 0) {
        forget(state);
        return karta_error_set(err, KARTA_ERR_LIMIT, "more than %u evaluations at once",
                               LIMIT_SLOTS);
    }
    jv given = jq_next(state->jq);
    if (place >= 0)
        watch_end(place);
    /* a halted run looks like one without results */
    *broken = jq_halted(state->jq) != 0;
    if (*broken) {
        jv_free(given);
        return karta_error_set(err, KARTA_ERR_TIMEOUT, "the deadline passed");
    }
    forget(state);
    if (!jv_is_valid(given))
        return failed_run(given, err);
    *result = given;
    return 0;
}
