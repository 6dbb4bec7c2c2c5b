/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that gang schedulers need beside the pods, made for ganged workloads and kept right
 * for their whole life (docs/gangs.md, "Objects"). Every replica follows the workloads of each kind
 * that a definition gangs, the pods whose group is one per replica, and the objects it made; one
 * replica writes. Threads and connections of its own.
 */
#ifndef KARTA_CLUSTER_PODGROUPS_H
#define KARTA_CLUSTER_PODGROUPS_H

#include "karta/snapshot.h"
#include "kube_client.h"
#include "log.h"

#define PODGROUPS_MANAGER "karta-webhook"
/* What our objects are listed by; whose they are is their owner reference's to say. */
#define PODGROUPS_LABEL "app.kubernetes.io/managed-by"

/* All that it points to is borrowed and outlives the controller. */
struct podgroups_config {
    struct kube_access access;
    struct metrics *metrics;
    const struct log *log;
    /* A new reference to what is in force; NULL: nothing is. */
    struct karta_snapshot *(*in_force)(void *arg);
    void *in_force_arg;
    const char *const *profile; /* where the name of the one in force stands; NULL: none is */
    /* Whether one write may begin now. */
    bool (*leads)(void *arg);
    void *leads_arg;
    /* 0 in any of these: the usual, named behind it. Tests are in a hurry. */
    int look_ms;    /* how often the cluster is asked which kinds it has: 10,000 */
    int linger_ms;  /* how long an object whose group is gone is kept, lest a group that restarts
                       loses its own: 30,000 */
    int retry_ms;   /* after a first failure, doubled with each up to 64 times as much: 1,000 */
    int per_second; /* requests at most, in the long run: 250; at once twice as many */
};

struct podgroups; /* opaque */

/* Starts its threads. KARTA_ERR_NOMEM, KARTA_ERR_IO. */
int podgroups_start(const struct podgroups_config *config, struct podgroups **groups,
                    struct karta_error *err);
/* Another snapshot is in force, or we may write now. Any thread, until podgroups_free. */
void podgroups_wake(struct podgroups *groups);
/* Asks it to end, does not wait. NULL is allowed, here and below. */
void podgroups_stop(struct podgroups *groups);
void podgroups_free(struct podgroups *groups);

/* Whether workloads of a kind are followed, so that their objects will come; of the kind Pod of the
 * group "": whether those of groups per replica will. Any thread, never waits. */
bool podgroups_follow(const struct podgroups *groups, const char *group, const char *kind);
/* Why it is not known yet which kinds those are, one line; false where it is. Any thread. */
bool podgroups_wait(struct podgroups *groups, char *text, size_t room);

#endif
