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

#endif
