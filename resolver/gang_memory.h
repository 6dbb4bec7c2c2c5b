/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The annotation workloadmap.dev/gang: what was decided for a workload, kept on it. A memory, not
 * an authority: it counts only where it names its carrier, and names in it only where their hash
 * fits.
 */
#ifndef KARTA_GANG_MEMORY_H
#define KARTA_GANG_MEMORY_H

#include <jansson.h>
#include <stdbool.h>

#include "names.h"

struct gang_memory {
    json_t *json;            /* new; the whole annotation. NULL: there is none that can be read */
    struct gang_owner owner; /* borrowed from json, as all that follows */
    const char *nonce, *profile, *queue; /* queue: NULL where none was */
    const char *priority_class;          /* that a policy filled in; NULL: none did */
    const json_t *groups;                /* array; may be empty */
};

/*
 * Reads `object`'s annotation. True when it is well formed and its `for` names `object` itself in
 * namespace `ns`. Otherwise false; memory->json then still holds what was there, if it was JSON.
 */
bool gang_memory_read(const json_t *object, const char *ns, struct gang_memory *memory);
void gang_memory_dispose(struct gang_memory *memory);

/* True when metadata.managedFields says that a client submitted the annotation. */
bool gang_memory_submitted(const json_t *object);

/* True when `text` is a name that the annotation holds: of a pod group or a subgroup. */
bool gang_memory_names(const struct gang_memory *memory, const char *text);

/* Reads and writes the `for` of an annotation; what is read is borrowed, absent texts are NULL. */
struct gang_owner gang_owner_read(const json_t *carrier);
json_t *gang_owner_json(const struct gang_owner *owner);

/* True when it names somebody: a kind in a namespace, with a name or a prefix. */
bool gang_owner_whole(const struct gang_owner *owner);

/* Who `object` is, for names: borrowed from it, group and kind from its definition. */
struct gang_owner gang_owner_of(const json_t *object, const char *group, const char *kind,
                                const char *ns);

#endif
