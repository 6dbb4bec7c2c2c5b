/* SPDX-License-Identifier: Apache-2.0 */
/* An entry is known by manager, operation and subresource. An update takes what it changes from
 * every other entry; nobody can stop it. */
#include "managed_internal.h"

#include <string.h>

#include "clock.h"

static const char *const nobodys[] = {"name",
                                      "namespace",
                                      "uid",
                                      "resourceVersion",
                                      "generation",
                                      "creationTimestamp",
                                      "deletionTimestamp",
                                      "deletionGracePeriodSeconds",
                                      "generateName",
                                      "selfLink",
                                      "managedFields"};

json_t *managed_view(const struct api_writer *writer, const json_t *object)
{
    if (writer->status)
        return json_pack("{sO*}", "status", json_object_get(object, "status"));
    json_t *view = json_copy((json_t *)object);
    json_object_del(view, "apiVersion");
    json_object_del(view, "kind");
    if (writer->kind->status && !writer->whole)
        json_object_del(view, "status");
    json_t *metadata = json_copy(json_object_get(object, "metadata"));
    for (size_t i = 0; i < sizeof nobodys / sizeof nobodys[0]; i++)
        json_object_del(metadata, nobodys[i]);
    json_object_del(view, "metadata");
    if (json_object_size(metadata) > 0)
        json_object_set(view, "metadata", metadata);
    json_decref(metadata);
    return view;
}

json_t *managed_put_back(const struct api_writer *writer, const json_t *live, const json_t *view)
{
    if (writer->status) {
        json_t *object = json_copy((json_t *)live);
        json_object_del(object, "status");
        json_object_update(object, (json_t *)view);
        json_object_set_new(object, "metadata", json_copy(json_object_get(live, "metadata")));
        return object;
    }
    json_t *object = json_copy((json_t *)view);
    json_t *meta = json_copy(json_object_get(view, "metadata"));
    if (meta == NULL)
        meta = json_object();
    for (size_t i = 0; i < sizeof nobodys / sizeof nobodys[0]; i++)
        json_object_set(meta, nobodys[i],
                        json_object_get(json_object_get(live, "metadata"), nobodys[i]));
    json_object_set_new(object, "metadata", meta);
    json_object_set(object, "apiVersion", json_object_get(live, "apiVersion"));
    json_object_set(object, "kind", json_object_get(live, "kind"));
    if (writer->kind->status)
        json_object_set(object, "status", json_object_get(live, "status"));
    return object;
}

static const char *text(const json_t *entry, const char *key)
{
    const char *value = json_string_value(json_object_get(entry, key));
    return value != NULL ? value : "";
}

bool managed_is_writers(const struct api_writer *writer, const json_t *entry)
{
    return strcmp(text(entry, "manager"), writer->manager) == 0 &&
           strcmp(text(entry, "operation"), writer->apply ? "Apply" : "Update") == 0 &&
           strcmp(text(entry, "subresource"), writer->status ? "status" : "") == 0;
}

json_t *managed_entries(const json_t *object)
{
    return json_object_get(json_object_get(object, "metadata"), "managedFields");
}

json_t *managed_entry(const struct api_writer *writer, const json_t *object)
{
    size_t index;
    json_t *entry;
    json_array_foreach(managed_entries(object), index,
                       entry) if (managed_is_writers(writer, entry)) return entry;
    return NULL;
}

static json_t *entry_new(const struct api_writer *writer, json_t *fields)
{
    char now[CLOCK_TEXT];
    clock_text(now);
    json_t *entry =
        json_pack("{ss ss ss ss ss so}", "manager", writer->manager, "operation",
                  writer->apply ? "Apply" : "Update", "apiVersion", writer->kind->api_version,
                  "time", now, "fieldsType", "FieldsV1", "fieldsV1", fields);
    if (writer->status)
        json_object_set_new(entry, "subresource", json_string("status"));
    return entry;
}

void managed_rewrite(const struct api_writer *writer, json_t *object, const json_t *entries,
                     json_t *mine, const json_t *taken)
{
    json_t *list = json_array();
    size_t index;
    json_t *entry;
    json_array_foreach(entries, index, entry)
    {
        bool is_mine = managed_is_writers(writer, entry);
        json_t *fields = is_mine ? mine : fields_without(json_object_get(entry, "fieldsV1"), taken);
        if (fields == NULL)
            continue;
        json_t *copy = is_mine ? entry_new(writer, mine) : json_copy(entry);
        if (is_mine)
            mine = NULL;
        else
            json_object_set_new(copy, "fieldsV1", fields);
        json_array_append_new(list, copy);
    }
    if (mine != NULL)
        json_array_append_new(list, entry_new(writer, mine));
    json_object_set_new(json_object_get(object, "metadata"), "managedFields", list);
}

void managed_update(const struct api_writer *writer, const json_t *before, json_t *after)
{
    json_auto_t *old = managed_view(writer, before);
    json_auto_t *now = managed_view(writer, after);
    json_auto_t *old_set = before != NULL ? fields_of("", old) : NULL;
    json_auto_t *now_set = fields_of("", now);
    json_auto_t *changed = before != NULL ? fields_changed("", old, now) : json_incref(now_set);
    json_auto_t *removed = fields_without(old_set, now_set);
    json_auto_t *taken = fields_union(changed, removed);
    json_t *entry = managed_entry(writer, before);
    json_auto_t *kept = fields_without(json_object_get(entry, "fieldsV1"), removed);
    json_auto_t *entries = json_incref(managed_entries(before));
    managed_rewrite(writer, after, entries, fields_union(kept, changed), taken);
}
