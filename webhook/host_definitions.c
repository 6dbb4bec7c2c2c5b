/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions into force. What files say and what the cluster says are read apart, each when it
 * changes; what serves is put together of both, whole, and after the start compiled before it
 * serves, as far as that goes within a moment.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host_internal.h"
#include "karta/engine.h"

/* With a watch the folders are looked at now and then all the same: not every file system tells of
 * what others do to it, nor is a symlink's target watched. */
#define LOOK_WATCHED_MS 10000
#define LOOK_UNWATCHED_MS 2000

/* Whoever applies a Karta expects it in force at once; what is not compiled by then is compiled
 * behind, or for the request that needs it. */
#define WARM_MS 300

/* One load, and how many refusals it met. */
struct load {
    struct host *host;
    size_t refusals;
};

/* What our own catalog is doubtful about is nothing that its users could mend; whoever writes an
 * object of the cluster hears of its flaws from us at once. */
static enum log_level level_of(const char *origin, enum karta_severity severity)
{
    if (severity == KARTA_REFUSAL)
        return LOG_LEVEL_WARN;
    if (strncmp(origin, "built-in:", 9) == 0)
        return LOG_LEVEL_DEBUG;
    return strncmp(origin, LIVE_ORIGIN, strlen(LIVE_ORIGIN)) == 0 ? LOG_LEVEL_INFO : LOG_LEVEL_WARN;
}

static void say(const struct host *host, const char *message, const char *origin,
                const char *problem, enum karta_severity severity)
{
    LOG_WRITE(&host->log, level_of(origin, severity), message, log_text("origin", origin),
              log_text("problem", problem));
}

static void report_file(void *arg, const struct source_finding *finding)
{
    struct load *load = arg;
    bool refused = finding->severity == KARTA_REFUSAL;
    load->refusals += refused;
    say(load->host,
        !refused        ? "definition has a flaw"
        : finding->kept ? "definition broken, its version before stays"
                        : "definition left out",
        finding->origin, finding->problem, finding->severity);
}

static void report_object(void *arg, const char *origin, const char *problem,
                          enum karta_severity severity)
{
    say(arg, severity == KARTA_REFUSAL ? "definition left out" : "definition has a flaw", origin,
        problem, severity);
}

static const char *profile_file(const struct host *host)
{
    const char *profile = host->options->profile;
    return source_is_path(profile) ? profile : NULL;
}

/* New: what files and cluster say together. The file that --profile names has the last word. */
static int compose(struct host *host, struct karta_snapshot **snapshot, struct karta_error *err)
{
    if (host->cluster == NULL) {
        *snapshot = karta_snapshot_ref(host->files);
        return 0;
    }
    return live_compose(cluster_live(host->cluster), host->files, profile_file(host), report_object,
                        host, snapshot, err);
}

/* New list of what is loaded, with what the one in force knows already. NULL: out of memory. */
static json_t *describe(struct host *host, const struct karta_snapshot *snapshot)
{
    json_t *list = source_describe(host->source, snapshot);
    if (host->cluster != NULL)
        live_describe(cluster_live(host->cluster), list);
    host_list_inherit(list, holder_lock_list(&host->holder), &host->log);
    holder_unlock_list(&host->holder);
    return list;
}

/* What is newer is not held up by what it replaces. */
static bool is_overtaken(struct host *host)
{
    return atomic_load(&host->reload) || atomic_load(&host->stirred) ||
           atomic_load(&host->objects_stirred);
}

static bool is_awaited(struct host *host)
{
    return is_overtaken(host) || karta_engine_now_ms() >= host->warm_until_ms;
}

/* Puts the snapshot (taken) into force; `warm`: compiled, if that is soon done. */
static int put_in_force(struct host *host, struct karta_snapshot *snapshot, bool warm,
                        struct karta_error *err)
{
    json_t *list = describe(host, snapshot);
    if (list == NULL) {
        karta_snapshot_unref(snapshot);
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    host->warm_until_ms = karta_engine_now_ms() + WARM_MS;
    if (warm)
        host->warmed = host_list_warm(host, snapshot, list, is_awaited);
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "definitions loaded",
              log_count("active", (int64_t)karta_snapshot_count(snapshot, "active")),
              log_count("shadowed", (int64_t)karta_snapshot_count(snapshot, "shadowed")),
              log_count("failed", (int64_t)karta_snapshot_count(snapshot, "failed")));
    holder_put(&host->holder, snapshot, list);
    if (host->cluster != NULL)
        cluster_wake(host->cluster);
    return 0;
}

static int make_source(struct host *host, struct karta_error *err)
{
    const struct options *options = host->options;
    struct source_options from = {.dirs = (const char *const *)options->definitions.items,
                                  .dir_count = options->definitions.count,
                                  .profile_file = profile_file(host)};
    host->source = source_new(&from);
    return host->source != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

static int load_files(struct host *host, struct karta_snapshot **files, struct karta_error *err)
{
    struct load load = {.host = host};
    int rc = source_load(host->source, report_file, &load, files, err);
    metrics_reload(host->metrics, METRICS_DEFINITIONS, rc == 0 && load.refusals == 0);
    return rc;
}

/* The name behind --profile. In a cluster it may be the name of an object that is yet to come. */
static int find_profile(struct host *host, struct karta_error *err)
{
    const char *flag = host->options->profile;
    int rc = source_profile_name(host->files, flag, &host->profile, err);
    if (rc != KARTA_ERR_NOT_FOUND || host->cluster == NULL || source_is_path(flag))
        return rc;
    karta_error_init(err);
    host->profile = strdup(flag);
    return host->profile != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

int host_load_definitions(struct host *host, struct karta_error *err)
{
    struct karta_snapshot *snapshot = NULL;
    int rc = make_source(host, err);
    if (rc == 0)
        rc = load_files(host, &host->files, err);
    if (rc == 0)
        rc = find_profile(host, err);
    if (rc == 0)
        rc = compose(host, &snapshot, err);
    if (rc != 0)
        return rc;
    host->admission.profile = host->profile;
    return put_in_force(host, snapshot, false, err);
}

/* A file's change must not take away the profile that requests are answered with. */
static int check_profile(struct host *host, const struct karta_snapshot *files,
                         struct karta_error *err)
{
    KARTA_AUTO_TEXT name = NULL;
    if (karta_snapshot_profile(host->files, host->profile) == NULL)
        return 0; /* files never had it */
    int rc = source_profile_name(files, host->options->profile, &name, err);
    if (rc == 0 && strcmp(name, host->profile) != 0)
        rc = karta_error_set(err, KARTA_ERR_CONFLICT,
                             "the profile is called \"%s\" now, and \"%s\" is in force", name,
                             host->profile);
    return rc;
}

static int reload_files(struct host *host, struct karta_error *err)
{
    struct karta_snapshot *files = NULL;
    int rc = load_files(host, &files, err);
    if (rc == 0 && (rc = check_profile(host, files, err)) != 0) {
        karta_snapshot_unref(files);
        metrics_reload(host->metrics, METRICS_DEFINITIONS, false);
    }
    if (rc != 0)
        return rc;
    karta_snapshot_unref(host->files);
    host->files = files;
    return 0;
}

/* The profile in force went away with its object: its last version stays, as files' would. */
static int keep_profile(struct host *host, struct karta_snapshot *snapshot, struct karta_error *err)
{
    HOLDER_AUTO_SNAPSHOT before = holder_take(&host->holder);
    const struct karta_profile *profile = karta_snapshot_profile(before, host->profile);
    size_t from = 0;
    bool said = host->profile_kept;
    host->profile_kept = profile != NULL && karta_snapshot_profile(snapshot, host->profile) == NULL;
    if (!host->profile_kept)
        return 0;
    const char *origin = karta_profile_origin(profile);
    if (!said)
        LOG_WRITE(&host->log, LOG_LEVEL_WARN,
                  "the profile in force was deleted, it stays until we end",
                  log_text("origin", origin));
    int rc = karta_snapshot_adopt_origin(snapshot, before, origin, &from);
    return rc >= 0 ? 0 : karta_error_set(err, rc, "out of memory");
}

static void refresh(struct host *host)
{
    struct karta_error err = {0};
    struct karta_snapshot *snapshot = NULL;
    bool whole = host->cluster != NULL && live_is_whole(cluster_live(host->cluster));
    int rc = compose(host, &snapshot, &err);
    if (rc == 0 && host->cluster != NULL && (rc = keep_profile(host, snapshot, &err)) != 0)
        karta_snapshot_unref(snapshot);
    if (rc == 0)
        rc = put_in_force(host, snapshot, true, &err);
    if (rc != 0)
        LOG_WRITE(&host->log, LOG_LEVEL_WARN, "definitions not renewed, those before stay",
                  log_text("error", err.message));
    else if (whole && !atomic_exchange(&host->cluster_in_force, true))
        cluster_wake(host->cluster);
}

/* Requests come before all is compiled: what one asks for is compiled for it. */
static void warm_behind(struct host *host)
{
    struct karta_snapshot *snapshot = holder_take(&host->holder);
    json_t *list = json_deep_copy(holder_lock_list(&host->holder));
    holder_unlock_list(&host->holder);
    if (snapshot == NULL)
        return;
    host->warmed = host_list_warm(host, snapshot, list, is_overtaken);
    holder_put(&host->holder, snapshot, list);
}

/* Whether files were read again with success. */
static bool look_at_files(struct host *host, bool again)
{
    struct karta_error err = {0};
    int64_t now = karta_engine_now_ms();
    bool stirred = atomic_exchange(&host->stirred, false);
    if (!again && !stirred && now < host->look_ms && !source_is_settling(host->source))
        return false;
    host->look_ms = now + (watch_is_whole(host->watch) ? LOOK_WATCHED_MS : LOOK_UNWATCHED_MS);
    if (!again && !source_has_changed(host->source))
        return false;
    if (reload_files(host, &err) == 0)
        return true;
    LOG_WRITE(&host->log, LOG_LEVEL_WARN, "definitions not reloaded, those before stay",
              log_text("error", err.message));
    return false;
}

void host_look_after_definitions(struct host *host, bool again)
{
    if (!host->warmed)
        warm_behind(host);
    bool files = look_at_files(host, again);
    bool objects = atomic_exchange(&host->objects_stirred, false);
    if (files || objects)
        refresh(host);
}
