/* SPDX-License-Identifier: Apache-2.0 */
/* What a server-side apply of a webhook configuration was refused for. Pure functions. */
#ifndef KARTA_CLUSTER_CONFIGURATIONS_CONFLICT_H
#define KARTA_CLUSTER_CONFIGURATIONS_CONFLICT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the Status of a 409 and takes the selectors that somebody else manages out of
 * `configuration`; *left grows by their number. True where other fields are in conflict too: those
 * are ours to keep right. Causes: metav1.CauseTypeFieldManagerConflict with a `field` such as
 * `.webhooks[name="pods.mutate.workloadmap.dev"].namespaceSelector`.
 */
bool conflict_leave_selectors(const json_t *status, json_t *configuration, size_t *left);

/* Whether a live configuration is one that we wrote, by its label. */
bool configuration_is_ours(const json_t *live);

/*
 * Of the live webhooks those that `configuration` has too, as they are: new array, NULL when memory
 * is out. *stale is how many were left out.
 */
json_t *configuration_without_stale(const json_t *live, const json_t *configuration, size_t *stale);

#endif
