/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions into force: whole snapshots only; after the start compiled before they serve. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "host_internal.h"
#include "karta/engine.h"

/* With a watch the folders are looked at now and then all the same: not every file system tells of
 * what others do to it, nor is a symlink's target watched. */
#define LOOK_WATCHED_MS 10000
#define LOOK_UNWATCHED_MS 2000

/* One load, and how many refusals it met. */
struct load {
    struct host *host;
    struct karta_snapshot *snapshot;
    json_t *list;
    size_t refusals;
};

static void report(void *arg, const struct source_finding *finding)
{
    struct load *load = arg;
    bool refused = finding->severity == KARTA_REFUSAL;
    const char *message = !refused        ? "definition has a flaw"
                          : finding->kept ? "definition broken, its version before stays"
                                          : "definition left out";
    /* what our own catalog is doubtful about is nothing that its users could mend */
    bool ours = strncmp(finding->origin, "built-in:", 9) == 0;
    load->refusals += refused;
    LOG_WRITE(&load->host->log, ours && !refused ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARN, message,
              log_text("origin", finding->origin), log_text("problem", finding->problem));
}

static double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Compiles entry by entry, and notes in the list how long each took; stops where `overtaken`. */
static void warm(struct host *host, const struct karta_snapshot *snapshot, json_t *list,
                 bool (*overtaken)(struct host *))
{
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        struct karta_error err = {0};
        if (overtaken != NULL && overtaken(host))
            return;
        double begin = clock_ms();
        if (karta_snapshot_warm_entry(snapshot, index, &err) == 0)
            json_object_set_new(entry, "compileMilliseconds", json_real(clock_ms() - begin));
        else
            LOG_WRITE(&host->log, LOG_LEVEL_WARN, "a definition does not compile",
                      log_text("error", err.message));
    }
}

/* Two files for one kind: the later is in force, and nobody has to guess which that is. */
static void report_shadowed(struct host *host, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *state = json_string_value(json_object_get(entry, "state"));
        if (state == NULL || strcmp(state, "shadowed") != 0)
            continue;
        LOG_WRITE(&host->log, LOG_LEVEL_INFO, "definition shadowed by a later one",
                  log_text("name", json_string_value(json_object_get(entry, "name"))),
                  log_text("origin", json_string_value(json_object_get(entry, "origin"))));
    }
}

/* Puts what was loaded (taken) into force. */
static void put_in_force(struct host *host, struct load *load)
{
    struct karta_snapshot *snapshot = load->snapshot;
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "definitions loaded",
              log_count("active", (int64_t)karta_snapshot_count(snapshot, "active")),
              log_count("shadowed", (int64_t)karta_snapshot_count(snapshot, "shadowed")),
              log_count("failed", (int64_t)karta_snapshot_count(snapshot, "failed")));
    report_shadowed(host, load->list);
    metrics_reload(host->metrics, METRICS_DEFINITIONS, load->refusals == 0);
    holder_put(&host->holder, snapshot, load->list);
}

/* A reload, which compiles what it loads, is not held up by what it replaces. */
static bool is_overtaken(struct host *host)
{
    return atomic_load(&host->reload) || atomic_load(&host->stirred);
}

/* At the start requests come before all is compiled: what one asks for is compiled for it. */
static void warm_behind(struct host *host)
{
    struct karta_snapshot *snapshot = holder_take(&host->holder);
    json_t *list = json_deep_copy(holder_lock_list(&host->holder));
    holder_unlock_list(&host->holder);
    if (snapshot == NULL)
        return;
    warm(host, snapshot, list, is_overtaken);
    holder_put(&host->holder, snapshot, list);
}

static void give_up(struct load *load)
{
    karta_snapshot_unref(load->snapshot);
    json_decref(load->list);
}

static int make_source(struct host *host, struct karta_error *err)
{
    const struct options *options = host->options;
    struct source_options from = {.dirs = (const char *const *)options->definitions.items,
                                  .dir_count = options->definitions.count,
                                  .profile_file =
                                      source_is_path(options->profile) ? options->profile : NULL};
    host->source = source_new(&from);
    return host->source != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

int host_load_definitions(struct host *host, struct karta_error *err)
{
    struct load load = {.host = host};
    int rc = make_source(host, err);
    if (rc == 0)
        rc = source_load(host->source, report, &load, &load.snapshot, &load.list, err);
    if (rc == 0)
        rc = source_profile_name(load.snapshot, host->options->profile, &host->profile, err);
    if (rc != 0) {
        give_up(&load);
        return rc;
    }
    host->admission.profile = host->profile;
    put_in_force(host, &load);
    return 0;
}

/* A reload must not take away the profile that requests are answered with. */
static int check_profile(struct host *host, const struct karta_snapshot *next,
                         struct karta_error *err)
{
    KARTA_AUTO_TEXT name = NULL;
    int rc = source_profile_name(next, host->options->profile, &name, err);
    if (rc == 0 && strcmp(name, host->profile) != 0)
        rc = karta_error_set(err, KARTA_ERR_CONFLICT,
                             "the profile is called \"%s\" now, and \"%s\" is in force", name,
                             host->profile);
    return rc;
}

static void reload(struct host *host)
{
    struct karta_error err = {0};
    struct load load = {.host = host};
    if (source_load(host->source, report, &load, &load.snapshot, &load.list, &err) == 0 &&
        check_profile(host, load.snapshot, &err) == 0) {
        warm(host, load.snapshot, load.list, NULL);
        put_in_force(host, &load);
        return;
    }
    give_up(&load);
    metrics_reload(host->metrics, METRICS_DEFINITIONS, false);
    LOG_WRITE(&host->log, LOG_LEVEL_WARN, "definitions not reloaded, those before stay",
              log_text("error", err.message));
}

void host_look_after_definitions(struct host *host, bool again)
{
    if (!host->warmed)
        warm_behind(host);
    host->warmed = true;
    int64_t now = karta_engine_now_ms();
    bool stirred = atomic_exchange(&host->stirred, false);
    if (!again && !stirred && now < host->look_ms && !source_is_settling(host->source))
        return;
    host->look_ms = now + (watch_is_whole(host->watch) ? LOOK_WATCHED_MS : LOOK_UNWATCHED_MS);
    if (again || source_has_changed(host->source))
        reload(host);
}
