/* SPDX-License-Identifier: Apache-2.0 */
/* A reflector goes in turns: each lists or watches, and says how it ended. What to do about that is
 * decided in one place, reflector.c. */
#ifndef KARTA_CLUSTER_REFLECTOR_INTERNAL_H
#define KARTA_CLUSTER_REFLECTOR_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "reflector.h"

enum turn_end {
    TURN_LISTED,    /* a list was taken whole */
    TURN_ENDED,     /* the server ended a watch, as it may */
    TURN_EXPIRED,   /* 410: where we are is forgotten */
    TURN_SILENT,    /* nothing came, not even bookmarks */
    TURN_GAP,       /* something was skipped, so something may be missed */
    TURN_ABSENT,    /* 404 */
    TURN_TOO_LARGE, /* a page that is longer than we read */
    TURN_UNREACHED, /* no answer, or a part of one */
    TURN_REFUSED    /* an answer that is none */
};

struct turn {
    enum turn_end end;
    int status; /* of the last answer */
    int retry_after_ms;
    size_t left_out; /* a list's objects that are none */
    struct karta_error err;
};

struct reflector {
    struct reflector_config config;
    char name[256]; /* "kartas.run.ai" */
    struct kube_client *client;
    size_t metrics_place;
    pthread_t thread;
    atomic_bool synced;
    atomic_int refused; /* status */

    /* of the thread alone */
    char version[128]; /* the newest resourceVersion; "": to be listed */
    int page;
    unsigned random;
    bool watched_before;
    bool absent;     /* the cluster did not have it when last asked */
    int absences;    /* 404s in a row */
    int refusals;    /* watches refused in a row */
    int silences;    /* watches in a row that were accepted and said nothing until we gave up */
    bool slow;       /* which of the two rhythms `attempts` counts */
    int attempts;    /* in a row, none of which went well */
    bool settled;    /* the watch of this turn has lasted */
    int64_t open_ms; /* when it was accepted; 0: not yet */
    int logged;      /* what kind of trouble was last logged; 0: none */

    pthread_mutex_t lock;
    char trouble[512];
};

/* One turn each. *turn is zeroed before. */
void reflector_list(struct reflector *reflector, struct turn *turn);
void reflector_watch(struct reflector *reflector, struct turn *turn);

/* Takes over an object's resourceVersion; false where it has none that we can hold. */
bool reflector_remember(struct reflector *reflector, const json_t *metadata);
/* Whether it is an object with a name. */
bool reflector_is_object(const json_t *object);
void reflector_skip(struct reflector *reflector, enum metrics_skip reason);
void reflector_synced(struct reflector *reflector);

/* Sets what reflector_trouble says, and logs it where its kind is another one. */
void reflector_in_trouble(struct reflector *reflector, const struct turn *turn);
/* All is well: nothing to say any more. `lasting`: and that is logged, if trouble was. */
void reflector_out_of_trouble(struct reflector *reflector, bool lasting);

static inline int reflector_idle_ms(const struct reflector *reflector)
{
    return reflector->config.idle_ms != 0 ? reflector->config.idle_ms : KUBE_IDLE_MS;
}
/* A page of a list, or the head of a watch. */
static inline int reflector_timeout_ms(const struct reflector *reflector)
{
    int idle = reflector_idle_ms(reflector);
    return idle < 30000 ? idle : 30000;
}

#endif
