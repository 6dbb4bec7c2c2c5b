/* SPDX-License-Identifier: Apache-2.0 */
/* From start to stop: the daemon, its table of connections and the reaper. */
#include "server.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "capacity.h"
#include "server_internal.h"
#include "tls_pair.h"

#define REAP_MS 250
/* TLS 1.2 and 1.3, whatever the system's policy says of older ones */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
/* four times what head.h allows, so that too long a head is refused in our words as a rule; a
 * chunk of body is at most this */
#define CONNECTION_MEMORY ((size_t)64 << 10)
/* behind the table's own deadlines, for connections that memory did not suffice to enter */
#define BACKSTOP_SECONDS 180U

static void reap(void *table)
{
    connections_reap(table);
}

/* The options that are there only sometimes, ended by MHD_OPTION_END. */
static void optional(const struct server *server, struct MHD_OptionItem items[3])
{
    size_t count = 0;
    if (server->config.threads > 1)
        items[count++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE,
                                                 (intptr_t)server->config.threads, NULL};
    if (server->config.client_ca != NULL)
        items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0,
                                                 (void *)client_ca_first(server->config.client_ca)};
    items[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
}

static struct MHD_Daemon *start_daemon(struct server *server, unsigned limit)
{
    struct MHD_OptionItem items[3];
    optional(server, items);
    return MHD_start_daemon(
        MHD_USE_TLS | MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, server_on_access, server, /* the logger first: it hears of the other options */
        MHD_OPTION_EXTERNAL_LOGGER, daemon_log, &server->ear, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_LISTEN_SOCKET, server->config.listen_fd, MHD_OPTION_HTTPS_CERT_CALLBACK2,
        tls_store_callback, MHD_OPTION_HTTPS_PRIORITIES, TLS_PRIORITIES,
        MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_TIMEOUT, BACKSTOP_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
        connections_notify, server->connections, MHD_OPTION_URI_LOG_CALLBACK, server_on_uri, server,
        MHD_OPTION_NOTIFY_COMPLETED, server_on_completed, server, MHD_OPTION_ARRAY, items,
        MHD_OPTION_END);
}

static void server_free(struct server *server)
{
    connections_free(server->connections);
    free(server);
}

static int give_up(struct server *server, int listen_fd, struct karta_error *err)
{
    close(listen_fd);
    if (server != NULL)
        server_free(server);
    return err == NULL || err->code != 0
               ? KARTA_ERR_IO
               : karta_error_set(err, KARTA_ERR_NOMEM, "cannot start the server: out of memory");
}

int server_start(const struct server_config *config, struct server **server,
                 struct karta_error *err)
{
    struct server *made = calloc(1, sizeof *made);
    if (made == NULL)
        return give_up(NULL, config->listen_fd, err);
    made->config = *config;
    made->ear = (struct daemon_ear){.log = config->log, .metrics = config->metrics};
    unsigned limit = capacity_connections(config->threads);
    struct connection_limits limits = connection_limits(capacity_soft(limit));
    made->connections = connections_new(&limits);
    if (made->connections == NULL)
        return give_up(made, config->listen_fd, err);
    if (periodic_start(&made->reaper, "karta-reaper", REAP_MS, reap, made->connections, err) != 0)
        return give_up(made, config->listen_fd, err);
    made->daemon = start_daemon(made, limit);
    if (made->daemon == NULL) {
        periodic_stop(&made->reaper);
        karta_error_set(err, KARTA_ERR_IO, "cannot start the server: %s",
                        "libmicrohttpd refused (--log-level debug says why)");
        return give_up(made, config->listen_fd, err);
    }
    *server = made;
    return 0;
}

void server_close_gently(struct server *server)
{
    atomic_store(&server->closing, true);
}

static void sleep_ms(int ms)
{
    struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

void server_stop(struct server *server, int wait_ms)
{
    if (server == NULL)
        return;
    server_close_gently(server);
    int fd = MHD_quiesce_daemon(server->daemon);
    /* at once, so that who would still connect is refused and not left hanging; closed only when no
     * worker is left that could touch a descriptor of that number */
    if (fd >= 0)
        shutdown(fd, SHUT_RDWR);
    for (int waited = 0; waited < wait_ms && connections_count(server->connections) > 0;
         waited += 20) {
        connections_close_idle(server->connections, 1000);
        sleep_ms(20);
    }
    periodic_stop(&server->reaper);
    MHD_stop_daemon(server->daemon);
    if (fd >= 0)
        close(fd);
    server_free(server);
}
