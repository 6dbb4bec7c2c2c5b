/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded set of label values, each with an index for life. Adding locks; finding what is there
 * does not. Values beyond the room are counted together under "other", the entry 0. Any thread.
 */
#ifndef KARTA_METRICS_LABELS_H
#define KARTA_METRICS_LABELS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* kinds of loaded definitions, or profiles: tens in real life */
#define LIMIT_LABELS 256

struct labels {
    pthread_mutex_t lock;
    atomic_size_t count;
    char *values[LIMIT_LABELS]; /* written before count says that they are there */
};

/* 0; -1 where memory is out. */
int labels_init(struct labels *labels);
void labels_dispose(struct labels *labels);

size_t labels_index(struct labels *labels, const char *value);

/* The same, quick where the value stands next to the one at index `before`, as in a sorted list. */
size_t labels_index_after(struct labels *labels, size_t before, const char *value);

#endif
