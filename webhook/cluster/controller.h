/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What we write to the cluster: statuses of Kartas and the two webhook configurations, by one
 * replica at a time. A thread and a connection of its own. Everything that it writes says what is
 * so now, whoever wrote last: a write that comes late, or twice, does no harm.
 */
#ifndef KARTA_CLUSTER_CONTROLLER_H
#define KARTA_CLUSTER_CONTROLLER_H

#include "cluster.h"

struct controller; /* opaque */

/* `config` and `live` are borrowed for its life. KARTA_ERR_NOMEM, KARTA_ERR_IO. */
int controller_start(const struct cluster_config *config, struct live *live,
                     struct controller **controller, struct karta_error *err);
/* Something may have to be written now. Any thread, until controller_free. */
void controller_wake(struct controller *controller);
/* Whether one write may begin now, as far as the Lease goes. For others who write, any thread. */
bool controller_may_write(const struct controller *controller);
/* Asks it to end, does not wait. NULL is allowed, here and below. */
void controller_stop(struct controller *controller);
/* Waits for its end, gives the Lease back, frees. */
void controller_free(struct controller *controller);

#endif
