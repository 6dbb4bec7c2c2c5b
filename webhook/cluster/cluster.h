/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kubernetes side of the server, put together: live objects in, statuses and webhook
 * configurations out. Everything in it waits, retries and fails on threads of its own.
 */
#ifndef KARTA_CLUSTER_CLUSTER_H
#define KARTA_CLUSTER_CLUSTER_H

#include "configurations.h"
#include "karta/mutate.h"
#include "live.h"
#include "serving.h"

/* All that it points to is borrowed and outlives the cluster. */
struct cluster_config {
    struct kube_access access;
    const char *ns;       /* where the Lease lives: our own namespace */
    const char *identity; /* ours among the replicas */
    struct metrics *metrics;
    const struct log *log;
    /* Called when live_compose has something new, from any thread. */
    void (*notify)(void *arg);
    /* A new reference to what is in force, any thread; NULL: nothing that the cluster could be told
     * of, since what it lists is not part of it yet. */
    struct karta_snapshot *(*in_force)(void *arg);
    void *arg;
    const char *const *profile; /* where the name of the profile in force stands once it is known */
    const struct karta_group_kind *excluded_kinds;
    size_t excluded_kind_count;
    bool podgroups;                               /* made here: not somebody else's */
    struct configurations_options configurations; /* neither url nor service: not written */
    struct serving_config serving;                /* name NULL: certificates come from elsewhere */
};

struct cluster; /* opaque */

/* Nothing is asked yet. KARTA_ERR_NOMEM. */
int cluster_new(const struct cluster_config *config, struct cluster **cluster,
                struct karta_error *err);
/* Starts its threads. KARTA_ERR_NOMEM, KARTA_ERR_IO. */
int cluster_start(struct cluster *cluster, struct karta_error *err);
/* Asks them to end; nobody is notified any more. NULL is allowed here and below. */
void cluster_stop(struct cluster *cluster);
/* Waits for their end and frees. */
void cluster_free(struct cluster *cluster);

struct live *cluster_live(struct cluster *cluster);
/* Another snapshot is in force: what the cluster is told may have to change. Any thread. */
void cluster_wake(struct cluster *cluster);

/* Whether the objects that gangs of a kind need will be made; true where that is somebody else's.
 * `cluster` is a struct cluster. Any thread, never waits. */
bool cluster_follows(void *cluster, const char *group, const char *kind);

/* Why not every resource was listed once, one line; false where each was. Any thread. */
bool cluster_waits(struct cluster *cluster, char *text, size_t room);

#endif
