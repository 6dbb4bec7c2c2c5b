/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serving certificate of all replicas, in one Secret: made once by whoever is first (the API
 * server lets only one create it), renewed by the Lease holder, every write based on the version
 * that was read. One thread at a time.
 */
#ifndef KARTA_CLUSTER_SERVING_H
#define KARTA_CLUSTER_SERVING_H

#include <stdbool.h>

#include "kube_client.h"
#include "log.h"

#define SERVING_MS 5000 /* how often the Secret is read: how late a replica serves what is new */
/* how long API servers are given, after the configurations have a new CA, to have read it */
#define SERVING_TRUST_MS 60000

/* All that it points to is borrowed and outlives it. */
struct serving_config {
    const char *ns, *name; /* the Secret's */
    const char *const *sans;
    size_t san_count;
    int trust_ms; /* 0: SERVING_TRUST_MS */
    /* Puts a pair of PEM texts into force; an error is one sentence. */
    int (*serve)(void *arg, const char *cert, const char *key, struct karta_error *err);
    void *arg;
    const struct log *log;
};

struct serving; /* opaque */

/* KARTA_ERR_NOMEM. */
int serving_new(const struct serving_config *config, struct serving **serving,
                struct karta_error *err);
void serving_free(struct serving *serving);

/*
 * Reads the Secret, makes it where there is none, serves what is new in it; where `leads`, does
 * what is due. A Secret that makes no sense changes nothing: KARTA_ERR_SCHEMA names what is wrong.
 */
int serving_keep(struct serving *serving, struct kube_client *client, bool leads,
                 struct karta_error *err);

/* The CAs that callers must trust, PEM; NULL until a Secret was read. Borrowed until the next
 * serving_keep. */
const char *serving_bundle(const struct serving *serving);
/* Callers were given the present bundle just now, or cannot be given it by us. */
void serving_told(struct serving *serving);

#endif
