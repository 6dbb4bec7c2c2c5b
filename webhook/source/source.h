/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where definitions come from: the built-in catalog, then each folder in turn, its files in byte
 * order; the later wins. Each call reads everything into a new snapshot. What is kept between two
 * calls is the last good version of each file, which stands in while a later one is broken. One
 * thread at a time.
 */
#ifndef KARTA_SOURCE_H
#define KARTA_SOURCE_H

#include <jansson.h>
#include <stdbool.h>

#include "karta/snapshot.h"

struct source; /* opaque */

struct source_options {
    const char *const *dirs;
    size_t dir_count;
    const char *profile_file; /* loaded last; NULL: none */
};

/* New; the options' texts must outlive it. NULL: out of memory. */
struct source *source_new(const struct source_options *options);
void source_free(struct source *source);

/* Something that is wrong with one file. */
struct source_finding {
    const char *origin, *problem;
    enum karta_severity severity;
    bool kept; /* a refusal of the file's newest version: the one before is still in force */
};
typedef void source_report(void *arg, const struct source_finding *finding);

/*
 * *snapshot is new, not compiled yet.
 *
 * A file that is broken from the start is reported, and its good documents are in force; one that
 * became broken keeps its last good version whole. A folder that cannot be read, or a profile file
 * that never was a good profile, fails the whole with the folder or file named.
 */
int source_load(struct source *source, source_report *report, void *arg,
                struct karta_snapshot **snapshot, struct karta_error *err);

/*
 * New: karta_snapshot_list of a snapshot that holds what was loaded last, its entries from files
 * with `version` (eight hex digits of the file that is in force) and, where a later version of the
 * file was refused, `refused` with the reason. NULL: out of memory.
 */
json_t *source_describe(const struct source *source, const struct karta_snapshot *snapshot);

/*
 * True when the folders or the profile file are not what the last source_load saw, and have been
 * the same in two calls running: whoever writes in place is given until then.
 */
bool source_has_changed(struct source *source);
/* True when they differ, but not yet for two calls running: ask again soon. */
bool source_is_settling(const struct source *source);

/*
 * New name of the profile that `flag` (of --profile) means: its name, or where it is a path
 * (source_is_path) that of the profile in the file. KARTA_ERR_NOT_FOUND names what is loaded.
 */
int source_profile_name(const struct karta_snapshot *snapshot, const char *flag, char **name,
                        struct karta_error *err);
bool source_is_path(const char *profile);

#endif
