/* SPDX-License-Identifier: Apache-2.0 */
/* Why a pod group starts with fewer pods than it has, for people. */
#ifndef KARTA_WHY_H
#define KARTA_WHY_H

#include "plan.h"

/*
 * New array of texts, in document order: "gpu: minReplicas 2 of 5", "late: launcher",
 * "override: 3 of 8". Empty where all pods start together. NULL: no memory.
 */
json_t *why_json(const struct resolved *resolved, const struct plan *plan, size_t g);

#endif
