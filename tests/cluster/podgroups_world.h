/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster with ganged workloads and no scheduler: the double, what the webhook would have written
 * on each workload, and one or more makers of pod groups in a hurry. */
#ifndef KARTA_TESTS_PODGROUPS_WORLD_H
#define KARTA_TESTS_PODGROUPS_WORLD_H

#include "follower.h"
#include "podgroups.h"

#define MAKERS 2

struct world;

struct maker {
    struct world *world;
    struct podgroups *groups; /* NULL: not started */
    atomic_bool leads;
};

struct world {
    struct follower base;                      /* its server, access, metrics and log alone */
    struct karta_snapshot *snapshot;           /* the whole catalog */
    _Atomic(struct karta_snapshot *) in_force; /* that one, or a test's own */
    void (*before_write)(struct maker *maker); /* where it asks whether it leads; NULL: nothing */
    const char *profile;                       /* that workloads are created under */
    struct podgroups_config config;
    struct maker makers[MAKERS];
};

/* Knows Jobs, JobSets, LeaderWorkerSets and the PodGroups of three schedulers. */
void world_init(struct world *world);
void world_dispose(struct world *world);
/* The first maker; it leads. */
void world_start(struct world *world);
void world_start_maker(struct world *world, size_t index);
void world_stop(struct world *world);
void world_stop_maker(struct world *world, size_t index);

/* Admits and stores an object (text with ' for "), `uid` being that of the request. */
void world_create(struct world *world, const char *uid, const char *object);
/* A JobSet of a leader and `workers` in namespace ml and queue team-a. */
void world_create_jobset(struct world *world, const char *uid, const char *name, int workers);
/* A LeaderWorkerSet of three a group in namespace ml, and one of its pods. */
void world_create_lws(struct world *world, const char *uid, const char *name, int replicas);
void world_create_lws_pod(struct world *world, const char *name, const char *lws, int group);
/* Puts `value` (text likewise) at a JSON pointer of a stored object, or takes it out (NULL). */
void world_change(struct world *world, const char *plural, const char *name, const char *pointer,
                  const char *value);

/* New: the names of a workload's own groups, as its annotation has them; the first one. */
char *world_group(struct world *world, const char *plural, const char *name);
/* New reference to the first PodGroup of that name, NULL: there is none. */
json_t *world_podgroup(struct world *world, const char *name);
bool world_has(struct world *world, const char *name);
/* What stands at a JSON pointer of it, as an integer; -1: nothing does. */
json_int_t world_number(struct world *world, const char *name, const char *pointer);
/* Whether the text at a JSON pointer of it is `text`. */
bool world_says(struct world *world, const char *name, const char *pointer, const char *text);
/* Lines of the log, and numbers of the metrics. */
size_t world_logged(struct world *world, const char *text);
long world_counted(struct world *world, const char *series);

#endif
