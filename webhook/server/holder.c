/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer and its mutex; what is held under the lock is only the count's step. */
#include "holder.h"

void holder_init(struct holder *holder)
{
    pthread_mutex_init(&holder->lock, NULL);
    pthread_mutex_init(&holder->list_lock, NULL);
    holder->snapshot = NULL;
    holder->list = NULL;
}

void holder_dispose(struct holder *holder)
{
    karta_snapshot_unref(holder->snapshot);
    json_decref(holder->list);
    pthread_mutex_destroy(&holder->lock);
    pthread_mutex_destroy(&holder->list_lock);
}

struct karta_snapshot *holder_take(struct holder *holder)
{
    pthread_mutex_lock(&holder->lock);
    struct karta_snapshot *snapshot = holder->snapshot;
    if (snapshot != NULL)
        karta_snapshot_ref(snapshot);
    pthread_mutex_unlock(&holder->lock);
    return snapshot;
}

const json_t *holder_lock_list(struct holder *holder)
{
    pthread_mutex_lock(&holder->list_lock);
    return holder->list;
}

void holder_unlock_list(struct holder *holder)
{
    pthread_mutex_unlock(&holder->list_lock);
}

void holder_put(struct holder *holder, struct karta_snapshot *snapshot, json_t *list)
{
    pthread_mutex_lock(&holder->lock);
    struct karta_snapshot *before = holder->snapshot;
    holder->snapshot = snapshot;
    pthread_mutex_unlock(&holder->lock);
    karta_snapshot_unref(before); /* may free much: not under the lock */
    pthread_mutex_lock(&holder->list_lock);
    json_decref(holder->list);
    holder->list = list;
    pthread_mutex_unlock(&holder->list_lock);
}
