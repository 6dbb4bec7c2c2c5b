/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions and profiles in force for one run: built-in ones, then each --definitions. */
#ifndef KARTA_CLI_CATALOG_H
#define KARTA_CLI_CATALOG_H

#include <jansson.h>

#include "arguments.h"
#include "karta/snapshot.h"

/*
 * *catalog is new (karta_snapshot_unref). A definition that is refused is left out with a warning;
 * a folder that can't be read is a failure: CLI_FAILED and one line.
 */
int catalog_load(const struct text_list *definitions, struct karta_snapshot **catalog);

/* The same with Kartas of a cluster (an array; may be NULL) between the two. */
int catalog_load_with(const struct text_list *definitions, const json_t *kartas,
                      struct karta_snapshot **catalog);

/*
 * Adds the policies of these files and folders. One that is refused is a failure, since a workload
 * would seem to pass it: CLI_INVALID, and warnings say what is wrong.
 */
int catalog_add_policies(struct karta_snapshot *catalog, const struct text_list *files);

/*
 * `object` as a definition in force reads it, new: itself, or, where only another version of its
 * kind has a definition, a copy under that version, and a warning that says so (`label` names the
 * object; NULL: no warning). NULL where no definition covers the kind. The server does not do this:
 * the API server sends it the version that it has a definition for.
 */
json_t *catalog_read_as(const struct karta_snapshot *catalog, const json_t *object,
                        const char *label);

/* CLI_DONE where `name` is NULL or a profile of the catalog; else CLI_NOT_FOUND and one line. */
int catalog_check_profile(const struct karta_snapshot *catalog, const char *name);

#endif
