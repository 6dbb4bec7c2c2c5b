/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file. A version that differs from the last good one is tried in a snapshot of its own first,
 * so that a refusal leaves no trace in the one that will serve.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "source_internal.h"

#define PROBLEM_TEXT 1024

static void free_problems(struct karta_problems **problems)
{
    karta_problems_free(*problems);
}

static int out_of_memory(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

static void file_dispose(struct source_file *file)
{
    free(file->path);
    free(file->origin);
    free(file->bytes);
    free(file->refused);
}

void source_files_dispose(struct source_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        file_dispose(&files->items[i]);
    free(files->items);
    *files = (struct source_files){0};
}

/* The next entry of `files`, empty; NULL: out of memory. */
static struct source_file *add_file(struct source_files *files, const char *path,
                                    const char *origin)
{
    if (files->count == files->room) {
        size_t room = files->room > 0 ? 2 * files->room : 64;
        struct source_file *items = realloc(files->items, room * sizeof *items);
        if (items == NULL)
            return NULL;
        files->items = items;
        files->room = room;
    }
    struct source_file *file = &files->items[files->count++];
    *file = (struct source_file){.path = strdup(path), .origin = strdup(origin)};
    return file->path != NULL && file->origin != NULL ? file : NULL;
}

/* What was remembered of `path`; NULL: nothing good. */
static struct source_file *find_good(struct source_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++) {
        size_t at = (files->next + i) % files->count;
        if (strcmp(files->items[at].path, path) == 0) {
            files->next = at + 1;
            return files->items[at].bytes != NULL ? &files->items[at] : NULL;
        }
    }
    return NULL;
}

/* `path` without the "origin: " that it may begin with: the origin is reported beside it. */
static const char *behind_origin(const char *path, const char *origin)
{
    size_t size = strlen(origin);
    bool named = strncmp(path, origin, size) == 0 && strncmp(path + size, ": ", 2) == 0;
    return named ? path + size + 2 : path;
}

/* Tells of one refusal or warning; the first refusal of a version that is not in force is kept. */
static void tell(const struct source_loading *loading, struct source_file *file,
                 struct source_finding *finding)
{
    finding->origin = file->origin;
    if (finding->kept && finding->severity == KARTA_REFUSAL && file->refused == NULL)
        file->refused = strdup(finding->problem);
    loading->report(loading->arg, finding);
}

static void tell_all(const struct source_loading *loading, struct source_file *file,
                     const struct karta_problems *problems, bool kept)
{
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        const char *path = behind_origin(karta_problem_path(problems, i), file->origin);
        char text[PROBLEM_TEXT];
        snprintf(text, sizeof text, "%s%s%s", path, path[0] != '\0' ? ": " : "",
                 karta_problem_message(problems, i));
        struct source_finding finding = {
            .problem = text, .severity = karta_problem_severity(problems, i), .kept = kept};
        tell(loading, file, &finding);
    }
}

static void tell_error(const struct source_loading *loading, struct source_file *file,
                       const struct karta_error *error, bool kept)
{
    char text[PROBLEM_TEXT];
    if (error->line > 0)
        snprintf(text, sizeof text, "line %d, column %d: %s", error->line, error->column,
                 error->message);
    else
        snprintf(text, sizeof text, "%s", error->message);
    struct source_finding finding = {.problem = text, .severity = KARTA_REFUSAL, .kept = kept};
    tell(loading, file, &finding);
}

/* One version of a file, as it was read: bytes NULL where it could not be, and why. */
struct version {
    char *bytes;
    size_t size;
    int code;
    struct karta_error error;
};

/* Loads `version` into `snapshot` and tells what is wrong with it. */
static int put_into(const struct source_loading *loading, struct source_file *file,
                    struct karta_snapshot *snapshot, const struct version *version, bool kept,
                    size_t *refusals, struct karta_error *err)
{
    KARTA_CLEANUP(free_problems) struct karta_problems *problems = karta_problems_new();
    if (problems == NULL)
        return out_of_memory(err);
    struct karta_error own = version->error;
    int rc = version->code;
    if (rc == 0)
        rc = karta_snapshot_load(snapshot, version->bytes, version->size, file->origin, problems,
                                 &own);
    if (rc == KARTA_ERR_NOMEM)
        return out_of_memory(err);
    *refusals = karta_problems_refusals(problems);
    if (kept && rc == 0 && *refusals == 0)
        return 0; /* a trial that went well: what else is to be said will be said of the real one */
    tell_all(loading, file, problems, kept);
    if (rc != 0 && *refusals == 0) {
        tell_error(loading, file, &own, kept);
        *refusals = 1;
    }
    return 0;
}

/* Whether `version` may take the place of a good one. */
static int try_out(const struct source_loading *loading, struct source_file *file,
                   const struct version *version, bool *good, struct karta_error *err)
{
    size_t refusals = 1;
    struct karta_snapshot *trial = karta_snapshot_new();
    int rc = trial != NULL ? put_into(loading, file, trial, version, true, &refusals, err)
                           : out_of_memory(err);
    karta_snapshot_unref(trial);
    *good = refusals == 0;
    return rc;
}

/* Puts into `version` what shall be in force: itself, or what was good before. */
static int choose(const struct source_loading *loading, struct source_file *file,
                  struct version *version, struct karta_error *err)
{
    const struct source_file *before = find_good(loading->before, file->path);
    if (before == NULL || (version->bytes != NULL && version->size == before->size &&
                           memcmp(version->bytes, before->bytes, before->size) == 0))
        return 0;
    bool good = false;
    int rc = try_out(loading, file, version, &good, err);
    if (rc != 0 || good)
        return rc;
    char *bytes = calloc(1, before->size + 1);
    if (bytes == NULL)
        return out_of_memory(err);
    memcpy(bytes, before->bytes, before->size);
    free(version->bytes);
    *version = (struct version){.bytes = bytes, .size = before->size};
    return 0;
}

static void remember(struct source_file *file, struct version *version, size_t refusals)
{
    const char *text = version->bytes != NULL ? version->bytes : "";
    if (hash_hex8(&text, 1, file->version) != 0)
        file->version[0] = '\0';
    if (refusals > 0)
        return;
    file->bytes = version->bytes;
    file->size = version->size;
    version->bytes = NULL;
}

int source_file_load(const struct source_loading *loading, const char *path, const char *origin,
                     size_t *refusals, struct karta_error *err)
{
    struct source_file *file = add_file(loading->now, path, origin);
    if (file == NULL)
        return out_of_memory(err);
    struct version version = {0};
    version.code = file_read_regular(path, LIMIT_DOCUMENT_BYTES, &version.bytes, &version.size,
                                     &version.error);
    int rc =
        version.code == KARTA_ERR_NOMEM ? out_of_memory(err) : choose(loading, file, &version, err);
    if (rc == 0)
        rc = put_into(loading, file, loading->snapshot, &version, false, refusals, err);
    if (rc == 0)
        remember(file, &version, *refusals);
    free(version.bytes);
    return rc;
}
