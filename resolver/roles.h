/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roles of a pod group: pods of one shape, how many of them there are and what each asks for.
 * Schedulers that reserve room before the pods are there read these. Pure functions.
 */
#ifndef KARTA_ROLES_H
#define KARTA_ROLES_H

#include "plan.h"

/*
 * The name of the role that a place of a group has: its subgroup's; where the group has none, its
 * component's; of a group whose minimum is overridden, the group's own. A DNS label.
 */
void role_name(const struct resolved *resolved, const struct plan *plan, const struct place *place,
               char name[NAME_SIZE]);

/*
 * *roles is a new array with an entry for each role of group `g`: {name, minMember, pods,
 * podRequests (of one pod, the largest of each resource), template (the first; only with
 * `templates`)}. Late places have no part in them. KARTA_ERR_NOMEM, KARTA_ERR_INTERNAL.
 */
int roles_json(const struct resolved *resolved, const struct plan *plan, size_t g, bool templates,
               json_t **roles, struct karta_error *err);

/*
 * *requests is new: what minMember pods of group `g` ask for together; NULL where it isn't known
 * which of its pods those are.
 */
int roles_min_requests(const struct resolved *resolved, const struct plan *plan, size_t g,
                       json_t **requests, struct karta_error *err);

#endif
