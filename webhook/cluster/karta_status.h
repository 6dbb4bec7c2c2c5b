/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of a Karta, as the API server shall show it. Reasons and sentences are those of the
 * public Karta operator (github.com/dsx-ai-factory/workload-map, operator/pkg/status.go), so that
 * who waits for them need not know who wrote them; its newest version calls KartaValidated
 * "Validated".
 * Pure functions.
 */
#ifndef KARTA_CLUSTER_KARTA_STATUS_H
#define KARTA_CLUSTER_KARTA_STATUS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "karta/error.h"

enum karta_status_kind {
    KARTA_STATUS_KIND_UNKNOWN, /* the cluster could not be asked: Unknown, not False */
    KARTA_STATUS_KIND_SERVED,  /* also where no CRD is behind it, as for a Deployment */
    KARTA_STATUS_KIND_MISSING
};

struct karta_status_facts {
    const json_t
        *karta; /* as it was read last: its name, generation and present conditions count */
    const char *refusal; /* what validation found, e.g. karta_problems_summary; NULL: nothing. Any
                            bytes: what is shown is one line of at most 1,024 */
    enum karta_status_kind kind; /* whether the cluster serves the root's kind in that version */
};

/*
 * New body for a server-side apply on the subresource "status": the conditions KartaValidated,
 * CRDExists and Ready (True where both are, False where one is False). `now` is in seconds since
 * the epoch; a condition whose status stays keeps its lastTransitionTime. KARTA_ERR_SCHEMA where
 * the Karta has no name, KARTA_ERR_NOMEM.
 */
int karta_status_new(const struct karta_status_facts *facts, int64_t now, json_t **body,
                     struct karta_error *err);

/* Whether the condition is one of the three. */
bool karta_status_is_ours(const json_t *condition);

/* Whether the Karta shows already what `body` says, times aside: then it must not be written, or
 * two writers keep each other awake for ever. */
bool karta_status_is_shown(const json_t *karta, const json_t *body);

#endif
