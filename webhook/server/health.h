/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics port: /healthz, /readyz, /metrics, /version, /debug/definitions over plain HTTP, on a
 * thread of its own, so that it answers while admission is busy.
 */
#ifndef KARTA_SERVER_HEALTH_H
#define KARTA_SERVER_HEALTH_H

#include <stdatomic.h>

#include "holder.h"
#include "log.h"
#include "metrics.h"
#include "workers.h"

/* Why the server is not ready. Static texts only; NULL: it is. */
typedef _Atomic(const char *) health_reason;

struct health_config {
    int listen_fd; /* taken */
    struct holder *holder;
    struct metrics *metrics;
    struct workers *workers;
    health_reason *not_ready;
    /* One more reason, written to `text`; false where there is none. Any thread. */
    bool (*waits)(void *arg, char *text, size_t room);
    void *waits_arg;
    const struct log *log;
};

struct health; /* opaque */

/* KARTA_ERR_IO, KARTA_ERR_NOMEM; the descriptor is closed then too. */
int health_start(const struct health_config *config, struct health **health,
                 struct karta_error *err);
/* NULL is allowed. */
void health_stop(struct health *health);

#endif
