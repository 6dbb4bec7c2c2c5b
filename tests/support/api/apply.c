/* SPDX-License-Identifier: Apache-2.0 */
/* Server-side apply: the manager owns what it applies; what others own and would be changed is a
 * conflict; what it applied before, no longer applies and nobody else owns goes. */
#include <string.h>

#include "base/mem.h"
#include "managed_internal.h"

static json_t *merge(const char *name, const json_t *live, const json_t *applied);

static json_t *merge_items(const char *name, const json_t *live, const json_t *applied)
{
    json_t *list = json_copy((json_t *)live);
    size_t index;
    json_t *item;
    json_array_foreach(applied, index, item)
    {
        KARTA_AUTO_TEXT key = fields_key(name, item);
        size_t at = 0;
        json_t *old = fields_item(name, list, key, &at);
        if (old != NULL)
            json_array_set_new(list, at, merge("", old, item));
        else
            json_array_append_new(list, json_deep_copy(item));
    }
    return list;
}

static json_t *merge(const char *name, const json_t *live, const json_t *applied)
{
    if (fields_is_list(name, live) && fields_is_list(name, applied))
        return merge_items(name, live, applied);
    if (!fields_is_map(name, live) || !fields_is_map(name, applied))
        return json_deep_copy((json_t *)applied);
    json_t *map = json_copy((json_t *)live);
    const char *key;
    json_t *child;
    json_object_foreach((json_t *)applied, key, child)
        json_object_set_new(map, key, merge(key, json_object_get(live, key), child));
    return map;
}

/* Where a node of a set is in a value. */
struct spot {
    json_t *holder;
    const char *field; /* of a map; of a list of maps, the item's key */
    bool item;
    size_t at;
};

/* `rest` (taken) there; NULL, or nothing in it: it goes. */
static void put_rest(const struct spot *spot, json_t *rest)
{
    bool empty = json_object_size(rest) == 0 && json_array_size(rest) == 0;
    if (!empty && spot->item)
        json_array_set(spot->holder, spot->at, rest);
    else if (!empty)
        json_object_set(spot->holder, spot->field, rest);
    else if (spot->item)
        json_array_remove(spot->holder, spot->at);
    else
        json_object_del(spot->holder, spot->field);
    json_decref(rest);
}

/* New: `value` without the members of `gone`, unless they hold what is kept. */
static json_t *prune(const char *name, const json_t *value, const json_t *gone, const json_t *kept)
{
    json_t *left = json_copy((json_t *)value);
    const char *key;
    json_t *node;
    json_object_foreach((json_t *)gone, key, node)
    {
        if (strcmp(key, ".") == 0)
            continue;
        struct spot spot = {left, key + 2, key[0] == 'k', 0};
        json_t *holds = json_object_get(kept, key);
        json_t *child = spot.item ? fields_item(name, left, spot.field, &spot.at)
                                  : json_object_get(left, spot.field);
        bool leaf = json_object_size(node) == 0;
        if (child == NULL || (leaf && holds != NULL))
            continue;
        bool whole = fields_is_member(node) && holds == NULL;
        put_rest(&spot, whole ? NULL : prune(spot.item ? "" : spot.field, child, node, holds));
    }
    return left;
}

struct conflicts {
    json_t *causes; /* the Status' own */
    json_t *owners; /* manager as printed, to a list of paths */
    const char *owner;
};

static void note(void *arg, const char *path)
{
    struct conflicts *conflicts = arg;
    KARTA_AUTO_TEXT message = mem_format("conflict with %s", conflicts->owner);
    json_array_append_new(conflicts->causes,
                          json_pack("{ss ss ss}", "reason", "FieldManagerConflict", "message",
                                    message, "field", path));
    json_t *paths = json_object_get(conflicts->owners, conflicts->owner);
    if (paths == NULL)
        json_object_set_new(conflicts->owners, conflicts->owner, paths = json_array());
    json_array_append_new(paths, json_string(path));
}

static const char *text(const json_t *entry, const char *key)
{
    return json_string_value(json_object_get(entry, key));
}

/* "kubectl" with subresource "status" using v1 at 2024-01-01T00:00:00Z */
static char *owner_text(const json_t *entry)
{
    const char *sub = text(entry, "subresource");
    bool update = strcmp(text(entry, "operation"), "Update") == 0;
    KARTA_AUTO_TEXT with = sub != NULL ? mem_format(" with subresource \"%s\"", sub) : NULL;
    KARTA_AUTO_TEXT how =
        update ? mem_format(" using %s at %s", text(entry, "apiVersion"), text(entry, "time"))
               : NULL;
    return mem_format("\"%s\"%s%s", text(entry, "manager"), with != NULL ? with : "",
                      how != NULL ? how : "");
}

static void refuse(const struct conflicts *conflicts, struct api_answer *answer)
{
    size_t count = json_array_size(conflicts->causes);
    char *message = mem_format("Apply failed with %zu conflict%s: ", count, count > 1 ? "s" : "");
    const char *owner;
    json_t *paths;
    const char *between = "";
    json_object_foreach(conflicts->owners, owner, paths)
    {
        KARTA_AUTO_TEXT before = message;
        message = mem_format("%s%sconflict%s with %s:%s", before, between, count > 1 ? "s" : "",
                             owner, count > 1 ? "" : " ");
        size_t index;
        json_t *path;
        json_array_foreach(paths, index, path)
        {
            KARTA_AUTO_TEXT so_far = message;
            message =
                mem_format("%s%s%s", so_far, count > 1 ? "\n- " : "", json_string_value(path));
        }
        between = "\n";
    }
    KARTA_AUTO_TEXT whole = message;
    answer_status(answer, 409, "Conflict", json_pack("{sO}", "causes", conflicts->causes), "%s",
                  whole);
}

static json_t *of_others(const struct api_writer *writer, const json_t *entries)
{
    json_t *set = NULL;
    size_t index;
    json_t *entry;
    json_array_foreach(entries, index, entry)
    {
        if (managed_is_writers(writer, entry))
            continue;
        json_t *more = fields_union(set, json_object_get(entry, "fieldsV1"));
        json_decref(set);
        set = more;
    }
    return set;
}

static bool conflicts_with(const struct api_writer *writer, const json_t *entries,
                           const json_t *changed, struct api_answer *answer)
{
    json_auto_t *causes = json_array();
    json_auto_t *owners = json_object();
    size_t index;
    json_t *entry;
    json_array_foreach(entries, index, entry)
    {
        if (managed_is_writers(writer, entry))
            continue;
        json_auto_t *both = fields_both(json_object_get(entry, "fieldsV1"), changed);
        KARTA_AUTO_TEXT owner = owner_text(entry);
        struct conflicts conflicts = {causes, owners, owner};
        fields_each(both, "", note, &conflicts);
    }
    if (json_array_size(causes) == 0 || writer->force)
        return false;
    refuse(&(struct conflicts){causes, owners, NULL}, answer);
    return true;
}

json_t *managed_apply(const struct api_writer *writer, const json_t *live, const json_t *applied,
                      struct api_answer *answer)
{
    json_auto_t *live_view = live != NULL ? managed_view(writer, live) : json_object();
    json_auto_t *view = managed_view(writer, applied);
    json_auto_t *entries = json_incref(managed_entries(live));
    json_auto_t *merged = merge("", live_view, view);
    if (json_object_size(view) == 0) {
        json_decref(merged);
        merged = json_incref(live_view);
    }
    json_auto_t *changed = fields_changed("", live_view, merged);
    if (conflicts_with(writer, entries, changed, answer))
        return NULL;
    json_auto_t *mine = fields_of("", view);
    json_auto_t *others = of_others(writer, entries);
    json_auto_t *kept = fields_union(mine, others);
    json_t *before = json_object_get(managed_entry(writer, live), "fieldsV1");
    json_auto_t *gone = fields_without(before, kept);
    json_auto_t *pruned = prune("", merged, gone, kept);
    json_t *object = managed_put_back(writer, live != NULL ? live : applied, pruned);
    json_auto_t *taken = fields_union(changed, gone);
    managed_rewrite(writer, object, entries, json_object_size(mine) > 0 ? json_incref(mine) : NULL,
                    taken);
    return object;
}
