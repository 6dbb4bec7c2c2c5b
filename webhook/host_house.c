/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes on beside the requests: files are looked at, programs that are busy get spare states,
 * the service manager hears that we live. All of it may take its time; no request waits for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host_internal.h"
#include "karta/engine.h"
#include "notify.h"

#define EXPIRE_MS 10
#define HOUSEKEEPING_MS 500

static void expire(void *arg)
{
    (void)arg;
    karta_engine_expire(karta_engine_now_ms());
}

static void keep_house(void *arg)
{
    struct host *host = arg;
    bool again = atomic_exchange(&host->reload, false);
    if (again)
        notify_reloading();
    karta_engine_spare();
    host_look_after_tls(host, again);
    host_look_after_definitions(host, again);
    if (again)
        notify_send("READY=1");
}

/* Nothing is said while a worker is stuck: then the manager starts us anew. */
static void say_alive(void *arg)
{
    struct host *host = arg;
    char text[1];
    if (workers_stuck(host->workers, karta_engine_now_ms(), text, sizeof text) == 0)
        notify_send("WATCHDOG=1");
}

static void on_event(void *arg)
{
    struct host *host = arg;
    atomic_store(&host->stirred, true);
    if (atomic_load(&host->house_kept))
        periodic_wake(&host->housekeeper);
}

struct folders {
    const char *items[LIMIT_WATCHED + 1];
    char *own[LIMIT_WATCHED + 1]; /* what was allocated of them */
    size_t count, own_count;
};

static void add_folder(struct folders *folders, const char *folder)
{
    if (folders->count <= LIMIT_WATCHED)
        folders->items[folders->count++] = folder;
}

static void add_folder_of(struct folders *folders, const char *file)
{
    if (file == NULL || folders->own_count > LIMIT_WATCHED)
        return;
    const char *slash = strrchr(file, '/');
    char *folder = slash == NULL   ? strdup(".")
                   : slash == file ? strdup("/")
                                   : strndup(file, (size_t)(slash - file));
    if (folder == NULL)
        return;
    folders->own[folders->own_count++] = folder;
    add_folder(folders, folder);
}

static void watch_folders(struct host *host)
{
    const struct options *options = host->options;
    struct folders folders = {.count = 0};
    for (size_t i = 0; i < options->definitions.count; i++)
        add_folder(&folders, options->definitions.items[i]);
    add_folder_of(&folders, source_is_path(options->profile) ? options->profile : NULL);
    add_folder_of(&folders, host->cert_path);
    add_folder_of(&folders, host->key_path);
    add_folder_of(&folders, options->client_ca_file);
    host->watch = watch_start(folders.items, folders.count, on_event, host);
    if (!watch_is_whole(host->watch))
        LOG_WRITE(&host->log, LOG_LEVEL_INFO, "folders cannot all be watched",
                  log_text("instead", "they are looked at every two seconds"));
    for (size_t i = 0; i < folders.own_count; i++)
        free(folders.own[i]);
}

int host_start_engine(struct host *host, struct karta_error *err)
{
    return periodic_start(&host->expirer, "karta-expire", EXPIRE_MS, expire, NULL, err);
}

int host_start_house(struct host *host, struct karta_error *err)
{
    watch_folders(host); /* first: the housekeeper asks the watch */
    int rc =
        periodic_start(&host->housekeeper, "karta-house", HOUSEKEEPING_MS, keep_house, host, err);
    atomic_store(&host->house_kept, rc == 0);
    int watchdog_ms = notify_watchdog_ms();
    if (rc == 0 && watchdog_ms > 0)
        rc = periodic_start(&host->watchdog, "karta-watchdog", watchdog_ms, say_alive, host, err);
    return rc;
}

void host_stop_house(struct host *host)
{
    watch_stop(host->watch); /* before the housekeeper, whom it wakes */
    periodic_stop(&host->watchdog);
    periodic_stop(&host->housekeeper);
    watch_free(host->watch); /* and after, because the housekeeper asks it */
    periodic_stop(&host->expirer);
}
