/* SPDX-License-Identifier: Apache-2.0 */
/* What kartactl describe has found, from files or a cluster, on its way to the output. */
#ifndef KARTA_CLI_DESCRIBE_H
#define KARTA_CLI_DESCRIBE_H

#include <stdbool.h>

#include "arguments.h"
#include "input.h"
#include "karta/snapshot.h"

struct described {
    const struct karta_snapshot *catalog;
    const char *ns;
    json_t *objects, *resolved; /* arrays, of one length: each object and its view */
};

/*
 * Resolves one object and keeps both. CLI_DONE; else a code and one line: CLI_NO_DEFINITION where
 * no definition covers it.
 */
int describe_object(struct described *described, const struct input_document *document);

/*
 * Describes what the words name in the cluster. *catalog is new, also after a failure (NULL: none
 * was loaded).
 */
int describe_live(const struct arguments *arguments, struct described *described,
                  struct karta_snapshot **catalog);

/* Draws what was described. CLI_DONE, or a code and one line. */
int describe_pictures(const struct described *described, bool svg);

#endif
