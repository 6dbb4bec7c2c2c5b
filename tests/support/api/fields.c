/* SPDX-License-Identifier: Apache-2.0 */
/* One walk makes a set of a value, one walk compares two values, and one walk combines two sets
 * by whatever rule of membership. */
#include "fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Without the schemas of a real server, names say how a field is merged. */
static const struct {
    const char *list, *key, *or_key, *with, *with_default;
} keyed[] = {
    {"webhooks", "name", NULL, NULL, NULL},
    {"conditions", "type", NULL, NULL, NULL},
    {"matchConditions", "name", NULL, NULL, NULL},
    {"ownerReferences", "uid", NULL, NULL, NULL},
    {"ports", "port", "containerPort", "protocol", "TCP"},
};

static const char *const atomic[] = {"selector", "labelSelector", "namespaceSelector",
                                     "objectSelector", "podSelector"};

bool fields_is_map(const char *name, const json_t *value)
{
    for (size_t i = 0; i < sizeof atomic / sizeof atomic[0]; i++)
        if (strcmp(name, atomic[i]) == 0)
            return false;
    return json_is_object(value) && json_object_size(value) > 0;
}

char *fields_key(const char *name, const json_t *item)
{
    for (size_t i = 0; i < sizeof keyed / sizeof keyed[0]; i++) {
        if (strcmp(name, keyed[i].list) != 0)
            continue;
        const char *key = keyed[i].key;
        if (keyed[i].or_key != NULL && json_object_get(item, key) == NULL)
            key = keyed[i].or_key;
        json_t *value = json_object_get(item, key);
        if (!json_is_string(value) && !json_is_integer(value))
            return NULL;
        json_auto_t *both = json_object();
        json_object_set(both, key, value);
        json_t *with = keyed[i].with != NULL ? json_object_get(item, keyed[i].with) : NULL;
        if (keyed[i].with != NULL)
            json_object_set_new(both, keyed[i].with,
                                with != NULL ? json_incref(with)
                                             : json_string(keyed[i].with_default));
        return json_dumps(both, JSON_COMPACT | JSON_SORT_KEYS);
    }
    return NULL;
}

bool fields_is_list(const char *name, const json_t *value)
{
    size_t index;
    json_t *item;
    json_array_foreach(value, index, item)
    {
        KARTA_AUTO_TEXT key = fields_key(name, item);
        if (key == NULL)
            return false;
    }
    return json_array_size(value) > 0;
}

json_t *fields_item(const char *name, const json_t *list, const char *key, size_t *index)
{
    size_t at;
    json_t *item;
    json_array_foreach(list, at, item)
    {
        KARTA_AUTO_TEXT other = fields_key(name, item);
        if (other != NULL && strcmp(other, key) == 0) {
            if (index != NULL)
                *index = at;
            return item;
        }
    }
    return NULL;
}

static void put_child(json_t *tree, const char *prefix, const char *name, json_t *child)
{
    KARTA_AUTO_TEXT key = mem_format("%s%s", prefix, name);
    if (child != NULL)
        json_object_set_new(tree, key, child);
}

static json_t *of_item(const json_t *item)
{
    json_t *tree = fields_of("", item);
    json_object_set_new(tree, ".", json_object());
    return tree;
}

json_t *fields_of(const char *name, const json_t *value)
{
    json_t *tree = json_object();
    const char *key;
    size_t index;
    json_t *child;
    if (fields_is_map(name, value)) {
        json_object_foreach((json_t *)value, key, child)
            put_child(tree, "f:", key, fields_of(key, child));
    } else if (fields_is_list(name, value)) {
        json_array_foreach(value, index, child)
        {
            KARTA_AUTO_TEXT text = fields_key(name, child);
            put_child(tree, "k:", text, of_item(child));
        }
    }
    return tree;
}

static json_t *or_null(json_t *tree)
{
    if (json_object_size(tree) > 0)
        return tree;
    json_decref(tree);
    return NULL;
}

static json_t *changed_items(const char *name, const json_t *before, const json_t *after)
{
    json_t *tree = json_object();
    size_t index;
    json_t *item;
    json_array_foreach(after, index, item)
    {
        KARTA_AUTO_TEXT key = fields_key(name, item);
        json_t *old = fields_item(name, before, key, NULL);
        put_child(tree, "k:", key, old != NULL ? fields_changed("", old, item) : of_item(item));
    }
    return or_null(tree);
}

json_t *fields_changed(const char *name, const json_t *before, const json_t *after)
{
    if (after == NULL || (before != NULL && json_equal((json_t *)before, (json_t *)after)))
        return NULL;
    if (fields_is_list(name, before) && fields_is_list(name, after))
        return changed_items(name, before, after);
    if (!fields_is_map(name, before) || !fields_is_map(name, after))
        return fields_of(name, after);
    json_t *tree = json_object();
    const char *key;
    json_t *child;
    json_object_foreach((json_t *)after, key, child)
        put_child(tree, "f:", key, fields_changed(key, json_object_get(before, key), child));
    return or_null(tree);
}

bool fields_is_member(const json_t *node)
{
    return node != NULL && (json_object_size(node) == 0 || json_object_get(node, ".") != NULL);
}

typedef bool membership(bool a, bool b);

/* `root`: the whole set, where empty means nothing and not "this field". */
static json_t *combine(const json_t *a, const json_t *b, membership *rule, bool root)
{
    json_t *tree = json_object();
    const json_t *const sides[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        const char *key;
        json_t *child;
        json_object_foreach((json_t *)sides[i], key, child)
        {
            if (strcmp(key, ".") == 0 || json_object_get(tree, key) != NULL)
                continue;
            json_t *both = combine(json_object_get(a, key), json_object_get(b, key), rule, false);
            if (both != NULL)
                json_object_set_new(tree, key, both);
        }
    }
    if (!root && rule(fields_is_member(a), fields_is_member(b))) {
        if (json_object_size(tree) > 0)
            json_object_set_new(tree, ".", json_object());
        return tree;
    }
    return or_null(tree);
}

static bool either(bool a, bool b)
{
    return a || b;
}

static bool both(bool a, bool b)
{
    return a && b;
}

static bool first_alone(bool a, bool b)
{
    return a && !b;
}

json_t *fields_union(const json_t *a, const json_t *b)
{
    return combine(a, b, either, true);
}

json_t *fields_both(const json_t *a, const json_t *b)
{
    return combine(a, b, both, true);
}

json_t *fields_without(const json_t *a, const json_t *b)
{
    return combine(a, b, first_alone, true);
}

/* {"name":"x"} as [name="x"] */
static char *bracket(const char *path, const char *key)
{
    json_auto_t *parts = json_loads(key, 0, NULL);
    char *text = mem_format("%s[", path);
    const char *name;
    json_t *value;
    const char *comma = "";
    json_object_foreach(parts, name, value)
    {
        KARTA_AUTO_TEXT before = text;
        KARTA_AUTO_TEXT shown = json_dumps(value, JSON_ENCODE_ANY);
        text = mem_format("%s%s%s=%s", before, comma, name, shown);
        comma = ",";
    }
    KARTA_AUTO_TEXT open = text;
    return mem_format("%s]", open);
}

void fields_each(const json_t *set, const char *path, void (*call)(void *arg, const char *path),
                 void *arg)
{
    const char *key;
    json_t *child;
    json_object_foreach((json_t *)set, key, child)
    {
        if (strcmp(key, ".") == 0)
            continue;
        KARTA_AUTO_TEXT below =
            key[0] == 'k' ? bracket(path, key + 2) : mem_format("%s.%s", path, key + 2);
        if (fields_is_member(child))
            call(arg, below);
        fields_each(child, below, call, arg);
    }
}
