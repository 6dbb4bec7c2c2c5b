/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether anything changed, by what stat says: it holds on every file system and for every way to
 * replace a file (renamed over, a symlink turned, rewritten in place), where inotify does not.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "source_internal.h"

/* FNV-1a: nobody gains anything by making two states look alike. */
static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 0x100000001b3U;
    return sum;
}

static uint64_t mix_file(uint64_t sum, const char *path)
{
    struct stat info;
    sum = mix(sum, path, strlen(path) + 1);
    if (stat(path, &info) != 0)
        return mix(sum, "", 1);
    sum = mix(sum, &info.st_dev, sizeof info.st_dev);
    sum = mix(sum, &info.st_ino, sizeof info.st_ino);
    sum = mix(sum, &info.st_size, sizeof info.st_size);
    sum = mix(sum, &info.st_mtim, sizeof info.st_mtim);
    return mix(sum, &info.st_ctim, sizeof info.st_ctim);
}

static uint64_t mix_folder(uint64_t sum, const char *dir)
{
    char **paths = NULL;
    struct karta_error ignored = {0};
    sum = mix(sum, dir, strlen(dir) + 1);
    if (file_list(dir, &paths, &ignored) != 0)
        return mix(sum, ignored.message, strlen(ignored.message));
    for (size_t i = 0; paths[i] != NULL; i++)
        sum = mix_file(sum, paths[i]);
    file_list_free(paths);
    return sum;
}

uint64_t source_look(const struct source_options *options)
{
    uint64_t sum = 0xcbf29ce484222325U;
    for (size_t i = 0; i < options->dir_count; i++)
        sum = mix_folder(sum, options->dirs[i]);
    return options->profile_file != NULL ? mix_file(sum, options->profile_file) : sum;
}

bool source_has_changed(struct source *source)
{
    uint64_t now = source_look(&source->options);
    bool settled = now == source->seen;
    source->seen = now;
    return settled && now != source->loaded;
}

bool source_is_settling(const struct source *source)
{
    return source->seen != source->loaded;
}
