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

struct karta_object_options {
    const char *ns;            /* where the object names no namespace; NULL: default */
    const char *default_queue; /* NULL: none */
    int64_t deadline_ms;       /* a time of karta_engine_now_ms; 0: none */
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

#endif
