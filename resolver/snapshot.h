/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot from the inside: lists in load order. */
#ifndef KARTA_SNAPSHOT_INTERNAL_H
#define KARTA_SNAPSHOT_INTERNAL_H

#include <stdatomic.h>

#include "definition.h"
#include "karta/snapshot.h"
#include "policy.h"
#include "profile.h"

/* One loaded document, good or bad. */
struct snapshot_entry {
    char *name, *origin;
    const char *kind;                    /* static: "Karta", "GangProfile" or "WorkloadPolicy" */
    struct karta_definition *definition; /* owned; NULL for a profile or a failed one */
    struct karta_profile *profile;       /* owned; likewise */
    struct karta_policy *policy;         /* owned; likewise */
    struct karta_problems *problems;
    bool shadowed;
};

struct karta_snapshot {
    atomic_size_t references;
    struct snapshot_entry *entries;
    size_t entry_count, entry_room;
    struct karta_definition **definitions; /* in force; borrowed from entries */
    size_t definition_count;
    struct karta_profile **profiles; /* in force; borrowed from entries */
    size_t profile_count;
    struct karta_policy **policies; /* in force, in byte order of names; borrowed from entries */
    size_t policy_count;
};

#endif
