/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot holds the definitions and profiles that are in force together. It is filled once by
 * one thread, then shared: reference-counted and read-only, so that a request keeps the snapshot
 * that it started with while the server swaps in another.
 */
#ifndef KARTA_SNAPSHOT_H
#define KARTA_SNAPSHOT_H

#include <jansson.h>
#include <stddef.h>

#include "karta/error.h"
#include "karta/problem.h"

struct karta_snapshot;   /* opaque */
struct karta_definition; /* opaque, immutable, borrowed from its snapshot */
struct karta_profile;    /* opaque, immutable, borrowed from its snapshot */

/* New, empty, with one reference; NULL when memory is out. */
KARTA_API struct karta_snapshot *karta_snapshot_new(void);
/* Another reference. Any thread. Returns `snapshot`. */
KARTA_API struct karta_snapshot *karta_snapshot_ref(struct karta_snapshot *snapshot);
/* Gives one back; the last one frees. Any thread. NULL is allowed. */
KARTA_API void karta_snapshot_unref(struct karta_snapshot *snapshot);

/*
 * Loads every document of `bytes` (Karta, GangProfile or WorkloadPolicy; YAML or JSON). `origin`
 * names the source in lists and logs ("built-in:jobset.yaml", "cluster:my-karta" for an object of
 * the cluster). A later definition of the same group/version/kind shadows the earlier; a document
 * with a refusal is left out and listed with state "failed". `problems` (may be NULL) collects what
 * was wrong, each path with "origin: " before it where the document is not the only one. 0, or
 * KARTA_ERR_* when the bytes could not be read at all (the entry is then listed as failed too).
 * Only before the snapshot is shared.
 */
KARTA_API int karta_snapshot_load(struct karta_snapshot *snapshot, const char *bytes, size_t size,
                                  const char *origin, struct karta_problems *problems,
                                  struct karta_error *err);

/* Whether the documents of `origin` are wanted. */
typedef int karta_snapshot_wants(void *arg, const char *origin);

/*
 * Takes over documents of `other` in their order, as if they were loaded here: nothing is parsed or
 * compiled again, both snapshots share them. `wants` NULL: all of them. KARTA_ERR_NOMEM, with some
 * of them taken. Only before the snapshot is shared; `other` may be shared already.
 */
KARTA_API int karta_snapshot_adopt(struct karta_snapshot *snapshot,
                                   const struct karta_snapshot *other, karta_snapshot_wants *wants,
                                   void *arg, struct karta_error *err);

/*
 * The same for the documents of one origin, which stand together. The search begins at *from (0 at
 * first) and leaves it behind them, so that origins in their order cost one step each. How many
 * were taken, or KARTA_ERR_NOMEM.
 */
KARTA_API int karta_snapshot_adopt_origin(struct karta_snapshot *snapshot,
                                          const struct karta_snapshot *other, const char *origin,
                                          size_t *from);

/* The definition of exactly this kind in force, or NULL. */
KARTA_API const struct karta_definition *karta_snapshot_find(const struct karta_snapshot *snapshot,
                                                             const char *group, const char *version,
                                                             const char *kind);
KARTA_API const struct karta_definition *
karta_snapshot_find_for(const struct karta_snapshot *snapshot, const json_t *object);

/* The definition whose metadata.name is `name`, or NULL. */
KARTA_API const struct karta_definition *
karta_snapshot_find_name(const struct karta_snapshot *snapshot, const char *name);

/* The definitions in force, by index; NULL past the end. */
KARTA_API size_t karta_snapshot_definitions(const struct karta_snapshot *snapshot);
KARTA_API const struct karta_definition *
karta_snapshot_definition(const struct karta_snapshot *snapshot, size_t index);

/* What was wrong with the first document of `origin`; borrowed, NULL where there is no such. */
KARTA_API const struct karta_problems *
karta_snapshot_problems(const struct karta_snapshot *snapshot, const char *origin);

/* The profile of that name, or NULL. */
KARTA_API const struct karta_profile *karta_snapshot_profile(const struct karta_snapshot *snapshot,
                                                             const char *name);

/*
 * What was loaded, in load order: a new JSON array of {name, kind ("Karta" or "GangProfile"),
 * for: {group, version, kind}, origin, state: "active" | "shadowed" | "failed", problems: [..]}.
 */
KARTA_API json_t *karta_snapshot_list(const struct karta_snapshot *snapshot);

/* How many entries are in that state. */
KARTA_API size_t karta_snapshot_count(const struct karta_snapshot *snapshot, const char *state);

/* Compiles every program of every active definition now, instead of at the first request. */
KARTA_API int karta_snapshot_warm(const struct karta_snapshot *snapshot, struct karta_error *err);

/*
 * Compiles what a mutation by `definition` and the profile of that name runs, where it is not
 * compiled yet: on a busy machine that may take longer than an object is given, so it is done
 * before the object's time begins. Any thread.
 */
KARTA_API int karta_snapshot_prepare(const struct karta_snapshot *snapshot,
                                     const struct karta_definition *definition, const char *profile,
                                     struct karta_error *err);

/*
 * Validates one Karta or GangProfile document without loading it: every problem, refusals and
 * warnings, in document order. What the list holds already counts as said of the same document.
 */
KARTA_API void karta_document_validate(const json_t *document, struct karta_problems *problems);

/*
 * The same for the entry at `index` of karta_snapshot_list alone; nothing to do for one that is
 * not active. KARTA_ERR_NOT_FOUND past the end. Any thread.
 */
KARTA_API int karta_snapshot_warm_entry(const struct karta_snapshot *snapshot, size_t index,
                                        struct karta_error *err);

/* Accessors; what they return is borrowed from the snapshot. */
KARTA_API const char *karta_definition_name(const struct karta_definition *definition);
KARTA_API const char *karta_definition_group(const struct karta_definition *definition);
KARTA_API const char *karta_definition_version(const struct karta_definition *definition);
KARTA_API const char *karta_definition_kind(const struct karta_definition *definition);
KARTA_API const char *karta_definition_origin(const struct karta_definition *definition);
KARTA_API const json_t *karta_definition_document(const struct karta_definition *definition);
KARTA_API const char *karta_definition_plural(const struct karta_definition *definition);
KARTA_API int karta_definition_gangs(const struct karta_definition *definition);
/* Whether admission must see workloads of this definition when that profile is in force: its kind
 * is ganged, or the profile writes on what is no gang too. 1 or 0. */
KARTA_API int karta_profile_sees(const struct karta_profile *profile,
                                 const struct karta_definition *definition);
/* How many `objects` the profile has: what its scheduler needs beside the pods. */
KARTA_API size_t karta_profile_objects(const struct karta_profile *profile);
KARTA_API const json_t *karta_profile_document(const struct karta_profile *profile);
/* The profiles in force, by index; NULL past the end. */
KARTA_API const struct karta_profile *
karta_snapshot_profile_at(const struct karta_snapshot *snapshot, size_t index);
KARTA_API const char *karta_profile_name(const struct karta_profile *profile);
KARTA_API const char *karta_profile_origin(const struct karta_profile *profile);

#endif
