/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WorkloadPolicies: what must be true of a workload's view, whatever framework it is of.
 * Semantics: docs/policies.md, after Kubernetes' ValidatingAdmissionPolicy. Any thread.
 */
#ifndef KARTA_POLICY_H
#define KARTA_POLICY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

struct karta_policy; /* opaque, immutable, borrowed from its snapshot */

/* The policies in force, in byte order of their names. */
KARTA_API size_t karta_policy_count(const struct karta_snapshot *snapshot);
/* NULL past the end. */
KARTA_API const struct karta_policy *karta_policy_at(const struct karta_snapshot *snapshot,
                                                     size_t index);

/* Accessors; what they return is borrowed from the snapshot. */
KARTA_API const char *karta_policy_name(const struct karta_policy *policy);
KARTA_API const char *karta_policy_origin(const struct karta_policy *policy);
KARTA_API const json_t *karta_policy_document(const struct karta_policy *policy);
/* failurePolicy: 1 for Fail, 0 for Ignore. */
KARTA_API int karta_policy_fails(const struct karta_policy *policy);
/* 0: every kind that has a definition. */
KARTA_API size_t karta_policy_kind_count(const struct karta_policy *policy);
/* The group and kind at `index`; NULL stands for any (written as "", "*", or left out). */
KARTA_API void karta_policy_kind(const struct karta_policy *policy, size_t index,
                                 const char **group, const char **kind);
/* Whether it is asked at that operation. */
KARTA_API int karta_policy_at_create(const struct karta_policy *policy);
KARTA_API int karta_policy_at_update(const struct karta_policy *policy);

/* What a policy may do about an object that it does not let pass; several go together. */
enum { KARTA_POLICY_DENY = 1, KARTA_POLICY_WARN = 2, KARTA_POLICY_AUDIT = 4 };

/* What is asked about. Everything is borrowed for the call. */
struct karta_request {
    const char *operation;   /* "CREATE" or "UPDATE"; anything else concerns no policy */
    const char *ns;          /* the request's, never the object's; "": none */
    const json_t *user_info; /* {username, groups, ...} as the API server sends it; may be NULL */
    bool dry_run;
    const json_t *object;     /* as it is after mutation */
    const json_t *old_object; /* of an UPDATE; NULL: there is none */
    int64_t budget_ms;        /* for reading the object, and again for all expressions; 0: none */
};

struct karta_policy_decision {
    const struct karta_policy *policy;
    unsigned actions;       /* what it does about the object; 0: it lets it pass */
    bool failed;            /* something could not be decided: failurePolicy said what it means */
    const char *skipped_by; /* the match condition that is false; NULL: none is */
};

struct karta_verdict {
    struct karta_policy_decision *decisions; /* of every policy that was asked, by name */
    size_t decision_count;
    unsigned actions; /* of all decisions together */
    json_t *findings; /* array, by policy and in its order: {policy, actions: ["Deny"], failed,
                         component, field, message}. failed: an expression failed, or the object
                         could not be read, rather than that it isn't true; component and field (of
                         the policy) are null where not known; at most 256 */
    size_t findings_left_out;
    json_t *ignored; /* array of the same: what failed and is let pass by failurePolicy Ignore */
};

/*
 * Asks every policy in force that concerns the request. An object without a definition, one that is
 * being deleted, and an update that changes neither view nor labels nor annotations concern none
 * (but for policies that read .object, where something else than metadata and status changed).
 * *verdict is the caller's to dispose, also after an error; what it borrows is the snapshot's. What
 * goes wrong with the object or an expression is no error: failurePolicy says what it means.
 * KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_policies_ask(const struct karta_snapshot *snapshot,
                                 const struct karta_request *request, struct karta_verdict *verdict,
                                 struct karta_error *err);
KARTA_API void karta_verdict_dispose(struct karta_verdict *verdict);

#endif
