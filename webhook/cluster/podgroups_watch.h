/* SPDX-License-Identifier: Apache-2.0 */
/* The life of one followed resource. The worker's alone. */
#ifndef KARTA_CLUSTER_PODGROUPS_WATCH_H
#define KARTA_CLUSTER_PODGROUPS_WATCH_H

#include "podgroups_internal.h"

/* Borrowed, and marked as wanted; NULL, and said: it cannot be followed. Texts are copied. */
struct watch *watch_find_or_start(struct podgroups *groups, enum watch_what what,
                                  const struct kube_resource *resource, const char *kind);
/* Ends those that are not marked. */
void watch_end_unwanted(struct podgroups *groups);
/* Asks all to end; does not wait. Any thread. */
void watch_stop_all(struct podgroups *groups);
void watch_end_all(struct podgroups *groups);

#endif
