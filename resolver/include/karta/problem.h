/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What validation finds: a list of located problems, refusals and warnings, in document order.
 * Not thread-safe; one list belongs to one caller.
 */
#ifndef KARTA_PROBLEM_H
#define KARTA_PROBLEM_H

#include <stddef.h>

#include "karta/error.h"

enum karta_severity { KARTA_REFUSAL, KARTA_WARNING };

struct karta_problems; /* opaque */

/* New, empty; NULL when memory is out. */
KARTA_API struct karta_problems *karta_problems_new(void);
KARTA_API void karta_problems_free(struct karta_problems *problems);

/*
 * Adds a problem at `path` (a field path such as "spec.structureDefinition.rootComponent.kind").
 * A list holds at most 256 problems, refusals before warnings; further ones are counted, not kept.
 * When memory runs out the list remembers that it is incomplete, which counts as a refusal.
 * `problems` may be NULL.
 */
KARTA_API void karta_problems_add(struct karta_problems *problems, enum karta_severity severity,
                                  const char *path, const char *format, ...) KARTA_PRINTF(4, 5);

KARTA_API size_t karta_problems_count(const struct karta_problems *problems);
KARTA_API size_t karta_problems_refusals(const struct karta_problems *problems);

/* The accessors below borrow from the list; `index` is below karta_problems_count. */
KARTA_API enum karta_severity karta_problem_severity(const struct karta_problems *problems,
                                                     size_t index);
KARTA_API const char *karta_problem_path(const struct karta_problems *problems, size_t index);
KARTA_API const char *karta_problem_message(const struct karta_problems *problems, size_t index);

/*
 * New text of all refusals in one line: "path: sentence", or "2 problems: path: sentence; path:
 * sentence". NULL when memory is out. The caller frees it with free().
 */
KARTA_API char *karta_problems_summary(const struct karta_problems *problems);

#endif
