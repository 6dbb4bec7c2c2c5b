/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every expression of a definition gives on one object. For authors and their tools: it runs
 * each expression alone, so one that is slow or broken hides no other, and takes its time over it.
 */
#ifndef KARTA_EXPLAIN_H
#define KARTA_EXPLAIN_H

#include <jansson.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

/*
 * *report is a new JSON array with an entry for each expression, in document order:
 *
 *   field       where it stands: "spec.structureDefinition.rootComponent.instanceIdPath"
 *   expression  its text
 *   component   the component that it speaks of; absent where it speaks of none
 *   pod         true where it is run on pods and so not here; else absent
 *   label, annotation   the key, where a pod expression is a plain path to one
 *   value       what a componentTypeSelector asks of such a key; absent: that it is there
 *   results     what it gave, in order; of a path that is written to, {pointer, value} each: a JSON
 *               pointer, and what stands there (null where nothing does)
 *   error       in place of results: why it gave nothing that can be used
 *   expected    the text that a status compares its first result with,
 *   matches     and whether the two are equal
 *
 * An expression in the annotations of a Karta is one like any other. Where `podGroup` is given,
 * what `podGroups` says is not in force and not listed. `object` may be NULL: then the expressions
 * are listed and none is run. It is not checked to be of the definition's kind.
 *
 * Each expression may run for `limit_ms` (0: no limit, and none is enforced where nobody calls
 * karta_engine_expire); past it, that expression has an error. KARTA_ERR_LIMIT: the object is
 * larger than expressions may read; KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_explain(const struct karta_definition *definition, const json_t *object,
                            int64_t limit_ms, json_t **report, struct karta_error *err);

#endif
