/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: which pod groups a resolved workload has, how many pods must start together in each, and
 * which template belongs where. Rules: docs/gangs.md.
 */
#ifndef KARTA_PLAN_H
#define KARTA_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "gang_memory.h"
#include "names.h"
#include "resolve.h"

#define PLAN_NONE ((size_t)-1)

struct subgroup {
    char name[NAME_SIZE];
    size_t component, instance; /* instance: SCALE_ALL where the component has no ids */
    int64_t min_member, pods;   /* 0 pods: not listed, its templates are stamped all the same */
    const struct topology *topology;
};

/* One template, and where it belongs. */
struct place {
    size_t component, instance;
    size_t group;    /* index in the plan, or PLAN_NONE: no gang, a profile that takes it still */
    size_t subgroup; /* index in the group, or PLAN_NONE */
    const struct member *member; /* whose keys it is told apart by; NULL outside every group */
    size_t top;                  /* the component whose subtree the group counts this template in */
    bool late;
    bool repeated; /* another place has this very template: counted, not written again */
};

struct planned_group {
    const struct pod_group *definition;
    char name[NAME_SIZE];  /* "" for a group per replica: each is named by its pods */
    char *key;             /* what tells it from other groups of its name; NULL: nothing does */
    bool per_replica;      /* the key is only known on the pods; all counts are of one group */
    struct count replicas; /* how many of a per-replica group there will be */
    int64_t min_member, pods;
    struct subgroup *subgroups;
    size_t subgroup_count;
    bool overridden;  /* the minimum is the user's or the framework's: no subgroups are written */
    json_t *requests; /* name -> quantity of all its pods */
    double gpus;      /* of all its pods */
};

struct plan {
    struct planned_group *groups;
    size_t group_count;
    struct place *places;
    size_t place_count;
    char reason[512]; /* why there is no gang; "": there may be one */
};

/* Who asks: names come from the owner and the nonce, or from a memory whose hashes fit. */
struct plan_identity {
    const struct gang_owner *owner;
    const char *nonce;
    const struct gang_memory *memory; /* NULL: none */
};

/*
 * Plans the groups of `resolved`. *plan is the caller's to dispose, also after an error.
 * What keeps a workload from being planned (a component's error, a count out of range) is
 * plan->reason, not an error. KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT, KARTA_ERR_NOMEM,
 * KARTA_ERR_INTERNAL.
 */
int plan_make(const struct resolved *resolved, const struct plan_identity *identity,
              struct plan *plan, struct karta_error *err);
void plan_dispose(struct plan *plan);

/* Of a kind without gang instructions: every template is a place, of no group. KARTA_ERR_NOMEM. */
int plan_leaves(const struct resolved *resolved, struct plan *plan, struct karta_error *err);

/* Records why there is no gang; the first reason stays. */
void plan_refuse(struct plan *plan, const char *format, ...) KARTA_PRINTF(2, 3);

/* Fills in minimums, pods and requests of every group, from its places. */
int plan_count(const struct resolved *resolved, struct plan *plan, struct karta_error *err);

/* A minimum in place of the computed one: from 1 to the group's pods (false: out of range). */
bool plan_override(struct planned_group *group, int64_t min_member);

/*
 * New object for a group: {name, minMember, pods, subGroups, requests, topology}, absent instead
 * of null; of a group per replica {group, perReplica, count} in place of the name. With `whole`
 * also group (the Karta's name) and key, which profiles read. NULL: no memory.
 */
json_t *plan_group_json(const struct planned_group *group, bool whole);

/* New array of all of them. */
json_t *plan_groups_json(const struct plan *plan, bool whole);

#endif
