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
};

void holder_init(struct holder *holder);
void holder_dispose(struct holder *holder);

/* A new reference, or NULL where nothing is loaded. */
struct karta_snapshot *holder_take(struct holder *holder);
/* Takes `snapshot` over; the one before lives on in the requests that have it. */
void holder_put(struct holder *holder, struct karta_snapshot *snapshot);

static inline void holder_give_back(struct karta_snapshot **snapshot)
{
    karta_snapshot_unref(*snapshot);
}
#define HOLDER_AUTO_SNAPSHOT __attribute__((cleanup(holder_give_back))) struct karta_snapshot *

#endif
