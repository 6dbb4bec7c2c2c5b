/* SPDX-License-Identifier: Apache-2.0 */
/* The top-level workloads of a cluster: what users made, not what was made for it. */
#ifndef KARTA_CLI_WORKLOADS_H
#define KARTA_CLI_WORKLOADS_H

#include <jansson.h>
#include <stdbool.h>

#include "arguments.h"
#include "karta/snapshot.h"

/*
 * Lists those of `type` (a user's word; NULL: every type that a definition covers) as -n, -A and -l
 * say. *objects is a new array, sorted by namespace, kind and name; *catalog new; both also after a
 * failure (maybe NULL). *partial: some could not be read, of which warnings told. CLI_DONE;
 * CLI_NO_DEFINITION, CLI_NOT_FOUND, CLI_CLUSTER, CLI_FAILED and one line.
 */
int workloads_list(const struct arguments *arguments, const char *type,
                   struct karta_snapshot **catalog, json_t **objects, bool *partial);

/* Lists TYPE or --all-types as the words of `command` say. CLI_USAGE and one line too. */
int workloads_asked(const char *command, const struct arguments *arguments,
                    struct karta_snapshot **catalog, json_t **objects, bool *partial);

#endif
