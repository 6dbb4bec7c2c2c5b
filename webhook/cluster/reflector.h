/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One resource of the cluster, followed for ever: listed in pages, then watched from where the list
 * was taken; listed again where the watch can no longer be continued (410, or a gap). A thread and
 * a connection of its own; the handler runs in that thread alone, so it needs no lock against
 * itself. The protocol:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
#ifndef KARTA_CLUSTER_REFLECTOR_H
#define KARTA_CLUSTER_REFLECTOR_H

#include "kube_client.h"
#include "log.h"
#include "metrics.h"

/*
 * What is told, in order: begin, present..., end for each list; changed and gone in between lists.
 * After `end`, what was not `present` since the last `begin` no longer exists. A list that fails in
 * the middle is begun again: begin, present..., begin, present..., end. Every object has a
 * metadata.name and a resourceVersion; those of lists may lack apiVersion and kind, as the API
 * server gives them. Objects are borrowed.
 */
struct reflector_handler {
    void (*begin)(void *arg);
    void (*present)(void *arg, const json_t *object);
    void (*end)(void *arg);
    void (*changed)(void *arg, const json_t *object); /* ADDED, MODIFIED */
    void (*gone)(void *arg, const json_t *object);    /* DELETED: its last state */
    void *arg;
};

struct reflector_config {
    const struct kube_access *access;
    struct kube_resource resource;
    const char *label_selector; /* NULL: all */
    bool metadata_only;         /* PartialObjectMetadata instead of whole objects */
    struct reflector_handler handler;
    struct metrics *metrics;
    const struct log *log;
    /* 0 in any of these: the usual, named behind it. Tests are in a hurry. */
    int idle_ms;       /* the longest silence of a watch: KUBE_IDLE_MS. A list's page, and a watch
                          until it is accepted, may take so long too, but at most 30 s */
    int watch_seconds; /* how long the server is asked to keep one watch: 300, plus up to half */
    int page;          /* objects a page: 500 */
    int retry_ms; /* between attempts while there is no answer at all: 100, doubled up to 10 times
                     as much */
    int retry_refused_ms; /* while the server refuses (401, 403, 404, 5xx) or talks nonsense: 500,
                             doubled up to 20 times as much */
};

struct reflector; /* opaque */

/* Starts the thread; what `config` borrows outlives the reflector. KARTA_ERR_NOMEM, KARTA_ERR_IO.
 */
int reflector_start(const struct reflector_config *config, struct reflector **reflector,
                    struct karta_error *err);
/* Asks it to end; does not wait. NULL is allowed here and below. */
void reflector_stop(struct reflector *reflector);
/* Stops, waits for the thread, frees. */
void reflector_free(struct reflector *reflector);

/*
 * True once a list was taken whole; for good. A resource that the cluster does not have (404) has
 * no objects: that is a whole list too, and is asked for again slowly. Any thread, as the next.
 */
bool reflector_has_synced(const struct reflector *reflector);
/* The HTTP status of what it is refused with just now (403, say); 0: nothing, or no answer. */
int reflector_refused(const struct reflector *reflector);
/* Why it has not synced, or does not follow just now, as one sentence; "" where all is well. */
void reflector_trouble(struct reflector *reflector, char *text, size_t size);

#endif
