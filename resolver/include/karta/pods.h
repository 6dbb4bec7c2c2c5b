/* SPDX-License-Identifier: Apache-2.0 */
/* Live pods of a workload, told apart by the selectors of its definition. */
#ifndef KARTA_PODS_H
#define KARTA_PODS_H

#include <jansson.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

/*
 * *matches is a new array with an entry for each of `pods`, in their order: {component, instance,
 * replica}, each text or null where no selector says it. A pod belongs to the first component with
 * pods of its own whose type selector, and those of its ancestors, it meets; one that meets none to
 * the only component that states no selector. That the pods are the workload's is for the caller to
 * know, by their owners. An expression that fails on a pod doesn't select it.
 * `deadline_ms` is a time of karta_engine_now_ms, 0: none. KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT,
 * KARTA_ERR_EXPRESSION, KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_pods_match(const struct karta_definition *definition, const json_t *pods,
                               int64_t deadline_ms, json_t **matches, struct karta_error *err);

#endif
