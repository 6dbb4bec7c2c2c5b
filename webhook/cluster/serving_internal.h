/* SPDX-License-Identifier: Apache-2.0 */
/* The Secret as an object, for who decides about it. */
#ifndef KARTA_CLUSTER_SERVING_INTERNAL_H
#define KARTA_CLUSTER_SERVING_INTERNAL_H

#include "certs_shared.h"
#include "serving.h"

struct serving {
    struct serving_config config;
    int trust_ms;
    struct certs_shared shared; /* what is in force; its texts NULL: nothing yet */
    int64_t told_ms;            /* when callers had the present bundle; 0: not yet */
};

#define AUTO_SHARED __attribute__((cleanup(certs_shared_dispose))) struct certs_shared

/* Copies every text; `to` is empty before. KARTA_ERR_NOMEM. */
int serving_copy(const struct certs_shared *from, struct certs_shared *to, struct karta_error *err);

/* *object is new, `read` gets what its data holds, the bundle never without the CA itself.
 * kube_client_ask's errors; KARTA_ERR_SCHEMA where something is no base64. */
int secret_read(const struct serving_config *config, struct kube_client *client, json_t **object,
                struct certs_shared *read, struct karta_error *err);
int secret_create(const struct serving_config *config, struct kube_client *client,
                  const struct certs_shared *shared, struct karta_error *err);
/* Based on the version of `object`, whose other data stay. */
int secret_update(const struct serving_config *config, struct kube_client *client, json_t *object,
                  const struct certs_shared *shared, struct karta_error *err);

#endif
