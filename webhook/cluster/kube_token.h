/* SPDX-License-Identifier: Apache-2.0 */
/* The bearer token. It is read for each request, so that a rotated one is used at once; while its
 * file is missing, empty or broken (it is being rotated) the last good one stays. One thread. */
#ifndef KARTA_CLUSTER_KUBE_TOKEN_H
#define KARTA_CLUSTER_KUBE_TOKEN_H

#include <stdbool.h>

#include "karta/error.h"

struct kube_token {
    char *text; /* NULL: none yet */
};

/* Reads the file again; *changed (may be NULL): it is another one now. An error only where no token
 * was ever read; it never quotes what the file holds. */
int kube_token_read(struct kube_token *token, const char *file, bool *changed,
                    struct karta_error *err);
void kube_token_dispose(struct kube_token *token);

#endif
