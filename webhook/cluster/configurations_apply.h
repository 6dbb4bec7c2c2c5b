/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a webhook configuration with server-side apply
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/), so that who changes a
 * selector keeps it: AKS and others exempt their own namespaces so. One thread at a time.
 */
#ifndef KARTA_CLUSTER_CONFIGURATIONS_APPLY_H
#define KARTA_CLUSTER_CONFIGURATIONS_APPLY_H

#include "kube_client.h"

#define CONFIGURATIONS_MANAGER "karta-webhook"

/* What was done, for the log. */
struct configurations_applied {
    size_t selectors_left; /* selectors that somebody else manages, left as they are */
    bool forced;           /* somebody else's values in other fields were overwritten */
    bool mended;           /* a webhook of an earlier time was taken out by hand */
    bool deleted;          /* it had no webhook left */
    char version[64];      /* the resourceVersion that it has now; "" where it is not there */
};

/*
 * Makes the cluster's configuration what `configuration` (from configurations_mutating or
 * configurations_validating) says. Where somebody else manages other values: selectors are left to
 * them, the rest is taken back. One without webhooks is deleted, where the label managed-by says
 * that it is ours. To apply again what is there already changes nothing. *applied is always filled;
 * the error is kube_client_ask's, or KARTA_ERR_CONFLICT where others write faster than we do.
 */
int configurations_apply(struct kube_client *client, const json_t *configuration,
                         struct configurations_applied *applied, struct karta_error *err);

#endif
