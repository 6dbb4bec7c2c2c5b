/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot from the inside: lists in load order. */
#ifndef KARTA_SNAPSHOT_INTERNAL_H
#define KARTA_SNAPSHOT_INTERNAL_H

#include <stdatomic.h>

#include "definition.h"
#include "karta/snapshot.h"
#include "policy.h"
#include "profile.h"

/* One loaded document, good or bad. Immutable, and shared by every snapshot that adopted it. */
struct snapshot_document {
    atomic_size_t references;
    char *name, *origin;
    const char *kind;                    /* static: "Karta", "GangProfile" or "WorkloadPolicy" */
    struct karta_definition *definition; /* owned; NULL for a profile or a failed one */
    struct karta_profile *profile;       /* owned; likewise */
    struct karta_policy *policy;         /* owned; likewise */
    struct karta_problems *problems;
};

struct snapshot_entry {
    struct snapshot_document *document;
    bool shadowed;
};

struct karta_snapshot {
    atomic_size_t references;
    struct snapshot_entry *entries;
    size_t entry_count, entry_room;
    struct karta_definition **definitions; /* in force; borrowed from entries */
    size_t definition_count;
    size_t *slots; /* by the hash of group, version and kind: 1 + index in definitions, 0: free */
    size_t slot_count;               /* a power of two, at least twice the definitions */
    struct karta_profile **profiles; /* in force; borrowed from entries */
    size_t profile_count;
    struct karta_policy **policies; /* in force, in byte order of names; borrowed from entries */
    size_t policy_count;
};

/* Where a definition of that kind is, or belongs: its slot. There is always a free one. */
size_t *snapshot_slot(const struct karta_snapshot *snapshot, const char *group, const char *version,
                      const char *kind);

#endif
