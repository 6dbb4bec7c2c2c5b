/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reflectors saw, by kind and name. The one idea: an object is kept as the text of what
 * counts in it, so that a write of somebody's status or labels is no change, and a change of one
 * object touches no other.
 */
#include "live.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/mem.h"
#include "karta_status.h"
#include "live_internal.h"

/* a group, a version and a kind */
#define ROOT_BYTES 2048U

static const json_t *metadata_of(const json_t *object)
{
    return json_object_get(object, "metadata");
}

/* New text of what a snapshot needs of the object; NULL: out of memory. */
static char *text_of(const json_t *object)
{
    static const char last_applied[] = "kubectl.kubernetes.io/last-applied-configuration";
    const json_t *metadata = metadata_of(object);
    json_auto_t *kept = json_pack(
        "{s:O?, s:O?, s:{s:O?}, s:O?}", "apiVersion", json_object_get(object, "apiVersion"), "kind",
        json_object_get(object, "kind"), "metadata", "name", json_object_get(metadata, "name"),
        "spec", json_object_get(object, "spec"));
    json_t *own = json_object_get(kept, "metadata");
    json_auto_t *annotations = json_copy(json_object_get(metadata, "annotations"));
    json_object_del(annotations, last_applied);
    if (json_object_size(annotations) > 0)
        json_object_set(own, "annotations", annotations);
    if (json_is_string(json_object_get(metadata, "deletionTimestamp")))
        json_object_set(own, "deletionTimestamp", json_object_get(metadata, "deletionTimestamp"));
    return kept != NULL ? json_dumps(kept, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

/* The kind that a Karta is for; NULL where it cannot be read. */
static json_t *root_of(const json_t *object)
{
    static const char *const path[] = {"spec", "structureDefinition", "rootComponent", "kind"};
    json_t *value = (json_t *)object;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        value = json_object_get(value, path[i]);
    return json_is_object(value) && json_dumpb(value, NULL, 0, 0) <= ROOT_BYTES ? value : NULL;
}

/* New array: others may write as many more as they like. */
static json_t *conditions_of(const json_t *object)
{
    json_t *list = json_object_get(json_object_get(object, "status"), "conditions");
    json_t *ours = json_array();
    size_t index;
    json_t *condition;
    json_array_foreach(list, index, condition)
    {
        if (karta_status_is_ours(condition))
            json_array_append(ours, condition);
    }
    return ours;
}

/* What is kept beside the text, and may change without a new snapshot. */
static void note(json_t *entry, const json_t *object)
{
    const json_t *metadata = metadata_of(object);
    json_object_set_new(entry, LIVE_CREATED, json_string(json_text(metadata, "creationTimestamp")));
    json_object_set_new(entry, LIVE_GENERATION,
                        json_integer(json_integer_value(json_object_get(metadata, "generation"))));
    json_object_set_new(
        entry, LIVE_DELETING,
        json_boolean(json_is_string(json_object_get(metadata, "deletionTimestamp"))));
    json_object_del(entry, LIVE_ROOT);
    json_object_set(entry, LIVE_ROOT, root_of(object));
    json_object_set_new(entry, LIVE_CONDITIONS, conditions_of(object));
}

static void complain(struct live *live, const char *name, const char *problem)
{
    if (!live->complained)
        LOG_WRITE(live->log, LOG_LEVEL_WARN, "an object of the cluster is not taken",
                  log_text("name", name), log_text("problem", problem));
    live->complained = true;
}

/* Whether there is room for `size` bytes more beside what is kept, of `objects` more objects. */
static bool has_room(const struct live *live, size_t objects, size_t size)
{
    return live->objects + objects <= LIVE_OBJECTS && live->bytes + size <= LIVE_BYTES;
}

static size_t size_of(const json_t *entry)
{
    return json_string_length(json_object_get(entry, LIVE_TEXT));
}

static void remove_entry(struct live *live, json_t *table, const char *name)
{
    json_t *entry = json_object_get(table, name);
    if (entry == NULL)
        return;
    live->bytes -= size_of(entry);
    live->objects--;
    json_object_del(table, name);
    live->stirred = true;
}

/* Keeps the text, or what there was where there is no room for it. */
static void keep(struct live *live, json_t *table, const char *name, const char *text,
                 const json_t *object)
{
    json_t *entry = json_object_get(table, name);
    size_t size = strlen(text);
    if (entry == NULL || strcmp(json_text(entry, LIVE_TEXT), text) != 0) {
        bool fits = size <= LIVE_OBJECT_BYTES;
        remove_entry(live, table, name);
        if (!fits || !has_room(live, 1, size)) {
            complain(live, name, fits ? "there are too many" : "it is larger than 4 MiB");
            return;
        }
        entry = json_pack("{s:s, s:s}", LIVE_TEXT, text, LIVE_VERSION,
                          json_text(metadata_of(object), "resourceVersion"));
        if (entry == NULL || json_object_set_new(table, name, entry) != 0)
            return;
        live->bytes += size;
        live->objects++;
        live->stirred = true;
    }
    json_object_set_new(entry, LIVE_ROUND, json_integer(live->round));
    note(entry, object);
}

static void lock(struct live *live)
{
    pthread_mutex_lock(&live->lock);
}

/* Gives the lock back, and says so where another snapshot is due. */
static void unlock(struct live *live, bool tell)
{
    bool stirred = tell && live->stirred;
    if (tell)
        live->stirred = false;
    pthread_mutex_unlock(&live->lock);
    if (stirred)
        live->notify(live->arg);
}

static void take(struct live_feed *feed, const json_t *object, bool tell)
{
    struct live *live = feed->live;
    const char *name = json_text(metadata_of(object), "name");
    KARTA_AUTO_TEXT text = text_of(object);
    if (name[0] == '\0' || text == NULL)
        return;
    lock(live);
    keep(live, live->tables[feed->kind], name, text, object);
    unlock(live, tell);
}

static void on_begin(void *arg)
{
    struct live_feed *feed = arg;
    lock(feed->live);
    feed->round = ++feed->live->round;
    unlock(feed->live, false);
}

static void on_present(void *arg, const json_t *object)
{
    take(arg, object, false); /* said once, at the end of the list */
}

/* What the list did not name is gone. */
static void on_end(void *arg)
{
    struct live_feed *feed = arg;
    struct live *live = feed->live;
    const char *name;
    json_t *entry;
    void *next;
    lock(live);
    json_object_foreach_safe(live->tables[feed->kind], next, name, entry)
    {
        if (json_integer_value(json_object_get(entry, LIVE_ROUND)) < feed->round)
            remove_entry(live, live->tables[feed->kind], name);
    }
    live->stirred = live->stirred || !feed->listed;
    feed->listed = true;
    unlock(live, true);
}

static void on_changed(void *arg, const json_t *object)
{
    take(arg, object, true);
}

static void on_gone(void *arg, const json_t *object)
{
    struct live_feed *feed = arg;
    lock(feed->live);
    remove_entry(feed->live, feed->live->tables[feed->kind],
                 json_text(metadata_of(object), "name"));
    unlock(feed->live, true);
}

bool live_is_whole(struct live *live)
{
    bool whole = true;
    lock(live);
    for (size_t i = 0; i < LIVE_KINDS; i++)
        whole = whole && live->feeds[i].listed;
    unlock(live, false);
    return whole;
}

struct reflector_handler live_handler(struct live *live, enum live_kind kind)
{
    return (struct reflector_handler){.begin = on_begin,
                                      .present = on_present,
                                      .end = on_end,
                                      .changed = on_changed,
                                      .gone = on_gone,
                                      .arg = &live->feeds[kind]};
}

struct live *live_new(const struct log *log, void (*notify)(void *arg), void *arg)
{
    struct live *live = calloc(1, sizeof *live);
    bool whole = live != NULL;
    for (size_t i = 0; whole && i < LIVE_KINDS; i++) {
        live->feeds[i] = (struct live_feed){.live = live, .kind = (enum live_kind)i};
        live->tables[i] = json_object();
        whole = live->tables[i] != NULL;
    }
    if (live == NULL)
        return NULL;
    pthread_mutex_init(&live->lock, NULL);
    live->log = log;
    live->notify = notify;
    live->arg = arg;
    if (whole)
        return live;
    live_free(live);
    return NULL;
}

void live_free(struct live *live)
{
    if (live == NULL)
        return;
    for (size_t i = 0; i < LIVE_KINDS; i++)
        json_decref(live->tables[i]);
    karta_snapshot_unref(live->composed);
    pthread_mutex_destroy(&live->lock);
    free(live);
}
