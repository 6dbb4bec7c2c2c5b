/* SPDX-License-Identifier: Apache-2.0 */
/* Which statuses an object is in, read through its definition. */
#ifndef KARTA_STATUS_H
#define KARTA_STATUS_H

#include <jansson.h>

#include "resolve.h"

/*
 * Evaluates the root's status and the suspend actions. *status is new:
 * {"phases": [...], "phase": text or null, "conditions": [{type, status, reason, message}]};
 * *suspended is new: true, false, or null where there are no suspend actions.
 * An expression that fails matches nothing. KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT, KARTA_ERR_NOMEM.
 */
int status_read(const struct resolved *resolved, json_t **status, json_t **suspended,
                struct karta_error *err);

#endif
