/* SPDX-License-Identifier: Apache-2.0 */
/* One object mutated: by the library here, or by a running server. */
#ifndef KARTA_CLI_MUTATE_H
#define KARTA_CLI_MUTATE_H

#include "arguments.h"
#include "input.h"
#include "karta/snapshot.h"

struct mutated {
    json_t *object; /* new: the result, an unchanged copy where nothing is to do */
    json_t *patch;  /* new array, empty where nothing is to do */
};
void mutated_dispose(struct mutated *mutated);

/*
 * Both print warnings and, in one line, what went wrong; the latter's exit code is returned. The
 * caller disposes *mutated in any case.
 */
int mutate_here(const struct karta_snapshot *catalog, const struct arguments *arguments,
                const struct input_document *document, struct mutated *mutated);
int mutate_there(const struct karta_snapshot *catalog, const struct arguments *arguments,
                 const struct input_document *document, struct mutated *mutated);

#endif
