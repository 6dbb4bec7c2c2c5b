/* SPDX-License-Identifier: Apache-2.0 */
/* What starting, answering and stopping share. */
#ifndef KARTA_SERVER_INTERNAL_H
#define KARTA_SERVER_INTERNAL_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "connections.h"
#include "daemon_log.h"
#include "periodic.h"
#include "server.h"

struct server {
    struct server_config config;
    struct MHD_Daemon *daemon;
    struct daemon_ear ear;
    struct connections *connections;
    struct periodic reaper;
    atomic_bool closing;
    atomic_size_t body_bytes; /* of all bodies that are being received */
};

/* libmicrohttpd's three calls for each request; `server` is their closure. */
void *server_on_uri(void *server, const char *uri, struct MHD_Connection *connection);
enum MHD_Result server_on_access(void *server, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *size, void **context);
void server_on_completed(void *server, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode how);

#endif
