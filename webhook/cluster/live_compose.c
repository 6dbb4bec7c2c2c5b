/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what is kept to a snapshot. The one idea: only what changed is read again; the rest comes
 * from the snapshot before, compiled as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/mem.h"
#include "live_internal.h"

const char *const live_prefixes[LIVE_KINDS] = {LIVE_ORIGIN, LIVE_ORIGIN "gangprofiles/",
                                               LIVE_ORIGIN "workloadpolicies/"};

/* One object, on its way into a snapshot. */
struct item {
    const char *name;
    json_t *entry;
    bool deleting;
};

struct composing {
    struct live *live;
    struct karta_snapshot *snapshot;
    size_t from; /* where the next one is looked for in the snapshot before */
    live_report *report;
    void *arg;
};

/* The later wins: those that are being deleted first, then the younger, then the later name. */
static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->deleting != b->deleting)
        return a->deleting ? -1 : 1;
    int order = strcmp(json_text(b->entry, LIVE_CREATED), json_text(a->entry, LIVE_CREATED));
    return order != 0 ? order : strcmp(b->name, a->name);
}

/* New array of a table's objects in the order of loading; NULL: out of memory. */
static struct item *sort(json_t *table)
{
    struct item *items = mem_array(json_object_size(table) + 1, sizeof *items);
    const char *name;
    json_t *entry;
    size_t count = 0;
    if (items == NULL)
        return NULL;
    json_object_foreach(table, name, entry)
    {
        bool deleting = json_is_true(json_object_get(entry, LIVE_DELETING));
        items[count++] = (struct item){name, entry, deleting};
    }
    qsort(items, count, sizeof *items, compare);
    return items;
}

static void free_problems(struct karta_problems **problems)
{
    karta_problems_free(*problems);
}

static void tell(const struct composing *composing, const char *origin,
                 const struct karta_problems *problems)
{
    size_t own = strlen(origin) + 2; /* "origin: " */
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        const char *path = karta_problem_path(problems, i);
        char text[1024];
        path += strncmp(path, origin, own - 2) != 0 ? 0 : strlen(path) < own ? own - 2 : own;
        snprintf(text, sizeof text, "%s%s%s", path, path[0] != '\0' ? ": " : "",
                 karta_problem_message(problems, i));
        composing->report(composing->arg, origin, text, karta_problem_severity(problems, i));
    }
}

static int load(const struct composing *composing, const struct item *item, const char *origin)
{
    KARTA_CLEANUP(free_problems) struct karta_problems *problems = karta_problems_new();
    struct karta_error ignored = {0}; /* it is among the problems too */
    const char *text = json_text(item->entry, LIVE_TEXT);
    if (problems == NULL)
        return KARTA_ERR_NOMEM;
    int rc =
        karta_snapshot_load(composing->snapshot, text, strlen(text), origin, problems, &ignored);
    tell(composing, origin, problems);
    return rc == KARTA_ERR_NOMEM ? rc : 0;
}

static int put(struct composing *composing, const struct item *item, const char *prefix)
{
    KARTA_AUTO_TEXT origin = mem_format("%s%s", prefix, item->name);
    const struct karta_snapshot *before = composing->live->composed;
    if (origin == NULL)
        return KARTA_ERR_NOMEM;
    int adopted = 0;
    if (before != NULL && json_is_true(json_object_get(item->entry, LIVE_COMPOSED)))
        adopted =
            karta_snapshot_adopt_origin(composing->snapshot, before, origin, &composing->from);
    if (adopted != 0)
        return adopted > 0 ? 0 : adopted;
    int rc = load(composing, item, origin);
    return rc != 0 ? rc : json_object_set_new(item->entry, LIVE_COMPOSED, json_true());
}

static int put_table(struct composing *composing, enum live_kind kind)
{
    json_t *table = composing->live->tables[kind];
    struct item *items = sort(table);
    int rc = items != NULL ? 0 : KARTA_ERR_NOMEM;
    for (size_t i = 0; rc == 0 && i < json_object_size(table); i++)
        rc = put(composing, &items[i], live_prefixes[kind]);
    free(items);
    return rc;
}

static int is_other(void *arg, const char *origin)
{
    return strcmp(origin, arg) != 0;
}

static int put_all(struct composing *composing, const struct karta_snapshot *files,
                   const char *last)
{
    struct live *live = composing->live;
    int rc = karta_snapshot_adopt(composing->snapshot, files, last != NULL ? is_other : NULL,
                                  (void *)last, NULL);
    pthread_mutex_lock(&live->lock);
    for (size_t i = 0; rc == 0 && i < LIVE_KINDS; i++)
        rc = put_table(composing, (enum live_kind)i);
    pthread_mutex_unlock(&live->lock);
    size_t from = 0;
    if (rc == 0 && last != NULL)
        rc = karta_snapshot_adopt_origin(composing->snapshot, files, last, &from);
    return rc < 0 ? rc : 0;
}

int live_compose(struct live *live, const struct karta_snapshot *files, const char *last,
                 live_report *report, void *arg, struct karta_snapshot **snapshot,
                 struct karta_error *err)
{
    struct composing composing = {
        .live = live, .snapshot = karta_snapshot_new(), .report = report, .arg = arg};
    if (composing.snapshot == NULL || put_all(&composing, files, last) != 0) {
        karta_snapshot_unref(composing.snapshot);
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    pthread_mutex_lock(&live->lock);
    struct karta_snapshot *before = live->composed;
    live->composed = karta_snapshot_ref(composing.snapshot);
    pthread_mutex_unlock(&live->lock);
    karta_snapshot_unref(before);
    *snapshot = composing.snapshot;
    return 0;
}

/* Kinds from the last on: the prefix of Kartas is where the others begin. */
static const json_t *entry_of(const struct live *live, const char *origin)
{
    for (size_t i = LIVE_KINDS; i-- > 0;) {
        size_t size = strlen(live_prefixes[i]);
        if (strncmp(origin, live_prefixes[i], size) == 0)
            return json_object_get(live->tables[i], origin + size);
    }
    return NULL;
}

void live_describe(struct live *live, json_t *list)
{
    size_t index;
    json_t *item;
    pthread_mutex_lock(&live->lock);
    json_array_foreach(list, index, item)
    {
        const json_t *entry = entry_of(live, json_text(item, "origin"));
        if (entry != NULL)
            json_object_set_new(item, "version", json_string(json_text(entry, LIVE_VERSION)));
    }
    pthread_mutex_unlock(&live->lock);
}

json_t *live_kartas(struct live *live, const struct karta_snapshot *snapshot)
{
    json_t *list = json_array();
    const char *name;
    json_t *entry;
    pthread_mutex_lock(&live->lock);
    json_object_foreach(live->tables[LIVE_KARTAS], name, entry)
    {
        if (live->composed != snapshot || !json_is_true(json_object_get(entry, LIVE_COMPOSED)))
            continue;
        json_array_append_new(
            list, json_pack("{s:{s:s, s:o}, s:{s:{s:{s:o*}}}, s:{s:o*}}", "metadata", "name", name,
                            "generation", json_deep_copy(json_object_get(entry, LIVE_GENERATION)),
                            "spec", "structureDefinition", "rootComponent", "kind",
                            json_deep_copy(json_object_get(entry, LIVE_ROOT)), "status",
                            "conditions", json_deep_copy(json_object_get(entry, LIVE_CONDITIONS))));
    }
    pthread_mutex_unlock(&live->lock);
    return list;
}
