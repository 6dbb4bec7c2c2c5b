/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many pods a subtree has: the least that must start together, or what is desired now. The
 * rule (docs/gangs.md): a parent's count multiplies the sum over its children, unless one
 * of the two says nothing.
 */
#ifndef KARTA_SCALE_H
#define KARTA_SCALE_H

#include "resolve.h"

enum scale_mode {
    SCALE_MINIMUM, /* minReplicas above 0, else replicas; 0 says nothing; late ones don't count */
    SCALE_DESIRED, /* replicas, else minReplicas; 0 is 0 */
    SCALE_STARTED  /* as desired, without late ones */
};

/*
 * Of the subtree at `component`: all of it, or, with `instance` (an index), that instance's part.
 * Subtrees of components that `skip` (by index, may be NULL) marks are left out.
 * KARTA_ERR_LIMIT where the product passes 2^53.
 */
#define SCALE_ALL ((size_t)-1)
int scale_of(const struct resolved *resolved, size_t component, size_t instance,
             enum scale_mode mode, const bool *skip, struct count *count, struct karta_error *err);

/* Pods of one leaf instance, its ancestors' counts multiplied in: what is desired now. */
int scale_pods(const struct resolved *resolved, size_t component, size_t instance, int64_t *pods,
               struct karta_error *err);

#endif
