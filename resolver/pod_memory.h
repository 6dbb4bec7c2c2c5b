/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The annotation workloadmap.dev/pod-group on templates whose group is one per replica: all that
 * is needed to name the group once the pod's own labels are there.
 */
#ifndef KARTA_POD_MEMORY_H
#define KARTA_POD_MEMORY_H

#include <jansson.h>
#include <stdbool.h>

#include "names.h"
#include "plan.h"

/* Marks the pods that /mutate/pods completes; the annotation beside it says how. */
#define KEY_POD_PHASE "workloadmap.dev/pod-phase"
#define KEY_POD_GROUP "workloadmap.dev/pod-group"

struct pod_memory {
    json_t *json;            /* new; the whole annotation */
    struct gang_owner owner; /* borrowed from json, as all that follows */
    const char *profile, *group, *nonce, *queue, *subgroup; /* the last two NULL where absent */
    const json_t *keys;  /* array of paths to labels and annotations */
    const char *role;    /* NULL: the profile reads none */
    const json_t *roles; /* as roles.h has them, without templates; NULL: the profile reads none */
};

/*
 * Reads the annotation of `pod` where it carries the label too and is meant for namespace `ns`.
 * *memory is the caller's to dispose either way.
 */
bool pod_memory_read(const json_t *pod, const char *ns, struct pod_memory *memory);
void pod_memory_dispose(struct pod_memory *memory);

/*
 * The pod's key: the values of all paths, joined as plan keys are. True with *key new where each
 * is there and not empty; false, *key NULL, where one isn't there yet. KARTA_ERR_NOMEM: both false
 * and an error.
 */
bool pod_memory_key(const struct pod_memory *memory, const json_t *pod, char **key,
                    struct karta_error *err);

/*
 * New text of the annotation for a place, role and roles NULL for a profile that reads none. NULL
 * when memory is out.
 */
char *pod_memory_text(const struct gang_owner *owner, const char *nonce, const char *profile,
                      const char *queue, const struct planned_group *group,
                      const struct place *place, const char *role, json_t *roles);

#endif
