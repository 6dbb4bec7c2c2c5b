/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions into force: whole snapshots only, compiled before they serve. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host_internal.h"

static void report(void *arg, const char *origin, const char *problem, enum karta_severity severity)
{
    const struct host *host = arg;
    LOG_WRITE(&host->log, LOG_LEVEL_WARN,
              severity == KARTA_REFUSAL ? "definition left out" : "definition has a flaw",
              log_text("origin", origin), log_text("problem", problem));
}

static int load(struct host *host, struct karta_snapshot **snapshot, struct karta_error *err)
{
    const struct options *options = host->options;
    struct source_options from = {.dirs = (const char *const *)options->definitions.items,
                                  .dir_count = options->definitions.count,
                                  .profile_file =
                                      source_is_path(options->profile) ? options->profile : NULL};
    return source_load(&from, report, host, snapshot, err);
}

/* Puts `snapshot` (taken) into force. */
static void put_in_force(struct host *host, struct karta_snapshot *snapshot)
{
    struct karta_error err = {0};
    if (karta_snapshot_warm(snapshot, &err) != 0)
        LOG_WRITE(&host->log, LOG_LEVEL_WARN, "a definition does not compile",
                  log_text("error", err.message));
    LOG_WRITE(&host->log, LOG_LEVEL_INFO, "definitions loaded",
              log_count("active", (int64_t)karta_snapshot_count(snapshot, "active")),
              log_count("shadowed", (int64_t)karta_snapshot_count(snapshot, "shadowed")),
              log_count("failed", (int64_t)karta_snapshot_count(snapshot, "failed")));
    holder_put(&host->holder, snapshot);
}

int host_load_definitions(struct host *host, struct karta_error *err)
{
    struct karta_snapshot *snapshot = NULL;
    int rc = load(host, &snapshot, err);
    if (rc != 0)
        return rc;
    rc = source_profile_name(snapshot, host->options->profile, &host->profile, err);
    if (rc != 0) {
        karta_snapshot_unref(snapshot);
        return rc;
    }
    host->admission.profile = host->profile;
    put_in_force(host, snapshot);
    return 0;
}

/* A reload must not take away what works: the profile, or a document that was good before. */
static int check_reloaded(struct host *host, const struct karta_snapshot *next,
                          struct karta_error *err)
{
    HOLDER_AUTO_SNAPSHOT now = holder_take(&host->holder);
    KARTA_AUTO_TEXT name = NULL;
    int rc = source_profile_name(next, host->options->profile, &name, err);
    if (rc == 0 && strcmp(name, host->profile) != 0)
        rc = karta_error_set(err, KARTA_ERR_CONFLICT,
                             "the profile is called \"%s\" now, and \"%s\" is in force", name,
                             host->profile);
    size_t failed = karta_snapshot_count(next, "failed");
    size_t before = karta_snapshot_count(now, "failed");
    if (rc == 0 && failed > before)
        rc = karta_error_set(err, KARTA_ERR_SCHEMA, "%zu broken documents, %zu before", failed,
                             before);
    return rc;
}

void host_reload_definitions(struct host *host)
{
    struct karta_error err = {0};
    struct karta_snapshot *snapshot = NULL;
    if (load(host, &snapshot, &err) == 0 && check_reloaded(host, snapshot, &err) == 0) {
        put_in_force(host, snapshot);
        return;
    }
    karta_snapshot_unref(snapshot);
    LOG_WRITE(&host->log, LOG_LEVEL_WARN, "definitions not reloaded, those before stay",
              log_text("error", err.message));
}
