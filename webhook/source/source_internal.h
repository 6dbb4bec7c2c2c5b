/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: one file of definitions, and what is remembered of it. */
#ifndef KARTA_SOURCE_INTERNAL_H
#define KARTA_SOURCE_INTERNAL_H

#include <stdint.h>

#include "source.h"

struct source_file {
    char *path, *origin;
    char *bytes; /* the last version without a refusal, NULL: there was none */
    size_t size;
    char version[9];   /* of what is in force */
    char *refused;     /* why the newest version is not; NULL: it is */
};

struct source_files {
    struct source_file *items;
    size_t count, room;
    size_t next; /* where the next search begins: folders are read in the same order again */
};

struct source {
    struct source_options options;
    struct source_files files; /* of the last load that did not fail */
    uint64_t seen, loaded;     /* what source_look saw in its last call; before the last load */
};

/* One load under way. */
struct source_loading {
    struct karta_snapshot *snapshot;
    struct source_files *before, *now;
    source_report *report;
    void *arg;
};

void source_files_dispose(struct source_files *files);

/*
 * Loads `path` and remembers it in `now`. *refusals counts what is wrong with what is in force of
 * it; only a lack of memory is an error.
 */
int source_file_load(const struct source_loading *loading, const char *path, const char *origin,
                     size_t *refusals, struct karta_error *err);

/* A number that changes when any file of the folders, or the profile file, does. */
uint64_t source_look(const struct source_options *options);

#endif
