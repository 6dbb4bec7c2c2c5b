/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression on a pod will give, told from the template alone. Rules: docs/gangs.md. Pure
 * functions.
 */
#ifndef KARTA_POD_KEYS_H
#define KARTA_POD_KEYS_H

#include "resolve.h"

enum key_state {
    POD_KEY_KNOWN,    /* its text is known */
    POD_KEY_CONSTANT, /* one value for the whole workload, whatever it is */
    POD_KEY_UNKNOWN   /* only the pod will tell */
};

/* Of instance `i` of leaf `c`; *text (borrowed) is set where it is known. */
enum key_state pod_key_of(const struct resolved *resolved, size_t c, size_t i,
                          const struct jq_expression *expression, const char **text);

/* The component, `c` or above it, that has this expression as its replicaSelector; or
 * resolved->count. */
size_t pod_key_selecting(const struct resolved *resolved, size_t c,
                         const struct jq_expression *expression);

/*
 * The template of instance `i` of leaf `c` as the pod that it will be: its metadata with the
 * labels that the selectors state, and its spec. New; NULL when memory is out.
 */
json_t *pod_of_template(const struct resolved *resolved, size_t c, size_t i);

#endif
