/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as they come, cut into lines. Holds at most one line that is not yet whole. One thread. */
#ifndef KARTA_CLUSTER_KUBE_LINES_H
#define KARTA_CLUSTER_KUBE_LINES_H

#include "kube_client.h"

struct kube_lines {
    const struct kube_watcher *watcher;
    struct strbuf part; /* the line that has no end yet */
    size_t most;
};

void kube_lines_init(struct kube_lines *lines, const struct kube_watcher *watcher, size_t most);
void kube_lines_dispose(struct kube_lines *lines);
/* Tells of every line that ends in these bytes; empty ones are left out. False once the watcher
 * said so, or where memory is out. */
bool kube_lines_add(struct kube_lines *lines, const char *bytes, size_t size);

#endif
