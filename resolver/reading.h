/* SPDX-License-Identifier: Apache-2.0 */
/* What a structure program gave for one object, zipped with the instances of its components. */
#ifndef KARTA_READING_H
#define KARTA_READING_H

#include "resolve.h"

struct reading {
    struct resolved *resolved;
    const struct jq_results *results;
};

/* The results of an expression (borrowed), or NULL and the component's error, which names
 * `field`. */
const json_t *reading_values(const struct reading *reading, struct resolved_component *component,
                             const struct expression *expression, const char *field);

/* Whether a list is as long as the instances, or one for all; else the component's error. */
bool reading_fits(struct resolved_component *component, const json_t *values, const char *field);

/* The result for instance `index` of a list that fits. */
const json_t *reading_at(const json_t *values, size_t index);

/*
 * Where the templates of the component's instances stand, in whichever form its definition has.
 * An instance without one keeps a NULL path. KARTA_ERR_NOMEM, KARTA_ERR_LIMIT.
 */
int reading_templates(const struct reading *reading, struct resolved_component *component,
                      struct karta_error *err);

/* The same for templates in fragments: spots, and a template put together from what is there. */
int reading_fragments(const struct reading *reading, struct resolved_component *component,
                      struct karta_error *err);

#endif
