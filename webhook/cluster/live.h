/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kartas, profiles and policies as the cluster has them: fed by reflectors, put into snapshots
 * after what files say. Of two Kartas for one kind the older object wins, one that is being deleted
 * loses. An object that is broken is skipped: then what files say of its kind is in force.
 */
#ifndef KARTA_CLUSTER_LIVE_H
#define KARTA_CLUSTER_LIVE_H

#include <stdbool.h>

#include "karta/snapshot.h"
#include "log.h"
#include "reflector.h"

enum live_kind { LIVE_KARTAS, LIVE_PROFILES, LIVE_POLICIES, LIVE_KINDS };

struct live; /* opaque */

/* `log` is borrowed. `notify` is called, from any thread, when another snapshot is due. NULL: out
 * of memory. */
struct live *live_new(const struct log *log, void (*notify)(void *arg), void *arg);
void live_free(struct live *live);

/* What a reflector of that kind tells; borrowed from `live`. */
struct reflector_handler live_handler(struct live *live, enum live_kind kind);

/* Every kind was listed once: what is composed from now on is all that there is. Any thread. */
bool live_is_whole(struct live *live);

/* Something that is wrong with one object that was not in the snapshot before. */
typedef void live_report(void *arg, const char *origin, const char *problem,
                         enum karta_severity severity);

/*
 * *snapshot is new: everything of `files`, then the cluster's objects, then once more what `files`
 * has of the origin `last` (NULL: nothing). What did not change since the last call is shared with
 * its snapshot. One thread at a time. KARTA_ERR_NOMEM.
 */
int live_compose(struct live *live, const struct karta_snapshot *files, const char *last,
                 live_report *report, void *arg, struct karta_snapshot **snapshot,
                 struct karta_error *err);

/* Adds `version` (the resourceVersion with which its content came) to the list's entries of the
 * cluster. Any thread. */
void live_describe(struct live *live, json_t *list);

/* The Kartas whose status may have to be written: a new array of what counts for it, in its place:
 * metadata's name and generation, the root component's kind, the conditions that we write. Only
 * those that are in `snapshot` as they are now: of the others, what it knows is about what they
 * were before. NULL: out of memory. Any thread. */
json_t *live_kartas(struct live *live, const struct karta_snapshot *snapshot);

/* What origins of the cluster's objects begin with: "cluster:NAME" of a Karta, of others
 * "cluster:gangprofiles/NAME" and "cluster:workloadpolicies/NAME". */
#define LIVE_ORIGIN "cluster:"

/* What is kept at most, objects and bytes of all kinds together: etcd itself suffers before. What
 * comes beyond is not taken, and said once. */
#define LIVE_OBJECTS 5000U
#define LIVE_BYTES (64U << 20)
#define LIVE_OBJECT_BYTES (4U << 20)

#endif
