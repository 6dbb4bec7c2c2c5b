/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTPS listener of the admission endpoints, on libmicrohttpd's thread pool. Requests are
 * answered on the thread that read them: nothing on this path may wait. Which of libmicrohttpd's
 * habits shaped this: docs/architecture.md, "The server".
 */
#ifndef KARTA_SERVER_H
#define KARTA_SERVER_H

#include <stdbool.h>

#include "admission.h"
#include "client_ca.h"
#include "holder.h"
#include "log.h"
#include "metrics.h"
#include "workers.h"

struct server_config {
    int listen_fd; /* taken */
    unsigned threads;
    struct client_ca *client_ca; /* NULL: callers need no certificate */
    const struct admission_config *admission;
    struct holder *holder;
    struct metrics *metrics;
    struct workers *workers;
    const struct log *log;
};

struct server; /* opaque */

/* Accepts when this returns 0. What `config` points to must outlive the server; the TLS pair is
 * the store's. KARTA_ERR_IO, KARTA_ERR_NOMEM; the descriptor is closed then too. */
int server_start(const struct server_config *config, struct server **server,
                 struct karta_error *err);

/* From now on every answer says Connection: close. */
void server_close_gently(struct server *server);

/*
 * Stops accepting, waits until no connection is left (at most `wait_ms`; idle ones are closed
 * after a second), and frees everything.
 */
void server_stop(struct server *server, int wait_ms);

#endif
