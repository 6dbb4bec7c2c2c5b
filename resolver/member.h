/* SPDX-License-Identifier: Apache-2.0 */
/* Which pod group's member a template belongs to. */
#ifndef KARTA_MEMBER_H
#define KARTA_MEMBER_H

#include "resolve.h"

/* A member of a pod group, by indexes into the definition. */
struct membership {
    bool found;
    size_t group, member;
};

/*
 * The first member whose component is `c` itself, else one of its ancestors, and all of whose
 * filters give exactly true on the template as a pod. Of several ancestors of the current form the
 * nearest counts. A filter that fails is `reason` (where that isn't set yet).
 * KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT, KARTA_ERR_NOMEM.
 */
int member_of(const struct resolved *resolved, size_t c, size_t i, struct membership *membership,
              char *reason, size_t reason_size, struct karta_error *err);

#endif
