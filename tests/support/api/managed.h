/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.managedFields: who owns which fields, after an update and after an apply. */
#ifndef KARTA_TESTS_API_MANAGED_H
#define KARTA_TESTS_API_MANAGED_H

#include "answer.h"
#include "store.h"

/* Who writes, and how. */
struct api_writer {
    const char *manager;
    bool apply;  /* operation Apply; else Update */
    bool status; /* the subresource */
    bool whole;  /* metadata, status and all, as the tests' own put */
    bool force;  /* take fields from others */
    const struct api_kind *kind;
};

/* New: what managers can own of an object, through this door. */
json_t *managed_view(const struct api_writer *writer, const json_t *object);

/* Gives the writer what it changed from `before` (may be NULL) to `after`, takes it from others. */
void managed_update(const struct api_writer *writer, const json_t *before, json_t *after);

/* New: `live` (may be NULL) with `applied` merged in and what the manager let go of taken out,
 * owners noted. NULL on a conflict, which fills the answer. */
json_t *managed_apply(const struct api_writer *writer, const json_t *live, const json_t *applied,
                      struct api_answer *answer);

#endif
