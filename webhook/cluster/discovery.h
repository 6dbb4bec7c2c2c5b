/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resources the cluster has: GET /apis and /api in the aggregated form (apidiscovery.k8s.io
 * v2, Kubernetes 1.30; v2beta1, 1.27), or on older servers a request for each group and version
 * that is asked for. A group whose server does not answer (stale) keeps what was known of it.
 * One thread at a time.
 */
#ifndef KARTA_CLUSTER_DISCOVERY_H
#define KARTA_CLUSTER_DISCOVERY_H

#include "kube_client.h"

struct discovery; /* opaque */

/* KARTA_ERR_NOMEM. */
int discovery_new(struct discovery **discovery, struct karta_error *err);
void discovery_free(struct discovery *discovery);

/*
 * Asks again; `wanted` (may be NULL) are the group/versions that older servers are asked for, as
 * resources whose plural is not looked at. On an error what was known before stays.
 */
int discovery_refresh(struct discovery *discovery, struct kube_client *client,
                      const struct kube_resource *wanted, size_t wanted_count,
                      struct karta_error *err);
/* False until a refresh went well. */
bool discovery_is_known(const struct discovery *discovery);
/* The plural of a kind that the cluster serves, namespaced or not; NULL: it does not. Borrowed
 * until the next refresh. *namespaced may be NULL. */
const char *discovery_plural(const struct discovery *discovery, const char *group,
                             const char *version, const char *kind, bool *namespaced);
/* The version of group/kind at `index` that the cluster serves, preferred first; NULL past the end.
 */
const char *discovery_version(const struct discovery *discovery, const char *group,
                              const char *kind, size_t index);

#endif
