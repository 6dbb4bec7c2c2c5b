/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of one webhook: which resources it is asked about. Pure functions. */
#ifndef KARTA_CORE_CONFIGURATIONS_RULES_H
#define KARTA_CORE_CONFIGURATIONS_RULES_H

#include "configurations.h"

struct rules_input {
    struct configurations_resources resources[2]; /* together */
    struct configurations_resources without;      /* what another webhook is asked about */
    bool namespaced; /* scope Namespaced, and never all pods; else scope Cluster */
};

/*
 * New array of RuleWithOperations for CREATE and UPDATE (admissionregistration.k8s.io/v1): one a
 * group and version, all of it sorted, nothing twice. What would match more than one resource or
 * a subresource, or nothing at all, is left out. NULL when memory is out.
 */
json_t *rules_new(const struct rules_input *input);

/* New array of the texts, sorted, none twice; NULL when memory is out. */
json_t *rules_sorted_texts(const char *const *texts, size_t count);

#endif
