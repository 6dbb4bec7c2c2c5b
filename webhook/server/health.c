/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics port as a listener; what its pages say is in health_pages.c. */
#include "health_internal.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "connections.h"
#include "daemon_log.h"
#include "periodic.h"

#define MOST_CONNECTIONS 16U
#define REAP_MS 250
/* ten thousand definitions with their problems */
#define LIMIT_PAGE_BYTES (64U << 20)
#define TEXT_TYPE "text/plain; charset=utf-8"

struct health {
    struct health_config config;
    struct MHD_Daemon *daemon;
    struct connections *connections;
    struct periodic reaper;
    struct daemon_ear ear;
};

static enum MHD_Result send_page(struct health *health, struct MHD_Connection *connection,
                                 size_t index)
{
    struct health_page page = {.reply = {.status = MHD_HTTP_OK, .type = TEXT_TYPE}};
    strbuf_init(&page.text, LIMIT_PAGE_BYTES);
    health_pages[index].write(&health->config, &page);
    if (strbuf_check(&page.text, NULL) != 0) {
        strbuf_dispose(&page.text);
        page.reply.status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        page.reply.type = REPLY_JSON;
        return reply_error(connection, &page.reply, "out of memory");
    }
    size_t size = page.text.size;
    return reply_send(connection, &page.reply, strbuf_take(&page.text), size);
}

static enum MHD_Result send_refusal(struct MHD_Connection *connection, bool found,
                                    const char *method, const char *path)
{
    char text[256];
    struct reply reply = {.type = REPLY_JSON, .close = true};
    if (found) {
        reply.status = MHD_HTTP_METHOD_NOT_ALLOWED;
        reply.allow = "GET, HEAD";
        snprintf(text, sizeof text, "method %.100s is not allowed here: use GET", method);
    } else {
        reply.status = MHD_HTTP_NOT_FOUND;
        snprintf(text, sizeof text,
                 "there is no %.100s, only /healthz, /readyz, /metrics, /version and "
                 "/debug/definitions",
                 path);
    }
    return reply_error(connection, &reply, text);
}

static enum MHD_Result on_access(void *arg, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *size, void **context)
{
    (void)version;
    (void)data;
    struct connection *entry = connections_entry(connection);
    static const char seen = 0; /* only its address counts: the head was seen */
    if (*context == NULL) {
        *context = (void *)&seen;
        connection_request_begins(entry);
        return MHD_YES;
    }
    if (*size > 0) {
        *size = 0; /* nobody has a body to send here; the deadline bounds how long it is read */
        return MHD_YES;
    }
    connection_body_is_whole(entry);
    size_t index = 0;
    while (index < HEALTH_PAGES && strcmp(url, health_pages[index].path) != 0)
        index++;
    bool reads =
        strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    if (index == HEALTH_PAGES || !reads)
        return send_refusal(connection, index < HEALTH_PAGES, method, url);
    return send_page(arg, connection, index);
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode how)
{
    (void)arg;
    (void)context;
    connection_request_ends(connections_entry(connection),
                            how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
}

static void reap(void *table)
{
    connections_reap(table);
}

static struct MHD_Daemon *start_daemon(struct health *health)
{
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0,
                            NULL, NULL, on_access, health, MHD_OPTION_EXTERNAL_LOGGER, daemon_log,
                            &health->ear, MHD_OPTION_LISTEN_SOCKET, health->config.listen_fd,
                            MHD_OPTION_CONNECTION_LIMIT, MOST_CONNECTIONS,
                            MHD_OPTION_NOTIFY_CONNECTION, connections_notify, health->connections,
                            MHD_OPTION_NOTIFY_COMPLETED, on_completed, health, MHD_OPTION_END);
}

static void health_free(struct health *health)
{
    periodic_stop(&health->reaper);
    connections_free(health->connections);
    free(health);
}

int health_start(const struct health_config *config, struct health **health,
                 struct karta_error *err)
{
    struct health *made = calloc(1, sizeof *made);
    int rc = made != NULL ? 0 : KARTA_ERR_NOMEM;
    if (rc == 0) {
        made->config = *config;
        made->ear.log = config->log;
        struct connection_limits limits =
            connection_limits(MOST_CONNECTIONS - MOST_CONNECTIONS / 4);
        made->connections = connections_new(&limits);
        rc = made->connections == NULL ? KARTA_ERR_NOMEM
                                       : periodic_start(&made->reaper, "karta-reaper-m", REAP_MS,
                                                        reap, made->connections, err);
    }
    if (rc == 0) {
        made->daemon = start_daemon(made);
        rc = made->daemon != NULL ? 0 : KARTA_ERR_IO;
    }
    if (rc == 0) {
        *health = made;
        return 0;
    }
    close(config->listen_fd);
    if (made != NULL)
        health_free(made);
    return karta_error_set(err, rc, "cannot start the metrics port");
}

void health_stop(struct health *health)
{
    if (health == NULL)
        return;
    MHD_stop_daemon(health->daemon); /* closes the listener too */
    health_free(health);
}
