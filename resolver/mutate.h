/* SPDX-License-Identifier: Apache-2.0 */
/* What both mutations share: warnings, the keys of one place, the memory that is written. */
#ifndef KARTA_MUTATE_INTERNAL_H
#define KARTA_MUTATE_INTERNAL_H

#include "gang_memory.h"
#include "karta/mutate.h"
#include "plan.h"
#include "profile.h"

/* One mutation under way. */
struct mutate {
    const struct karta_snapshot *snapshot;
    const json_t *object;
    const struct karta_mutate_options *options;
    struct karta_mutation *out;
    const char *ns; /* the request's, never NULL */
    const struct karta_profile *profile;
    const struct karta_definition *definition;
    const char *queue;  /* NULL: none */
    json_t *operations; /* the patch so far; new */
    char refusal[512];  /* why the object is left alone; "": it isn't */
};

/* Adds a warning, cut to what Kubernetes shows. */
int mutate_warn(struct karta_mutation *out, const char *format, ...) KARTA_PRINTF(2, 3);

/* Records why the object is left alone; the first reason stays. */
void mutate_refuse(struct mutate *mutate, const char *format, ...) KARTA_PRINTF(2, 3);

/* Starts a result: an empty list of warnings, an empty audit. */
int mutate_begin(struct mutate *mutate, struct karta_error *err);

/* Gives the patch away, or NULL where it has no operation. */
void mutate_finish(struct mutate *mutate);

/* The queue that the workload is in (gangs.md, section 6); NULL: none. */
const char *mutate_queue(const struct mutate *mutate);

/*
 * Lays the profile's keys over the template at `place`. A user's own value of a key stays; of an
 * identity key, another value is a refusal, unless `foreign` (may be NULL) names it: then it was
 * copied from another workload and counts as absent.
 */
int mutate_stamp(struct mutate *mutate, const struct resolved *resolved, const struct plan *plan,
                 const struct place *place, const struct gang_memory *foreign,
                 struct karta_error *err);

/*
 * Lays label and annotation over the workload. KARTA_ERR_LIMIT where the annotation would be too
 * large, with nothing added.
 */
int mutate_remember(struct mutate *mutate, const struct plan *plan, const struct gang_owner *owner,
                    const char *nonce, struct karta_error *err);

/* What the audit log is told. */
int mutate_audit(struct mutate *mutate, const struct plan *plan, struct karta_error *err);

/* What the user's minimum does to a plan. */
enum minimum_use {
    MINIMUM_APPLY,   /* it is written; out of range denies */
    MINIMUM_NEAREST, /* it is written; out of range gives the nearest, with a warning */
    MINIMUM_CHECK    /* it changes nothing; out of range denies */
};

/* Reads the user's minimum (workloadmap.dev/min-member), where there is one. */
int mutate_minimum(struct mutate *mutate, struct plan *plan, enum minimum_use use,
                   struct karta_error *err);

/* Where `instance` writes: its metadata, and the map in it that a label or annotation goes to. */
const json_t *mutate_map(const struct instance *instance, enum key_place place);

/* Lays a field, a JSON pointer below the pod spec, into the tree that is laid over the spec. */
int mutate_put_field(json_t *spec, const char *pointer, json_t *value, struct karta_error *err);

#endif
