/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutation: object in, JSON Patch out. No request, no socket, no cluster; the same input gives the
 * same patch. Rules: docs/gangs.md.
 */
#ifndef KARTA_MUTATE_H
#define KARTA_MUTATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

struct karta_group_kind {
    const char *group, *kind;
};

struct karta_mutate_options {
    const char *profile;       /* name of a profile in the snapshot */
    const char *ns;            /* the namespace of the request, never the object's; NULL: default */
    const char *uid;           /* request.uid: seeds the nonce; "" offline */
    const char *default_queue; /* NULL: none. Fills the queue of what opted in, opts nothing in */
    bool gang_all;             /* true: every workload is ganged, not only those that opted in */
    bool opted_in; /* true: as if the object had opted in (offline use), so it is warned of */
    const struct karta_group_kind *excluded_kinds;
    size_t excluded_kind_count;
    /* Whether the objects that a profile needs are made for workloads of a kind (of the kind Pod:
     * for groups per replica); called from any thread, must not wait. NULL: somebody makes them. */
    bool (*follows)(void *arg, const char *group, const char *kind);
    void *follows_arg;
    int64_t deadline_ms; /* a time of karta_engine_now_ms; 0: none */
    /* of the request, for policies that fill in defaults */
    const json_t *user_info; /* NULL: nobody's */
    bool dry_run;
};

struct karta_mutation {
    json_t *patch;    /* array of operations; NULL: nothing to do */
    json_t *warnings; /* array of strings, each under 256 characters; never NULL after success */
    json_t *audit; /* object of strings: definition, pod-groups, min-member, gpus; may be empty */
    char *denial;  /* NULL: allowed; else why not (an override out of range) */
    char *profile; /* the profile that was written, NULL where nothing was */
};

/* Frees what `mutation` holds and clears it. */
KARTA_API void karta_mutation_dispose(struct karta_mutation *mutation);

/*
 * What a CREATE of `object` gets. *mutation is the caller's to dispose, also after an error.
 * KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT, KARTA_ERR_EXPRESSION (its own resolution failed: nothing is
 * patched), KARTA_ERR_NOT_FOUND (no such profile), KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_mutate_create(const struct karta_snapshot *snapshot, const json_t *object,
                                  const struct karta_mutate_options *options,
                                  struct karta_mutation *mutation, struct karta_error *err);

/*
 * What an UPDATE from `old_object` to `object` gets: it restores, and never newly gangs. After an
 * error mutation->patch still holds what needs no resolution: label and annotation, put back.
 */
KARTA_API int karta_mutate_update(const struct karta_snapshot *snapshot, const json_t *object,
                                  const json_t *old_object,
                                  const struct karta_mutate_options *options,
                                  struct karta_mutation *mutation, struct karta_error *err);

/*
 * What a CREATE of a pod gets whose group is one per replica: what its template's annotation says,
 * and the pod's own labels, are all that is read. Nothing, while a label is not there yet.
 */
KARTA_API int karta_mutate_pod(const struct karta_snapshot *snapshot, const json_t *pod,
                               const struct karta_mutate_options *options,
                               struct karta_mutation *mutation, struct karta_error *err);

#endif
