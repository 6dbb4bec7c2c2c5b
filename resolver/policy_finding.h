/* SPDX-License-Identifier: Apache-2.0 */
/* One thing that a policy does not let pass, or that it could not decide. */
#ifndef KARTA_POLICY_FINDING_H
#define KARTA_POLICY_FINDING_H

#include "karta/policy.h"
#include "policy.h"

/* Where and why; all borrowed. */
struct finding {
    const struct karta_policy *policy;
    bool failed;           /* as karta_verdict has it */
    const char *component; /* NULL: not known */
    const char *field;     /* of the policy; NULL: none in particular */
};

/*
 * Adds it with its message, cut and cleaned to one line; to what is ignored where it failed and the
 * policy ignores that. 0 or KARTA_ERR_NOMEM.
 */
int finding_add(struct karta_verdict *verdict, const struct finding *finding, const char *format,
                ...) KARTA_PRINTF(3, 4);

#endif
