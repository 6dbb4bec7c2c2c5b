/* SPDX-License-Identifier: Apache-2.0 */
/* What discovery keeps, and the steps of finding it anew. */
#ifndef KARTA_CLUSTER_DISCOVERY_INTERNAL_H
#define KARTA_CLUSTER_DISCOVERY_INTERNAL_H

#include "discovery.h"

enum { DISCOVERY_CORE, DISCOVERY_GROUPS, DISCOVERY_ROOTS }; /* /api and /apis */

/* a cluster with a hundred operators has about 2,000 */
#define LIMIT_RESOURCES 20000U
#define LIMIT_VERSIONS 4000U

struct discovery_root {
    json_t *groups; /* see discovery.c; NULL: not known */
    char etag[128]; /* of the answer that it was made of; "" where it was made of several */
};

struct discovery {
    struct discovery_root roots[DISCOVERY_ROOTS];
    bool known;
};

/* The versions of a group, NULL: none. The entry of a version, NULL: none. */
const json_t *discovery_versions(const struct discovery_root *root, const char *group);
const json_t *discovery_find(const json_t *versions, const char *version);

/* A tree in the making. */
struct discovery_making {
    json_t *groups;
    const struct discovery_root *before; /* what is kept of servers that do not answer */
    size_t resources, versions;
    int failed; /* 0, KARTA_ERR_NOMEM or KARTA_ERR_LIMIT */
};

/* Adds what was known of it before, if it was. */
bool discovery_keep_version(struct discovery_making *making, const char *group,
                            const char *version);
/* Reads an APIGroupDiscoveryList. False where `body` is none. */
bool discovery_read_aggregated(struct discovery_making *making, const json_t *body);
/* Reads the APIResourceList of one version. False where `body` is none. */
bool discovery_read_resources(struct discovery_making *making, const char *group,
                              const char *version, const json_t *body);

#endif
