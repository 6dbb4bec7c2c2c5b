/* SPDX-License-Identifier: Apache-2.0 */
/* Suspending and resuming any kind of workload, as its definition says it is done. */
#ifndef KARTA_SUSPEND_H
#define KARTA_SUSPEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

/*
 * The JSON Patch (RFC 6902) that suspends `object`, or with `resume` resumes it: the definition's
 * actions in their order, missing parents added, empty where the object is in that state already.
 * *patch is new. `deadline_ms` is a time of karta_engine_now_ms, 0: none.
 * KARTA_ERR_NOT_FOUND: no definition covers the kind, or it has no such actions;
 * KARTA_ERR_EXPRESSION: a path of an action fails or gives nothing on this object, which it names;
 * KARTA_ERR_CONFLICT: a parent can hold nothing; KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT,
 * KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_suspend(const struct karta_snapshot *snapshot, const json_t *object,
                            bool resume, int64_t deadline_ms, json_t **patch,
                            struct karta_error *err);

#endif
