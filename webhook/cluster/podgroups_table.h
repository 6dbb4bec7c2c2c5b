/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of things that begin with a struct table_entry, each known by 64 bits of SHA-256
 * over what names it: tens of thousands of objects are told apart without keeping their names.
 * Nothing locks.
 */
#ifndef KARTA_CLUSTER_PODGROUPS_TABLE_H
#define KARTA_CLUSTER_PODGROUPS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_entry {
    uint64_t id;
    struct table_entry *next;
};

struct table {
    struct table_entry **buckets; /* NULL: empty */
    size_t room, count;
};

/* Takes `entry`, whose id is not there yet. False: memory is out, and it was not taken. */
bool table_add(struct table *table, struct table_entry *entry);
/* Borrowed; NULL: not there. */
struct table_entry *table_find(const struct table *table, uint64_t id);
/* Given back to the caller; NULL: not there. */
struct table_entry *table_remove(struct table *table, uint64_t id);
/* Calls `keep` for each, in no order; it frees what it returns false for, and that is no longer
 * there. `keep` neither adds to nor removes from this table. */
void table_each(struct table *table, bool (*keep)(void *arg, struct table_entry *entry), void *arg);
/* Frees the table alone, not what is in it. */
void table_dispose(struct table *table);

#endif
