/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real karta-webhook against the API server's double. Everything is waited for: nothing is said
 * about how long it takes.
 */
#ifndef KARTA_TESTS_TRIAL_H
#define KARTA_TESTS_TRIAL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_server.h"
#include "base/mem.h"
#include "harness.h"

#define TRIAL_NAMESPACE "karta"
#define TRIAL_WAIT_MS 60000 /* sanitizers, and a machine that others use too */

/* A double with our three kinds, JobSet, and example.org/v1 Train; the caller's. */
struct api_server *trial_api(void);
/* The server on that double, with more flags (NULL-terminated, may be NULL); and waits until it is
 * ready. */
void trial_start(struct running *server, struct api_server *api, const char *const *flags);
void trial_start_ready(struct running *server, struct api_server *api, const char *const *flags);
/* SIGTERM; fails unless it ends well. */
void trial_stop(struct running *server);

/* New object, JSON, of which ' is ". A Karta for a kind of example.org/v1 that gangs. */
char *trial_karta(const char *name, const char *kind, const char *replicas);
void trial_put(struct api_server *api, char *object); /* the text is freed */
/* Denies whatever asks for more than so many GPUs. */
char *trial_policy(const char *name, const char *kind, int most, const char *failure_policy);
char *trial_profile(const char *name, const char *scheduler);

/* Whether /debug/definitions has it in that state ("active", "shadowed", "failed"). */
bool trial_has(const struct running *server, const char *origin, const char *state);
/* The page, and whether its status is 200. The text is new. */
bool trial_is_ready(const struct running *server, char **text);
/* /readyz is 503 and holds `text`. */
bool trial_waits(const struct running *server, const char *text);
/* A number of /metrics; -1: it is not there. */
double trial_metric(const struct running *server, const char *series);
/* Lines of the log that hold `text`. */
size_t trial_logged(const struct running *server, const char *text);

/* The patch of a review of that kind of example.org/v1 at /mutate/workloads, "" for none; new. */
char *trial_patch(const struct running *server, const char *kind);
bool trial_patches(const struct running *server, const char *kind);
/* Whether /validate/workloads allows the JobSet of the examples, of 12 GPUs. */
bool trial_allows(const struct running *server);

/* Reviews of a JobSet to be ganged, one after the other, until the stop, which fails the test
 * unless all were answered. */
void trial_load_start(const struct running *server);
void trial_load_stop(void);

/* Whether the Karta's condition is "STATUS REASON MESSAGE" (its beginning). */
bool trial_shows(struct api_server *api, const char *karta, const char *condition,
                 const char *expected);
/* The resources of a webhook, "group/version/plural ..." in order; new. "": no such webhook. */
char *trial_rules(struct api_server *api, const char *plural, const char *webhook);
bool trial_rules_are(struct api_server *api, const char *plural, const char *webhook,
                     const char *expected);
/* Who holds the Lease; new, "" for nobody. */
char *trial_holder(struct api_server *api);

#define MUTATING "mutatingwebhookconfigurations"
#define VALIDATING "validatingwebhookconfigurations"

/* Fails the test, and prints the end of the log of the server that was started last. */
void trial_give_up(int line, const char *condition);

/* Waits until it holds. */
#define EVENTUALLY(condition)                                                                      \
    do {                                                                                           \
        int64_t until_ = clock_ms() + TRIAL_WAIT_MS;                                               \
        while (!(condition)) {                                                                     \
            if (clock_ms() > until_)                                                               \
                trial_give_up(__LINE__, #condition);                                               \
            pause_ms(20);                                                                          \
        }                                                                                          \
    } while (0)

#endif
