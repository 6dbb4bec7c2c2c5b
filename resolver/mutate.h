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
    const char *ns;      /* the request's, never NULL */
    int64_t deadline_ms; /* the options', moved on by what compiling took; 0: none */
    const struct karta_profile *profile;
    const struct karta_definition *definition;
    const char *queue;              /* NULL: none */
    bool queue_named;               /* by the user, on the workload */
    const char *policy_queue;       /* a policy's default; NULL: none */
    const char *priority_class;     /* likewise */
    const struct gang_owner *owner; /* whose gang it is, as names have it */
    const char *nonce;
    struct jq_input *base;     /* what the profile reads of every place; NULL: not made yet */
    struct jq_input *of_group; /* the same of every place of group `group` */
    size_t group;
    json_t *roles;     /* of group `group`, for a profile that reads them; NULL: not made */
    json_t *wanted;    /* what the object is to hold: a tree, see patch.h; new */
    char refusal[512]; /* why the object is left alone; "": it isn't */
};

/* Adds a warning, cut to what Kubernetes shows. */
int mutate_warn(struct karta_mutation *out, const char *format, ...) KARTA_PRINTF(2, 3);

/* Records why the object is left alone; the first reason stays. */
void mutate_refuse(struct mutate *mutate, const char *format, ...) KARTA_PRINTF(2, 3);

/* Absent, null or the empty text: nothing that a user has set. */
bool mutate_is_blank(const json_t *value);

/* Starts a result: an empty list of warnings, an empty audit. */
int mutate_begin(struct mutate *mutate, struct karta_error *err);

/*
 * Compiles what the definition (where there is one yet) and the profile need, before the time of
 * the object begins to count: the first object of a kind must not pay for all that follow.
 */
int mutate_compile(struct mutate *mutate, struct karta_error *err);

/* Frees what a mutation under way holds, but not its result. */
void mutate_end(struct mutate *mutate);

/*
 * Makes the patch of what is wanted, or none where that is there already. Where a parent can hold
 * nothing there is no patch at all, and a refusal that names it.
 */
int mutate_finish(struct mutate *mutate, struct karta_error *err);

/* Asks the policies what they fill in. KARTA_ERR_NOMEM. */
int mutate_defaults(struct mutate *mutate, struct karta_error *err);

/* Wants the default priority class in a template that states no priority. KARTA_ERR_NOMEM. */
int mutate_want_class(struct mutate *mutate, const struct instance *instance,
                      struct karta_error *err);

/* The queue that the user named on the workload; NULL: none. */
const char *mutate_named_queue(const struct mutate *mutate, const json_t *object);

/* The queue that the workload is in (gangs.md, section 6); NULL: none. */
const char *mutate_queue(const struct mutate *mutate);

/*
 * What is done where a label cannot hold a value (`err` says which): the object is denied where the
 * queue that the user named on it is such a value; else KARTA_ERR_EXPRESSION.
 */
int mutate_deny_value(struct mutate *mutate, struct karta_error *err);

/* Asks the profile whether it refuses what is planned: then a refusal says why. */
int mutate_ask_profile(struct mutate *mutate, const struct plan *plan, struct karta_error *err);

/* Wants a label or annotation ("labels", "annotations") of the workload itself. KARTA_ERR_NOMEM. */
int mutate_want_on_workload(struct mutate *mutate, const char *map, const char *key, json_t *value,
                            struct karta_error *err);

/*
 * Wants the profile's keys in the template at `place`. A user's own value of a key stays; of an
 * identity key, another value is a refusal, unless `foreign` (may be NULL) names it: then it was
 * copied from another workload and counts as absent.
 */
int mutate_stamp(struct mutate *mutate, const struct resolved *resolved, const struct plan *plan,
                 const struct place *place, const struct gang_memory *foreign,
                 struct karta_error *err);

/* The same for a template or pod with this input; `where` names it in refusals. */
int mutate_stamp_input(struct mutate *mutate, const struct instance *instance,
                       const struct jq_input *input, const struct gang_memory *foreign,
                       const char *where, struct karta_error *err);

/*
 * The same for a template whose group is one per replica: it tells its pods how to find theirs.
 * `role` is the place's, NULL for a profile that reads none.
 */
int mutate_stamp_replica(struct mutate *mutate, const struct planned_group *group,
                         const struct place *place, const struct instance *instance,
                         const char *role, const struct gang_memory *foreign, const char *where,
                         struct karta_error *err);

/*
 * Wants label and annotation on the workload. KARTA_ERR_LIMIT where the annotation would be too
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

/*
 * Whether a group has subgroups was decided at CREATE, when its templates got their keys or not,
 * and stays so for life: `plan` gets the shape that `memory` has. True where no group has any.
 */
bool mutate_keep_shape(const struct gang_memory *memory, struct plan *plan);

/* Reads the user's minimum (workloadmap.dev/min-member), where there is one. */
int mutate_minimum(struct mutate *mutate, struct plan *plan, enum minimum_use use,
                   struct karta_error *err);

/* Where the instance's labels or annotations are. */
const struct spot *mutate_spot(const struct instance *instance, enum key_place place);

/*
 * Wants `value` (borrowed) for a key of the instance: a label, an annotation, or a field below its
 * pod spec. KARTA_ERR_NOMEM; nothing where the instance has no place for it.
 */
int mutate_want(struct mutate *mutate, const struct instance *instance, enum key_place place,
                const char *key, json_t *value, struct karta_error *err);

#endif
