/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view: what one object is, read through its definition. Its JSON is the documented interface
 * (docs/view.md); policies read it and `kartactl describe -o json` prints it.
 */
#ifndef KARTA_VIEW_H
#define KARTA_VIEW_H

#include <jansson.h>

#include "karta/error.h"
#include "karta/snapshot.h"

/*
 * Resolves `object` and gives its view as new JSON. A fault in one component is in that
 * component's `error`, and `complete` is false. `ns` stands in where the object names no namespace
 * (NULL: "default"). `deadline_ms` is a time of karta_engine_now_ms, 0: none.
 * KARTA_ERR_NOT_FOUND (no definition covers the kind), KARTA_ERR_TIMEOUT, KARTA_ERR_LIMIT,
 * KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_view(const struct karta_snapshot *snapshot, const json_t *object,
                         const char *ns, int64_t deadline_ms, json_t **view,
                         struct karta_error *err);

#endif
