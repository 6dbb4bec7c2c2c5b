/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a workload start together: what pictures draw a line around. */
#ifndef KARTA_MEMBERS_H
#define KARTA_MEMBERS_H

#include <jansson.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

/*
 * *members is a new array with an entry for each of the view's podGroups, in their order: an array
 * of {component, instance}, the templates whose pods are in it from the start. `ns` and
 * `deadline_ms` as for karta_view, and so are the errors. Any thread.
 */
KARTA_API int karta_members(const struct karta_snapshot *snapshot, const json_t *object,
                            const char *ns, int64_t deadline_ms, json_t **members,
                            struct karta_error *err);

#endif
