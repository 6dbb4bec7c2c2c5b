/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Lease of coordination.k8s.io/v1: of several replicas one acts. As client-go's leader election:
 * another's lease counts as live until its record has not changed for its leaseDurationSeconds *on
 * our own monotonic clock*, so clocks need not agree and may jump; every write carries the
 * resourceVersion it is based on. No thread: the owner calls lease_keep every LEASE_RETRY_MS.
 */
#ifndef KARTA_CLUSTER_LEASE_H
#define KARTA_CLUSTER_LEASE_H

#include <stdint.h>

#include "kube_client.h"

#define LEASE_DURATION_SECONDS 15
#define LEASE_RENEW_MS 10000 /* who could not renew for so long acts no more */
#define LEASE_RETRY_MS 2000
#define LEASE_REQUEST_MS 3000 /* each of our own requests */

struct lease; /* opaque */

/* Texts are copied. `identity` is unique a process ("pod-name_uid"). KARTA_ERR_NOMEM. */
int lease_new(const char *ns, const char *name, const char *identity, struct lease **lease,
              struct karta_error *err);
void lease_free(struct lease *lease);

/* Takes or renews where that is possible. 0 also where another holds it; an error says why the
 * lease could not even be looked at. */
int lease_keep(struct lease *lease, struct kube_client *client, struct karta_error *err);
/* Whether we may begin something at this moment that takes at most `ms`: ask before each write,
 * with the write's timeout. False where we have not renewed for LEASE_RENEW_MS, or where others
 * might take the lease before it is done. Falls by itself. Monotonic clock. */
bool lease_holds(const struct lease *lease, int ms);
/* When lease_holds(lease, ms) falls by itself, in karta_engine_now_ms' time; 0: it does not hold.
 */
int64_t lease_until(const struct lease *lease, int ms);
/* The holder as last read, "" where there is none. Borrowed until the next lease_keep. */
const char *lease_holder(const struct lease *lease);
/* Gives it back at the end, so that another need not wait for it to run out. Before `client` is
 * stopped; where it fails, the lease runs out. */
void lease_release(struct lease *lease, struct kube_client *client);

#endif
