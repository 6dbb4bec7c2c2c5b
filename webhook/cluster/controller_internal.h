/* SPDX-License-Identifier: Apache-2.0 */
/* What the controller's duties share. */
#ifndef KARTA_CLUSTER_CONTROLLER_INTERNAL_H
#define KARTA_CLUSTER_CONTROLLER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "controller.h"
#include "discovery.h"
#include "lease.h"

/* Something that goes wrong again and again is said when it begins, when it changes, and when it
 * is over. */
struct trouble {
    const char *what; /* "webhook configurations not written" */
    char text[512];   /* "" while all is well */
};

struct controller {
    const struct cluster_config *config;
    struct live *live;
    struct kube_client *client;
    struct lease *lease;
    struct discovery *discovery;
    struct serving *serving; /* NULL: certificates come from elsewhere */
    pthread_t thread;
    bool started, leading;
    _Atomic int64_t leads_until_ms; /* for others who write; 0: another replica leads */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping, woken;
    int64_t kept_ms;                         /* when the Lease was last looked at */
    bool kept;                               /* and that went well */
    bool changed;                            /* since it was last written */
    int64_t discovered_ms;                   /* when the cluster was last asked for its kinds */
    int64_t serve_ms, discover_ms, write_ms; /* when it is due again whatever happens */
    json_t *written[2];   /* configurations as written last: mutating, validating; NULL: none yet */
    char versions[2][64]; /* what the API server made of them */
    struct trouble lease_trouble, discovery_trouble, configuration_trouble, status_trouble,
        serving_trouble;
};

/* Whether we may write, with time for one write; renews the Lease where that is due. */
bool controller_leads(struct controller *controller);

/* Says what there is to say of `err` (NULL: it went well). */
void controller_tell(struct controller *controller, struct trouble *trouble,
                     const struct karta_error *err);

/* The two configurations as they must be now; `again`: also where they are what we wrote last,
 * since somebody may have changed them. */
int controller_configure(struct controller *controller, const struct karta_snapshot *snapshot,
                         bool again, struct karta_error *err);
/* The status of each Karta that does not show it yet. */
int controller_report(struct controller *controller, const struct karta_snapshot *snapshot,
                      struct karta_error *err);

#endif
