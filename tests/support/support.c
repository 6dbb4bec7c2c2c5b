/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static void die(const char *what, const char *detail)
{
    fprintf(stderr, "test support: %s: %s\n", what, detail);
    abort();
}

json_t *test_json(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        die("memory", "out");
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_error_t error;
    json_t *value = json_loads(copy, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (value == NULL)
        die(error.text, copy);
    free(copy);
    return value;
}

char *test_read(const char *path, size_t *size)
{
    KARTA_AUTO_TEXT full = mem_format("%s/%s", KARTA_SOURCE_DIR, path);
    struct karta_error err = {0};
    char *bytes = NULL;
    size_t ignored;
    if (file_read(full, 64U << 20, &bytes, size != NULL ? size : &ignored, &err) != 0)
        die(path, err.message);
    return bytes;
}

static void load_folder(struct karta_snapshot *snapshot, const char *name)
{
    KARTA_AUTO_TEXT dir = mem_format("%s/%s", KARTA_SOURCE_DIR, name);
    struct karta_error err = {0};
    char **paths = NULL;
    if (file_list(dir, &paths, &err) != 0)
        die(dir, err.message);
    for (size_t i = 0; paths[i] != NULL; i++) {
        KARTA_AUTO_TEXT bytes = NULL;
        size_t size = 0;
        struct karta_problems *problems = karta_problems_new();
        if (file_read(paths[i], 1U << 20, &bytes, &size, &err) != 0 ||
            karta_snapshot_load(snapshot, bytes, size, paths[i], problems, &err) != 0)
            die(paths[i], err.message);
        if (karta_problems_refusals(problems) != 0)
            die(paths[i], karta_problems_summary(problems));
        karta_problems_free(problems);
    }
    file_list_free(paths);
}

struct karta_snapshot *test_snapshot(void)
{
    struct karta_snapshot *snapshot = karta_snapshot_new();
    if (snapshot == NULL)
        die("memory", "out");
    load_folder(snapshot, "definitions");
    load_folder(snapshot, "profiles");
    return snapshot;
}

void test_json_equal(const json_t *actual, const json_t *expected, const char *file, int line)
{
    if (json_equal((json_t *)actual, (json_t *)expected))
        return;
    size_t flags = JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_INDENT(1);
    char *a = actual != NULL ? json_dumps(actual, flags) : NULL;
    char *e = expected != NULL ? json_dumps(expected, flags) : NULL;
    print_error("actual:   %s\nexpected: %s\n", a != NULL ? a : "(null)", e != NULL ? e : "(null)");
    free(a);
    free(e);
    _fail(file, line);
}
