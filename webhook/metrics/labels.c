/* SPDX-License-Identifier: Apache-2.0 */
/* Append-only: an index never changes its value, so readers need no lock. */
#include "labels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int labels_init(struct labels *labels)
{
    pthread_mutex_init(&labels->lock, NULL);
    atomic_init(&labels->count, 1);
    labels->values[0] = strdup("other");
    return labels->values[0] != NULL ? 0 : -1;
}

void labels_dispose(struct labels *labels)
{
    for (size_t i = 0; i < atomic_load(&labels->count); i++)
        free(labels->values[i]);
    pthread_mutex_destroy(&labels->lock);
}

static size_t find(const struct labels *labels, const char *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(labels->values[i], value) == 0)
            return i;
    return count;
}

size_t labels_index(struct labels *labels, const char *value)
{
    size_t count = atomic_load_explicit(&labels->count, memory_order_acquire);
    size_t index = find(labels, value, count);
    if (index < count)
        return index;
    pthread_mutex_lock(&labels->lock);
    count = atomic_load(&labels->count);
    index = find(labels, value, count);
    if (index == count) {
        char *copy = count < LIMIT_LABELS ? strdup(value) : NULL;
        if (copy != NULL) {
            labels->values[index] = copy;
            atomic_store_explicit(&labels->count, count + 1, memory_order_release);
        } else {
            index = 0;
        }
    }
    pthread_mutex_unlock(&labels->lock);
    return index;
}

size_t labels_index_after(struct labels *labels, size_t before, const char *value)
{
    size_t next = before + 1;
    bool known = next < atomic_load_explicit(&labels->count, memory_order_acquire);
    return known && strcmp(labels->values[next], value) == 0 ? next : labels_index(labels, value);
}
