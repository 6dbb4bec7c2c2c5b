/* SPDX-License-Identifier: Apache-2.0 */
/* The top-level workloads of a cluster: what users made, not what was made for it. */
#ifndef KARTA_CLI_WORKLOADS_H
#define KARTA_CLI_WORKLOADS_H

#include <jansson.h>
#include <stdbool.h>

#include "arguments.h"
#include "karta/snapshot.h"

/* Which of the objects that a definition covers are listed. */
enum workloads_wanted {
    WORKLOADS_TOP, /* those that nothing covered stands above */
    WORKLOADS_ALL  /* those that were made for others too */
};

/*
 * Lists those of `type` (a user's word; NULL: every type that a definition covers) as -n, -A and -l
 * say. *objects is a new array, sorted by namespace, kind and name; *catalog new; both also after a
 * failure (maybe NULL). *partial: some could not be read, of which warnings told. CLI_DONE;
 * CLI_NO_DEFINITION, CLI_NOT_FOUND, CLI_CLUSTER, CLI_FAILED and one line.
 */
int workloads_list(const struct arguments *arguments, const char *type,
                   enum workloads_wanted wanted, struct karta_snapshot **catalog, json_t **objects,
                   bool *partial);

/* An object that was named, and its resource's address. */
struct workload_named {
    char *label;   /* TYPE/NAME as the user gave it */
    char *address; /* "jobs.v1.batch" */
    json_t *object;
};
struct workloads_named {
    struct workload_named *items;
    size_t count;
};

/*
 * Gets what the words of `command` name. What can't be had is said, the others are there all the
 * same; the first failure's code is returned: CLI_USAGE, CLI_NOT_FOUND, CLI_NO_DEFINITION,
 * CLI_CLUSTER, CLI_FAILED. Disposed in any case, *catalog (new, may be NULL) too.
 */
int workloads_get(const char *command, const struct arguments *arguments,
                  struct karta_snapshot **catalog, struct workloads_named *named);
void workloads_named_dispose(struct workloads_named *named);

/*
 * Of the objects that a request found under one name in several kinds, the one that a definition
 * covers: *object is new. CLI_NO_DEFINITION, or CLI_USAGE where several are, and one line.
 */
int workloads_pick(const struct karta_snapshot *catalog, const char *label, const json_t *items,
                   json_t **object);

/* Lists TYPE or --all-types as the words of `command` say. CLI_USAGE and one line too. */
int workloads_asked(const char *command, const struct arguments *arguments,
                    enum workloads_wanted wanted, struct karta_snapshot **catalog, json_t **objects,
                    bool *partial);

#endif
