/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running server: everything that main puts together, from flags to listening sockets and
 * back. Started whole or not at all.
 */
#ifndef KARTA_WEBHOOK_HOST_H
#define KARTA_WEBHOOK_HOST_H

#include "options.h"

struct host; /* opaque */

/*
 * Starts with `options`, which must outlive the host. The error is one sentence for the user; no
 * thread and no socket is left then. Call it with the signals blocked that main waits for.
 */
int host_start(const struct options *options, struct host **host, struct karta_error *err);

/* Reads definitions and certificates again, soon, on another thread. What is broken is logged, and
 * what was in force before stays. */
void host_reload(struct host *host);

/* Not ready from now on; goes on answering for --drain seconds, lets every connection end, and
 * frees everything. */
void host_stop(struct host *host);

#endif
