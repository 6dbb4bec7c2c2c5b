/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that a cluster has, as `kubectl api-resources` prints them. Pure functions. */
#ifndef KARTA_CLI_API_RESOURCES_H
#define KARTA_CLI_API_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

struct api_resource {
    char *plural, *group, *version, *kind, *address; /* address: "jobs.v1.batch", "pods.v1." */
    char *short_names;                               /* joined by ',', may be "" */
    bool namespaced;
};

struct api_resources {
    struct api_resource *items;
    size_t count;
};

/* Reads the table, with or without its head; rows that are none are skipped. False: no memory. */
bool api_resources_parse(const char *text, struct api_resources *resources);
void api_resources_dispose(struct api_resources *resources);

/*
 * True where a user's `word` means it: plural, kind in any case, short name, each alone or with
 * ".group" or ".version.group" behind it.
 */
bool api_resource_is(const struct api_resource *resource, const char *word);

/* The resource of that group and kind, whatever the version; NULL where there is none. */
const struct api_resource *api_resources_find(const struct api_resources *resources,
                                              const char *group, size_t group_size,
                                              const char *kind);
/* The same by an apiVersion ("batch/v1"). */
const struct api_resource *api_resources_of(const struct api_resources *resources,
                                            const char *api_version, const char *kind);

#endif
