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

/*
 * Pods of one leaf instance: its own count times those of its ancestors, up to `top` and with it
 * (0, the root: all of them; the leaf itself: its own count alone). KARTA_ERR_LIMIT.
 */
int scale_leaf(const struct resolved *resolved, size_t component, size_t instance, size_t top,
               enum scale_mode mode, int64_t *pods, struct karta_error *err);

/*
 * How many there are of each instance of `component`: the product of the counts that are desired of
 * what stands above it. Not said where none of them says one. KARTA_ERR_LIMIT.
 */
int scale_above(const struct resolved *resolved, size_t component, struct count *count,
                struct karta_error *err);

#endif
