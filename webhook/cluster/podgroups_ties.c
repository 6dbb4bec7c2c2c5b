/* SPDX-License-Identifier: Apache-2.0 */
/* What ties workloads, pods and made objects together, whichever is told of first; and what is the
 * same for every list. */
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "podgroups_internal.h"

uint64_t groups_id(uint64_t kind, const char *ns, const char *name)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)kind);
    const char *parts[] = {text, ns, name};
    return hash_u64(parts, 3);
}

static void *find_or_make(struct table *table, uint64_t id, size_t size)
{
    struct table_entry *entry = table_find(table, id);
    if (entry != NULL)
        return entry;
    entry = calloc(1, size);
    if (entry == NULL)
        return NULL;
    entry->id = id;
    if (table_add(table, entry))
        return entry;
    free(entry);
    return NULL;
}

struct brood *groups_brood(struct podgroups *groups, const char *uid)
{
    return find_or_make(&groups->broods, hash_u64(&uid, 1), sizeof(struct brood));
}

struct crowd *groups_crowd(struct podgroups *groups, uint64_t kind, const char *ns,
                           const char *nonce)
{
    return find_or_make(&groups->crowds, groups_id(kind, ns, nonce), sizeof(struct crowd));
}

void groups_drop_brood(struct podgroups *groups, struct brood *brood)
{
    if (brood != NULL && brood->workload == NULL && brood->made == NULL)
        free(table_remove(&groups->broods, brood->entry.id));
}

void groups_drop_crowd(struct podgroups *groups, struct crowd *crowd)
{
    if (crowd != NULL && crowd->workload == NULL && crowd->replicas == NULL)
        free(table_remove(&groups->crowds, crowd->entry.id));
}

void groups_stir(struct podgroups *groups, struct workload *workload)
{
    if (workload == NULL)
        return;
    workload->done = 0;
    queue_put(groups, workload, QUEUE_READY, 0);
}

bool groups_has_room(struct podgroups *groups, const struct table *table, size_t most)
{
    if (table->count < most)
        return true;
    if (!groups->complained)
        LOG_WRITE(groups->config.log, LOG_LEVEL_ERROR, "more objects than can be followed",
                  log_count("most", (int64_t)most));
    groups->complained = true;
    return false;
}

void groups_begin(struct watch *watch)
{
    pthread_mutex_lock(&watch->groups->lock);
    watch->round++;
    watch->listing = true;
    pthread_mutex_unlock(&watch->groups->lock);
}

/* Whoever waits for a list goes on. */
void groups_end(struct watch *watch)
{
    struct podgroups *groups = watch->groups;
    watch->listing = false;
    watch->listed = true;
    queue_unblock(groups);
    groups->woken = true;
    pthread_cond_signal(&groups->wake);
}
