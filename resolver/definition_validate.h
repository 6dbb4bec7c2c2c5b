/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of a whole definition share. */
#ifndef KARTA_DEFINITION_VALIDATE_H
#define KARTA_DEFINITION_VALIDATE_H

#include "definition.h"
#include "schema.h"

struct check {
    struct karta_definition *definition;
    struct karta_problems *problems;
};

/* Where component `index` stands; good while the caller's frame lives. */
struct at check_component_at(size_t index);

/* The component as it was written; NULL or any value where it isn't an object. */
const json_t *check_component_document(const struct check *check, size_t index);

/* Gang members, and whether their pods can be told apart. */
void gang_validate(struct check *check);

#endif
