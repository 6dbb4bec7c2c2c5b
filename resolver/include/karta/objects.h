/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that a gang scheduler needs beside the pods: what a profile's `objects` give for each
 * pod group of a ganged workload. Rules: docs/gangs.md.
 */
#ifndef KARTA_OBJECTS_H
#define KARTA_OBJECTS_H

#include <jansson.h>
#include <stdint.h>

#include "karta/error.h"
#include "karta/snapshot.h"

/* One group of those that only their pods name. */
struct karta_replica {
    const char *group; /* the Karta's name for it */
    const char *key;   /* karta_pod_gang's */
};

struct karta_object_options {
    const char *ns;            /* where the object names no namespace; NULL: default */
    const char *default_queue; /* NULL: none */
    int64_t deadline_ms;       /* a time of karta_engine_now_ms; 0: none */
    /* Groups per replica whose objects are wanted too; what the workload's definition does not
     * have is passed over. */
    const struct karta_replica *replicas;
    size_t replica_count;
};

struct karta_objects {
    json_t *objects;     /* array of them, group by group; never NULL after success */
    json_t *per_replica; /* array of {group, count}: groups that only their pods name; count null
                            where it isn't known */
};

/* Frees what `objects` holds and clears it. */
KARTA_API void karta_objects_dispose(struct karta_objects *objects);

/*
 * Of a ganged workload: names, nonce and profile come from its annotation, minimums and pods from
 * the object as it is now. *objects is the caller's to dispose, also after an error.
 * KARTA_ERR_NOT_FOUND: it isn't ganged, or its definition or profile isn't loaded;
 * KARTA_ERR_EXPRESSION: an expression of `objects` fails, or gives no object with apiVersion, kind
 * and name; KARTA_ERR_CONFLICT: its groups can't be planned any more; KARTA_ERR_TIMEOUT,
 * KARTA_ERR_LIMIT, KARTA_ERR_NOMEM. Any thread.
 */
KARTA_API int karta_group_objects(const struct karta_snapshot *snapshot, const json_t *object,
                                  const struct karta_object_options *options,
                                  struct karta_objects *objects, struct karta_error *err);

/*
 * Of a pod whose group is one per replica, when its own labels name the group: what its template's
 * annotation says, and the pod, are all that is read. The workload's metadata are then its
 * namespace and name alone. Errors as above; KARTA_ERR_NOT_FOUND too while a label isn't there.
 */
KARTA_API int karta_pod_objects(const struct karta_snapshot *snapshot, const json_t *pod,
                                const struct karta_object_options *options,
                                struct karta_objects *objects, struct karta_error *err);

/* What a ganged workload remembers; all but `memory` is borrowed from it. */
struct karta_gang {
    json_t *memory; /* new */
    const char *profile, *nonce;
    const json_t *groups; /* array of {name, ...}; groups per replica have no name */
};

/*
 * 1 where `object` (of which only kind and metadata are read) is ganged; 0 where it isn't, or where
 * its annotation was written for another object. *gang is the caller's to dispose either way. Any
 * thread, as the next.
 */
KARTA_API int karta_gang_read(const json_t *object, const char *ns, struct karta_gang *gang);
KARTA_API void karta_gang_dispose(struct karta_gang *gang);

/* Which group per replica a pod is of; all but `memory`, `key` and `name` is borrowed from memory.
 */
struct karta_pod_gang {
    json_t *memory; /* new */
    const char *owner_group, *owner_kind, *nonce;
    const char *group; /* as karta_replica */
    char *key;         /* new, likewise */
    char name[64];     /* of the pod group */
};

/* 1 where the pod (its metadata) is of such a group and names it; 0 otherwise. */
KARTA_API int karta_pod_gang_read(const json_t *pod, const char *ns, struct karta_pod_gang *gang);
KARTA_API void karta_pod_gang_dispose(struct karta_pod_gang *gang);

#endif
