/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where definitions come from: the built-in catalog, then each folder in turn, its files in byte
 * order; the later wins. One call reads everything into a new snapshot; nothing is kept between
 * calls. One thread at a time.
 */
#ifndef KARTA_SOURCE_H
#define KARTA_SOURCE_H

#include "karta/snapshot.h"

struct source_options {
    const char *const *dirs;
    size_t dir_count;
    const char *profile_file; /* loaded last; NULL: none */
};

/* Told of everything that is wrong with one file; the file's good documents are in force. */
typedef void source_report(void *arg, const char *origin, const char *problem,
                           enum karta_severity severity);

/*
 * *snapshot is new. A broken file is reported and left out; a folder that cannot be read, or a
 * profile file that is no good profile, fails the whole with the folder or file named.
 */
int source_load(const struct source_options *options, source_report *report, void *arg,
                struct karta_snapshot **snapshot, struct karta_error *err);

/*
 * New name of the profile that `flag` (of --profile) means: its name, or where it is a path
 * (source_is_path) that of the profile in the file. KARTA_ERR_NOT_FOUND names what is loaded.
 */
int source_profile_name(const struct karta_snapshot *snapshot, const char *flag, char **name,
                        struct karta_error *err);
int source_is_path(const char *profile);

#endif
