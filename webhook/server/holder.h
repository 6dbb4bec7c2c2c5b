/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The snapshot in force. A request takes a reference and keeps it to its end; a reload puts the
 * next one in whole. Any thread.
 */
#ifndef KARTA_SERVER_HOLDER_H
#define KARTA_SERVER_HOLDER_H

#include <pthread.h>

#include "karta/snapshot.h"

struct holder {
    pthread_mutex_t lock;
    struct karta_snapshot *snapshot; /* NULL: nothing is loaded */
    pthread_mutex_t list_lock;
    json_t *list; /* what is in it, for /debug/definitions; may be NULL */
};

void holder_init(struct holder *holder);
void holder_dispose(struct holder *holder);

/* A new reference, or NULL where nothing is loaded. */
struct karta_snapshot *holder_take(struct holder *holder);
/* Takes `snapshot` and its `list` (not changed from now on; may be NULL) over; the ones before live
 * on in the requests that have them. */
void holder_put(struct holder *holder, struct karta_snapshot *snapshot, json_t *list);
/*
 * The list (NULL where there is none), to be read until holder_unlock_list. Only the next
 * holder_put waits for that, no request. It is lent and not shared by reference, because jansson
 * counts references without the order that freeing on another thread needs.
 */
const json_t *holder_lock_list(struct holder *holder);
void holder_unlock_list(struct holder *holder);

static inline void holder_give_back(struct karta_snapshot **snapshot)
{
    karta_snapshot_unref(*snapshot);
}
#define HOLDER_AUTO_SNAPSHOT __attribute__((cleanup(holder_give_back))) struct karta_snapshot *

#endif
