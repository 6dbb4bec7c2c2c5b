/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders, read whole. Thread rule: any thread. */
#ifndef KARTA_BASE_FILE_H
#define KARTA_BASE_FILE_H

#include <stddef.h>

#include "karta/error.h"

/*
 * Reads the whole of `path` ("-": standard input), at most `cap` bytes. *bytes is new and
 * NUL-terminated past its *size. KARTA_ERR_IO with the path and the system's reason (a folder, a
 * missing file), KARTA_ERR_LIMIT, KARTA_ERR_NOMEM.
 */
int file_read(const char *path, size_t cap, char **bytes, size_t *size, struct karta_error *err);

/*
 * The same for who must never wait: what is no regular file (a FIFO, a device) is refused at once
 * (`cannot read P: is no regular file`), and "-" is a file's name.
 */
int file_read_regular(const char *path, size_t cap, char **bytes, size_t *size,
                      struct karta_error *err);

/* Writes `path` whole or not at all: a temporary file beside it, fsync, rename. `mode` as chmod. */
int file_write(const char *path, const char *bytes, size_t size, unsigned mode,
               struct karta_error *err);

/*
 * New, NULL-terminated array of the paths in folder `path` that end in .yaml, .yml or .json and do
 * not start with a dot, in byte order of their names. file_list_free frees it.
 */
int file_list(const char *path, char ***paths, struct karta_error *err);
void file_list_free(char **paths);

/*
 * New path of the data folder `name` ("definitions", "profiles"): beside the installed program
 * (<exe>/../share/karta/<name>), else in the source tree it was built from. KARTA_ERR_NOT_FOUND
 * names both.
 */
int file_data_dir(const char *name, char **path, struct karta_error *err);

#endif
