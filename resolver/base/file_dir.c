/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders: what definitions a folder holds, and where ours are. The one idea: names are taken in
 * byte order and dot names are not taken, so that a mounted ConfigMap (its ..data links) lists each
 * file once and always in the same order.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

struct list {
    char **paths; /* NULL-terminated */
    size_t count, room;
};

static void list_dispose(struct list *list)
{
    file_list_free(list->paths);
}

static void close_folder(DIR **folder)
{
    if (*folder != NULL)
        closedir(*folder);
}

void file_list_free(char **paths)
{
    if (paths == NULL)
        return;
    for (size_t i = 0; paths[i] != NULL; i++)
        free(paths[i]);
    free(paths);
}

static bool is_document(const char *name)
{
    const char *end = strrchr(name, '.');
    if (end == NULL || name[0] == '.')
        return false;
    return strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0 || strcmp(end, ".json") == 0;
}

static bool list_grow(struct list *list)
{
    if (list->count + 1 < list->room)
        return true;
    size_t room = list->room > 0 ? list->room * 2 : 16;
    char **paths = reallocarray(list->paths, room, sizeof *paths);
    if (paths == NULL)
        return false;
    list->paths = paths;
    list->room = room;
    list->paths[list->count] = NULL;
    return true;
}

static bool list_add(struct list *list, const char *folder, const char *name)
{
    if (!list_grow(list))
        return false;
    size_t size = strlen(folder);
    const char *slash = size > 0 && folder[size - 1] == '/' ? "" : "/";
    char *path = mem_format("%s%s%s", folder, slash, name);
    if (path == NULL)
        return false;
    list->paths[list->count++] = path;
    list->paths[list->count] = NULL;
    return true;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int folder_error(struct karta_error *err, int number, const char *path)
{
    char room[128];
    const char *reason = strerror_r(number, room, sizeof room);
    return karta_error_set(err, KARTA_ERR_IO, "cannot list %s: %c%s", path,
                           tolower((unsigned char)reason[0]), reason + 1);
}

int file_list(const char *path, char ***paths, struct karta_error *err)
{
    KARTA_CLEANUP(close_folder) DIR *folder = opendir(path);
    if (folder == NULL)
        return folder_error(err, errno, path);
    KARTA_CLEANUP(list_dispose) struct list list = {0};
    if (!list_grow(&list))
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    struct dirent *entry;
    while (errno = 0, (entry = readdir(folder)) != NULL)
        if (is_document(entry->d_name) && !list_add(&list, path, entry->d_name))
            return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (errno != 0)
        return folder_error(err, errno, path);
    qsort(list.paths, list.count, sizeof *list.paths, compare_paths);
    *paths = list.paths;
    list.paths = NULL;
    return KARTA_OK;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* New: the folder of the running program; NULL when the system doesn't say. */
static char *program_folder(void)
{
    char exe[4096];
    ssize_t size = readlink("/proc/self/exe", exe, sizeof exe);
    if (size <= 0 || (size_t)size >= sizeof exe)
        return NULL;
    exe[size] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    return strdup(exe);
}

int file_data_dir(const char *name, char **path, struct karta_error *err)
{
    KARTA_AUTO_TEXT folder = program_folder();
    KARTA_AUTO_TEXT installed =
        mem_format("%s/../share/karta/%s", folder != NULL ? folder : ".", name);
    KARTA_AUTO_TEXT source = mem_format("%s/%s", KARTA_SOURCE_DIR, name);
    if (installed == NULL || source == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (is_folder(installed)) {
        *path = mem_take_text(&installed);
        return KARTA_OK;
    }
    if (is_folder(source)) {
        *path = mem_take_text(&source);
        return KARTA_OK;
    }
    return karta_error_set(err, KARTA_ERR_NOT_FOUND, "no folder %s: neither %s nor %s", name,
                           installed, source);
}
