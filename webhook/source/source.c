/* SPDX-License-Identifier: Apache-2.0 */
/* Reads folders in their order. A file is known by its origin: "built-in:jobset.yaml", or its path
 * as the user wrote the folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "source_internal.h"

struct source *source_new(const struct source_options *options)
{
    struct source *source = calloc(1, sizeof *source);
    if (source != NULL)
        source->options = *options;
    return source;
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    source_files_dispose(&source->files);
    free(source);
}

static int load_folder(const struct source_loading *loading, const char *dir, const char *prefix,
                       struct karta_error *err)
{
    char **paths = NULL;
    int rc = file_list(dir, &paths, err);
    for (size_t i = 0; rc == 0 && paths[i] != NULL; i++) {
        const char *slash = strrchr(paths[i], '/');
        const char *name = prefix != NULL && slash != NULL ? slash + 1 : paths[i];
        KARTA_AUTO_TEXT origin = mem_format("%s%s", prefix != NULL ? prefix : "", name);
        size_t refusals;
        rc = origin != NULL ? source_file_load(loading, paths[i], origin, &refusals, err)
                            : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    file_list_free(paths);
    return rc;
}

static int load_built_in(const struct source_loading *loading, const char *name,
                         struct karta_error *err)
{
    KARTA_AUTO_TEXT dir = NULL;
    int rc = file_data_dir(name, &dir, err);
    return rc != 0 ? rc : load_folder(loading, dir, "built-in:", err);
}

/* Keeps the first refusal instead of reporting it: a profile's is the error itself. */
struct first_refusal {
    const struct source_loading *loading;
    char text[1024];
};

static void keep_first(void *arg, const struct source_finding *finding)
{
    struct first_refusal *first = arg;
    if (finding->kept)
        first->loading->report(first->loading->arg, finding);
    else if (finding->severity == KARTA_REFUSAL && first->text[0] == '\0')
        snprintf(first->text, sizeof first->text, "%s", finding->problem);
}

static int load_profile(const struct source_loading *loading, const char *path,
                        struct karta_error *err)
{
    struct first_refusal first = {.loading = loading};
    struct source_loading own = *loading;
    own.report = keep_first;
    own.arg = &first;
    size_t refusals = 0;
    int rc = source_file_load(&own, path, path, &refusals, err);
    if (rc == 0 && refusals > 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "profile file %s: %s", path, first.text);
    return rc;
}

static int load_all(const struct source_options *options, const struct source_loading *loading,
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

/* The file of this origin; *next is where to begin, since a list is in the order of its files. */
static const struct source_file *find_origin(const struct source_files *files, const char *origin,
                                             size_t *next)
{
    for (size_t i = 0; origin != NULL && i < files->count; i++) {
        size_t at = (*next + i) % files->count;
        if (strcmp(files->items[at].origin, origin) == 0) {
            *next = at;
            return &files->items[at];
        }
    }
    return NULL;
}

json_t *source_describe(const struct source *source, const struct karta_snapshot *snapshot)
{
    json_t *list = karta_snapshot_list(snapshot);
    size_t next = 0;
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        const char *origin = json_string_value(json_object_get(entry, "origin"));
        const struct source_file *file = find_origin(&source->files, origin, &next);
        if (file == NULL)
            continue;
        json_object_set_new(entry, "version", json_string(file->version));
        if (file->refused != NULL)
            json_object_set_new(entry, "refused", json_string(file->refused));
    }
    return list;
}

/* A load that went well is what the next one is compared with. */
static void settle(struct source *source, struct source_files *now)
{
    source_files_dispose(&source->files);
    source->files = *now;
    *now = (struct source_files){0};
}

int source_load(struct source *source, source_report *report, void *arg,
                struct karta_snapshot **snapshot, struct karta_error *err)
{
    uint64_t look = source_look(&source->options);
    struct source_files now = {0};
    source->loaded = source->seen = look; /* also what fails is not tried again until it changes */
    source->files.next = 0;
    struct source_loading loading = {.snapshot = karta_snapshot_new(),
                                     .before = &source->files,
                                     .now = &now,
                                     .report = report,
                                     .arg = arg};
    if (loading.snapshot == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int rc = load_all(&source->options, &loading, err);
    if (rc == 0) {
        settle(source, &now);
        *snapshot = loading.snapshot;
        return 0;
    }
    karta_snapshot_unref(loading.snapshot);
    source_files_dispose(&now);
    return rc;
}
