/* SPDX-License-Identifier: Apache-2.0 */
/* One function per endpoint: request in, response out. */
#ifndef KARTA_CORE_HANDLERS_H
#define KARTA_CORE_HANDLERS_H

#include "admission.h"
#include "karta/problem.h"
#include "review.h"

/* `record` gets the profile that was written and what went wrong. 0, or KARTA_ERR_NOMEM. */
int handle_mutation(enum admission_endpoint endpoint, const struct karta_snapshot *snapshot,
                    const struct admission_config *config, const struct review *review,
                    struct response *response, struct admission_record *record);
int handle_definitions(const struct karta_snapshot *snapshot, const struct review *review,
                       struct response *response);
int handle_definition_labels(const struct review *review, struct response *response);

/* Denies with 422: the refusals in one line as the message, each whole as a cause. 0, or
 * KARTA_ERR_NOMEM. */
int response_refuse(struct response *response, const struct karta_problems *problems);

/* *decided gets the decisions, which borrow from the snapshot. */
int handle_policies(const struct karta_snapshot *snapshot, const struct admission_config *config,
                    const struct review *review, struct response *response,
                    struct admission_answer *decided);

/* True where nothing in this namespace is ever looked at. */
bool admission_excludes(const struct admission_config *config, const char *ns);

#endif
