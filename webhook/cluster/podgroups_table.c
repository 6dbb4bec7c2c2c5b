/* SPDX-License-Identifier: Apache-2.0 */
/* Chains in as many buckets as there are entries, or more. */
#include "podgroups_table.h"

#include <stdlib.h>

#include "base/mem.h"

#define ROOM 64 /* at first; always a power of two */

static struct table_entry **bucket(const struct table *table, uint64_t id)
{
    return &table->buckets[id & (table->room - 1)];
}

static void grow(struct table *table)
{
    struct table old = *table;
    struct table grown = {.room = old.room > 0 ? 2 * old.room : ROOM, .count = old.count};
    grown.buckets = mem_array(grown.room, sizeof(struct table_entry *));
    if (grown.buckets == NULL)
        return;
    for (size_t i = 0; i < old.room; i++)
        for (struct table_entry *entry = old.buckets[i], *next; entry != NULL; entry = next) {
            struct table_entry **place = bucket(&grown, entry->id);
            next = entry->next;
            entry->next = *place;
            *place = entry;
        }
    free(old.buckets);
    *table = grown;
}

bool table_add(struct table *table, struct table_entry *entry)
{
    if (table->count >= table->room)
        grow(table); /* where it can't, chains get longer */
    if (table->buckets == NULL)
        return false;
    struct table_entry **place = bucket(table, entry->id);
    entry->next = *place;
    *place = entry;
    table->count++;
    return true;
}

struct table_entry *table_find(const struct table *table, uint64_t id)
{
    struct table_entry *entry = table->buckets != NULL ? *bucket(table, id) : NULL;
    while (entry != NULL && entry->id != id)
        entry = entry->next;
    return entry;
}

struct table_entry *table_remove(struct table *table, uint64_t id)
{
    if (table->buckets == NULL)
        return NULL;
    struct table_entry **place = bucket(table, id);
    while (*place != NULL && (*place)->id != id)
        place = &(*place)->next;
    struct table_entry *entry = *place;
    if (entry == NULL)
        return NULL;
    *place = entry->next;
    table->count--;
    return entry;
}

void table_each(struct table *table, bool (*keep)(void *arg, struct table_entry *entry), void *arg)
{
    for (size_t i = 0; i < table->room; i++) {
        struct table_entry **place = &table->buckets[i];
        while (*place != NULL) {
            struct table_entry *next = (*place)->next;
            if (keep(arg, *place)) {
                place = &(*place)->next;
                continue;
            }
            *place = next;
            table->count--;
        }
    }
}

void table_dispose(struct table *table)
{
    free(table->buckets);
    *table = (struct table){0};
}
