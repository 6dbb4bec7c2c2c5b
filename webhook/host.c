/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and stop in one order: what can fail without a trace first (files, certificates, ports),
 * threads after it, "listening" last.
 */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "capacity.h"
#include "daemon_log.h"
#include "host_internal.h"
#include "karta/engine.h"
#include "notify.h"
#include "tls_pair.h"

#define CONNECTIONS_WAIT_MS 10000

/* Listening sockets that no daemon has taken yet. */
struct listeners {
    int https, metrics; /* -1: none */
    char https_text[ADDRESS_TEXT], metrics_text[ADDRESS_TEXT];
};

static void set_log(struct host *host)
{
    host->log =
        (struct log){.fd = STDERR_FILENO, .json = strcmp(host->options->log_format, "json") == 0};
    log_level_parse(host->options->log_level, &host->log.level);
    daemon_log_panics(&host->log);
}

static void close_listeners(const struct listeners *listeners)
{
    if (listeners->https >= 0)
        close(listeners->https);
    if (listeners->metrics >= 0)
        close(listeners->metrics);
}

static int open_listeners(const struct options *options, struct listeners *listeners,
                          struct karta_error *err)
{
    *listeners = (struct listeners){.https = -1, .metrics = -1};
    int rc = address_listen(options->listen, &listeners->https, listeners->https_text, err);
    if (rc == 0 && options->metrics_listen[0] != '\0')
        rc = address_listen(options->metrics_listen, &listeners->metrics, listeners->metrics_text,
                            err);
    if (rc != 0)
        close_listeners(listeners);
    return rc;
}

/* Everything that needs neither thread nor socket. */
static int prepare(struct host *host, struct karta_error *err)
{
    capacity_raise_files();
    host->metrics = metrics_new();
    host->workers = workers_new(WORKERS_STUCK_MS);
    if (host->metrics == NULL || host->workers == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int rc = karta_engine_init(err);
    if (rc == 0)
        rc = host_set_admission(host, err);
    if (rc == 0)
        rc = host_load_tls(host, err);
    if (rc == 0)
        rc = host_make_cluster(host, err);
    return rc != 0 ? rc : host_load_definitions(host, err);
}

static int start_health(struct host *host, struct listeners *listeners, struct karta_error *err)
{
    if (listeners->metrics < 0)
        return 0;
    struct health_config config = {.listen_fd = listeners->metrics,
                                   .holder = &host->holder,
                                   .metrics = host->metrics,
                                   .workers = host->workers,
                                   .not_ready = &host->not_ready,
                                   .waits = host_waits_for_cluster,
                                   .waits_arg = host,
                                   .log = &host->log};
    listeners->metrics = -1;
    return health_start(&config, &host->health, err);
}

static int start_server(struct host *host, struct listeners *listeners, struct karta_error *err)
{
    int threads = host->options->threads;
    struct server_config config = {.listen_fd = listeners->https,
                                   .threads =
                                       threads > 0 ? (unsigned)threads : capacity_processors(),
                                   .client_ca = host->client_ca,
                                   .admission = &host->admission,
                                   .holder = &host->holder,
                                   .metrics = host->metrics,
                                   .workers = host->workers,
                                   .log = &host->log};
    listeners->https = -1;
    return server_start(&config, &host->server, err);
}

static int start_threads(struct host *host, struct listeners *listeners, struct karta_error *err)
{
    int rc = host_start_engine(host, err);
    if (rc == 0)
        rc = start_server(host, listeners, err);
    if (rc == 0)
        rc = start_health(host, listeners, err);
    if (rc == 0)
        rc = host_start_house(host, err);
    return rc != 0 ? rc : host_start_cluster(host, err);
}

static void host_free(struct host *host)
{
    server_stop(host->server, 0);
    health_stop(host->health);
    cluster_stop(host->cluster); /* before the housekeeper, whom it wakes */
    host_stop_house(host);
    host_free_cluster(host);
    holder_dispose(&host->holder);
    source_free(host->source);
    karta_snapshot_unref(host->files);
    tls_store_put(NULL);
    metrics_free(host->metrics);
    host_free_admission(host);
    free(host->cert_path);
    free(host->key_path);
    client_ca_free(host->client_ca);
    workers_free(host->workers);
    free(host);
    karta_engine_shutdown();
}

static void say_listening(const struct host *host, const struct listeners *listeners)
{
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "listening", log_text("what", "https"),
              log_text("address", listeners->https_text));
    if (listeners->metrics_text[0] != '\0')
        LOG_WRITE(&host->log, LOG_LEVEL_INFO, "listening", log_text("what", "metrics"),
                  log_text("address", listeners->metrics_text));
}

static int start_all(struct host *host, struct karta_error *err)
{
    struct listeners listeners;
    int rc = prepare(host, err);
    if (rc == 0)
        rc = open_listeners(host->options, &listeners, err);
    if (rc != 0)
        return rc;
    rc = start_threads(host, &listeners, err);
    if (rc != 0) {
        close_listeners(&listeners);
        return rc;
    }
    atomic_store(&host->not_ready, NULL);
    say_listening(host, &listeners);
    notify_send("READY=1");
    return 0;
}

int host_start(const struct options *options, struct host **host, struct karta_error *err)
{
    struct host *made = calloc(1, sizeof *made);
    if (made == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    made->options = options;
    holder_init(&made->holder);
    atomic_init(&made->not_ready, "starting");
    set_log(made);
    int rc = start_all(made, err);
    if (rc == 0)
        *host = made;
    else
        host_free(made);
    return rc;
}

void host_reload(struct host *host)
{
    atomic_store(&host->reload, true);
    periodic_wake(&host->housekeeper);
}

void host_stop(struct host *host)
{
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "draining", log_count("seconds", host->options->drain));
    notify_send("STOPPING=1");
    atomic_store(&host->not_ready, "draining");
    server_close_gently(host->server);
    struct timespec drain = {.tv_sec = host->options->drain};
    nanosleep(&drain, NULL);
    server_stop(host->server, CONNECTIONS_WAIT_MS);
    host->server = NULL;
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "stopped", log_text("version", KARTA_VERSION));
    host_free(host);
}
