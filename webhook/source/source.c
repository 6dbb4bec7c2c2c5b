/* SPDX-License-Identifier: Apache-2.0 */
/* Reads folders in their order. A file is known by its origin: "built-in:jobset.yaml", or its path
 * as the user wrote the folder. */
#include "source.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define PROBLEM_TEXT 1024

struct loading {
    struct karta_snapshot *snapshot;
    source_report *report;
    void *arg;
};

static void free_problems(struct karta_problems **problems)
{
    karta_problems_free(*problems);
}

/* `path` without the "origin: " that it may begin with: the origin is reported beside it. */
static const char *behind_origin(const char *path, const char *origin)
{
    size_t size = strlen(origin);
    bool named = strncmp(path, origin, size) == 0 && strncmp(path + size, ": ", 2) == 0;
    return named ? path + size + 2 : path;
}

static void report_all(const struct loading *loading, const char *origin,
                       const struct karta_problems *problems)
{
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        const char *path = behind_origin(karta_problem_path(problems, i), origin);
        char text[PROBLEM_TEXT];
        snprintf(text, sizeof text, "%s%s%s", path, path[0] != '\0' ? ": " : "",
                 karta_problem_message(problems, i));
        loading->report(loading->arg, origin, text, karta_problem_severity(problems, i));
    }
}

/* *refusals counts what was wrong; only a lack of memory is an error. */
static int load_file(const struct loading *loading, const char *path, const char *origin,
                     size_t *refusals, struct karta_error *err)
{
    KARTA_AUTO_TEXT bytes = NULL;
    size_t size = 0;
    KARTA_CLEANUP(free_problems) struct karta_problems *problems = karta_problems_new();
    if (problems == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    struct karta_error own = {0};
    int rc = file_read(path, LIMIT_DOCUMENT_BYTES, &bytes, &size, &own);
    if (rc == 0)
        rc = karta_snapshot_load(loading->snapshot, bytes, size, origin, problems, &own);
    if (rc == KARTA_ERR_NOMEM)
        return karta_error_set(err, rc, "out of memory");
    report_all(loading, origin, problems);
    *refusals = karta_problems_refusals(problems);
    if (rc != 0 && *refusals == 0) {
        char text[PROBLEM_TEXT];
        snprintf(text, sizeof text, "%s", own.message);
        if (own.line > 0)
            snprintf(text, sizeof text, "line %d, column %d: %s", own.line, own.column,
                     own.message);
        loading->report(loading->arg, origin, text, KARTA_REFUSAL);
        *refusals = 1;
    }
    return 0;
}

static int load_folder(const struct loading *loading, const char *dir, const char *prefix,
                       struct karta_error *err)
{
    char **paths = NULL;
    int rc = file_list(dir, &paths, err);
    for (size_t i = 0; rc == 0 && paths[i] != NULL; i++) {
        const char *slash = strrchr(paths[i], '/');
        const char *name = prefix != NULL && slash != NULL ? slash + 1 : paths[i];
        KARTA_AUTO_TEXT origin = mem_format("%s%s", prefix != NULL ? prefix : "", name);
        size_t refusals;
        rc = origin != NULL ? load_file(loading, paths[i], origin, &refusals, err)
                            : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    file_list_free(paths);
    return rc;
}

static int load_built_in(const struct loading *loading, const char *name, struct karta_error *err)
{
    KARTA_AUTO_TEXT dir = NULL;
    int rc = file_data_dir(name, &dir, err);
    return rc != 0 ? rc : load_folder(loading, dir, "built-in:", err);
}

/* Keeps the first refusal instead of reporting it: a profile's is the error itself. */
static void keep_first(void *arg, const char *origin, const char *problem,
                       enum karta_severity severity)
{
    char *first = arg;
    (void)origin;
    if (severity == KARTA_REFUSAL && first[0] == '\0')
        snprintf(first, PROBLEM_TEXT, "%s", problem);
}

static int load_profile(const struct loading *loading, const char *path, struct karta_error *err)
{
    char first[PROBLEM_TEXT] = "";
    struct loading own = {.snapshot = loading->snapshot, .report = keep_first, .arg = first};
    size_t refusals = 0;
    int rc = load_file(&own, path, path, &refusals, err);
    if (rc == 0 && refusals > 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "profile file %s: %s", path, first);
    return rc;
}

static int load_all(const struct source_options *options, const struct loading *loading,
                    struct karta_error *err)
{
    int rc = load_built_in(loading, "definitions", err);
    if (rc == 0)
        rc = load_built_in(loading, "profiles", err);
    for (size_t i = 0; rc == 0 && i < options->dir_count; i++)
        rc = load_folder(loading, options->dirs[i], NULL, err);
    if (rc != 0 || options->profile_file == NULL)
        return rc;
    return load_profile(loading, options->profile_file, err);
}

int source_load(const struct source_options *options, source_report *report, void *arg,
                struct karta_snapshot **snapshot, struct karta_error *err)
{
    struct loading loading = {.snapshot = karta_snapshot_new(), .report = report, .arg = arg};
    if (loading.snapshot == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int rc = load_all(options, &loading, err);
    if (rc == 0)
        *snapshot = loading.snapshot;
    else
        karta_snapshot_unref(loading.snapshot);
    return rc;
}

int source_is_path(const char *profile)
{
    size_t size = strlen(profile);
    return strchr(profile, '/') != NULL || (size > 5 && strcmp(profile + size - 5, ".yaml") == 0);
}

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text != NULL ? text : "";
}

static bool is_active_profile(const json_t *entry)
{
    return strcmp(text_of(entry, "kind"), "GangProfile") == 0 &&
           strcmp(text_of(entry, "state"), "active") == 0;
}

static int unknown_profile(const json_t *list, const char *flag, struct karta_error *err)
{
    KARTA_AUTO_STRBUF names;
    strbuf_init(&names, 400);
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        if (is_active_profile(entry))
            strbuf_addf(&names, "%s%s", names.size > 0 ? ", " : "", text_of(entry, "name"));
    }
    if (source_is_path(flag))
        return karta_error_set(err, KARTA_ERR_NOT_FOUND, "file %s holds no GangProfile", flag);
    return karta_error_set(err, KARTA_ERR_NOT_FOUND,
                           "there is no profile \"%s\": there are %s, or give the path of a file",
                           flag, names.size > 0 && names.failed == 0 ? names.text : "none");
}

int source_profile_name(const struct karta_snapshot *snapshot, const char *flag, char **name,
                        struct karta_error *err)
{
    json_auto_t *list = karta_snapshot_list(snapshot);
    const char *by = source_is_path(flag) ? "origin" : "name";
    const char *found = NULL;
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        if (is_active_profile(entry) && strcmp(text_of(entry, by), flag) == 0)
            found = text_of(entry, "name");
    }
    if (found == NULL)
        return unknown_profile(list, flag, err);
    *name = strdup(found);
    return *name != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}
