/* SPDX-License-Identifier: Apache-2.0 */
/* Policies being asked about one object: what asking and judging share. */
#ifndef KARTA_POLICY_ASKING_H
#define KARTA_POLICY_ASKING_H

#include "policy_finding.h"

struct asking {
    const struct karta_snapshot *snapshot;
    const struct karta_request *request;
    struct karta_verdict *verdict;
    json_t *view, *old_view; /* new; NULL: could not be made */
    char unread[512];        /* why the object itself cannot be read; "": it can */
    json_t *whole;           /* everything that an expression may read; new */
    int64_t deadline_ms;
};

/* What one condition or validation gave. */
enum outcome { OUTCOME_TRUE, OUTCOME_FALSE, OUTCOME_OTHER, OUTCOME_ERROR };

/*
 * Whether all of the policy's conditions hold: OUTCOME_TRUE; OUTCOME_FALSE where one is false,
 * whatever the others give; else OUTCOME_ERROR and `text` says why. *which is the condition.
 */
enum outcome judge_conditions(const struct karta_policy *policy, const struct jq_results *results,
                              char *text, size_t size, size_t *which);

/* Views and everything beside them, once; what goes wrong with the object is in asking->unread. */
int asking_read(struct asking *asking);
void asking_dispose(struct asking *asking);

/* When what begins now has to be done; 0: never. */
int64_t asking_deadline(const struct asking *asking);

/* Makes ready for expressions what stands under these names (bits of policy_input_names). */
int asking_input(const struct asking *asking, unsigned reads, struct jq_input **input,
                 struct karta_error *err);

/* Each decides for one policy and adds what it finds. 0 or KARTA_ERR_NOMEM. */

/* By what its conditions and validations gave. */
int judge_results(struct asking *asking, struct karta_policy_decision *decision,
                  const struct jq_results *results);
/* The object, or one of its components, could not be read: no expression is evaluated. */
int judge_unread(struct asking *asking, struct karta_policy_decision *decision);
/* Its expressions could not be evaluated at all. */
int judge_failure(struct asking *asking, struct karta_policy_decision *decision,
                  const char *message);

#endif
