/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated workloads. The one idea: what real manifests say stays valid where names, metadata,
 * counts and the order of lists change, so every definition is met with shapes of its own.
 */
#include "gang_make.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/document.h"
#include "support.h"

#define DEPTH 24

size_t roll(struct dice *dice, size_t sides)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return sides > 0 ? (size_t)(dice->state % sides) : 0;
}

bool chance(struct dice *dice, size_t one_in)
{
    return roll(dice, one_in) == 0;
}

static bool add_file(json_t *corpus, const char *path)
{
    KARTA_AUTO_TEXT full = mem_format("%s/%s", KARTA_SOURCE_DIR, path);
    FILE *file = fopen(full, "r");
    if (file == NULL)
        return false;
    fclose(file);
    size_t size;
    KARTA_AUTO_TEXT bytes = test_read(path, &size);
    json_auto_t *documents = NULL;
    if (karta_documents_parse(bytes, size, &documents, NULL) == 0)
        json_array_extend(corpus, documents);
    return true;
}

/* Calls add_file for `format` made of every entry of a folder. */
static void add_folder(json_t *corpus, const char *folder)
{
    KARTA_AUTO_TEXT full = mem_format("%s/%s", KARTA_SOURCE_DIR, folder);
    DIR *dir = opendir(full);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') != NULL)
            continue;
        KARTA_AUTO_TEXT path = mem_format("%s/%s", folder, entry->d_name);
        KARTA_AUTO_TEXT object = mem_format("%s/object.yaml", path);
        if (strcmp(folder, "tests/conformance") == 0)
            add_folder(corpus, path);
        else
            add_file(corpus, object);
    }
    closedir(dir);
}

json_t *make_corpus(void)
{
    json_t *corpus = json_array();
    add_folder(corpus, "tests/conformance");
    add_file(corpus, "manifests/examples/job.yaml");
    add_file(corpus, "manifests/examples/jobset.yaml");
    add_file(corpus, "manifests/examples/pytorchjob.yaml");
    assert_true(json_array_size(corpus) > 100);
    return corpus;
}

char *make_name(struct dice *dice)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789--..";
    static const char *const common[] = {"a", "b", "a-b", "a.b", "train", "b-a"};
    char name[64];
    if (chance(dice, 3))
        return mem_format("%s", common[roll(dice, 6)]);
    size_t size = 1 + roll(dice, chance(dice, 4) ? 63 : 12);
    for (size_t i = 0; i < size; i++)
        name[i] = letters[roll(dice, i == 0 || i + 1 == size ? 36 : sizeof letters - 1)];
    name[size] = '\0';
    return mem_format("%s", name);
}

static json_t *map_of(json_t *metadata, const char *key)
{
    json_t *map = json_object_get(metadata, key);
    if (json_is_object(map))
        return map;
    json_object_set_new(metadata, key, json_object());
    return json_object_get(metadata, key);
}

/* Other people's keys, some that need escaping. */
static void add_metadata(struct dice *dice, json_t *metadata)
{
    static const char *const keys[] = {"app", "example.com/team", "a~b", "x.y/z~0~1", "empty"};
    const char *map = chance(dice, 2) ? "labels" : "annotations";
    switch (roll(dice, 4)) {
    case 0:
        if (json_object_size(json_object_get(metadata, map)) == 0)
            json_object_set_new(metadata, map, json_null());
        return;
    case 1:
        map_of(metadata, map);
        return;
    default:
        json_object_set_new(map_of(metadata, map), keys[roll(dice, 5)], json_string("theirs"));
    }
}

static void change_template(struct dice *dice, json_t *template)
{
    json_t *spec = json_object_get(template, "spec");
    if (chance(dice, 4))
        json_object_set_new(spec, "schedulerName", json_string("default-scheduler"));
    if (chance(dice, 4))
        json_object_set_new(
            spec, "tolerations",
            json_pack("[{s:s, s:i}]", "operator", "Exists", "tolerationSeconds", 9));
    if (chance(dice, 8) && !json_is_object(json_object_get(template, "metadata")))
        json_object_set_new(template, "metadata", json_null());
    if (chance(dice, 3)) {
        if (!json_is_object(json_object_get(template, "metadata")))
            json_object_set_new(template, "metadata", json_object());
        add_metadata(dice, json_object_get(template, "metadata"));
    }
}

/* Everything that looks like a pod template: its spec has containers. */
static void change_templates(struct dice *dice, json_t *value, int depth)
{
    const char *key;
    json_t *member;
    if (depth > DEPTH)
        return;
    for (size_t i = 0; i < json_array_size(value); i++)
        change_templates(dice, json_array_get(value, i), depth + 1);
    if (json_is_array(json_object_get(json_object_get(value, "spec"), "containers")))
        change_template(dice, value);
    json_object_foreach(value, key, member)
    {
        change_templates(dice, member, depth + 1);
    }
}

/* Keys of ours, and queues, are the test's to set. */
static void clear_ours(json_t *metadata)
{
    static const char *const maps[] = {"labels", "annotations"};
    const char *key;
    json_t *value;
    void *next;
    for (size_t i = 0; i < 2; i++) {
        json_object_foreach_safe(json_object_get(metadata, maps[i]), next, key, value)
        {
            if (strncmp(key, "workloadmap.dev/", 16) == 0 || strstr(key, "queue") != NULL)
                json_object_del(json_object_get(metadata, maps[i]), key);
        }
    }
    json_object_del(metadata, "namespace");
    json_object_del(metadata, "managedFields");
    json_object_del(metadata, "ownerReferences");
    json_object_del(metadata, "deletionTimestamp");
}

json_t *make_workload(struct dice *dice, const json_t *object)
{
    json_t *made = json_deep_copy(object);
    if (!json_is_object(json_object_get(made, "metadata")))
        json_object_set_new(made, "metadata", json_object());
    json_t *metadata = json_object_get(made, "metadata");
    KARTA_AUTO_TEXT name = make_name(dice);
    clear_ours(metadata);
    bool prefix = chance(dice, 6);
    json_object_del(metadata, prefix ? "name" : "generateName");
    json_object_set_new(metadata, prefix ? "generateName" : "name", json_string(name));
    add_metadata(dice, metadata);
    if (!chance(dice, 3))
        json_object_set_new(map_of(metadata, "labels"), "workloadmap.dev/queue", json_string("q"));
    else
        json_object_set_new(map_of(metadata, "annotations"), "workloadmap.dev/inject",
                            json_string("true"));
    change_templates(dice, json_object_get(made, "spec"), 0);
    if (chance(dice, 3))
        change_instances(dice, made);
    return made;
}

/* The key that names an entry of a list, NULL where it has none or the list is a pod's. */
static const char *naming_key(const json_t *entry)
{
    static const char *const keys[] = {"name", "groupName"};
    if (json_object_get(entry, "image") != NULL || json_object_get(entry, "value") != NULL)
        return NULL;
    for (size_t i = 0; i < 2; i++)
        if (json_is_string(json_object_get(entry, keys[i])))
            return keys[i];
    return NULL;
}

static void change_list(struct dice *dice, json_t *list)
{
    size_t size = json_array_size(list), at = roll(dice, size);
    json_t *entry = json_array_get(list, at);
    const char *key = naming_key(entry);
    if (key == NULL)
        return;
    json_auto_t *copy = json_deep_copy(entry);
    KARTA_AUTO_TEXT name = make_name(dice);
    switch (roll(dice, 3)) {
    case 0: /* one more, at the front or behind */
        json_object_set_new(copy, key, json_string(name));
        json_array_insert(list, chance(dice, 2) ? 0 : size, copy);
        break;
    case 1: /* one less */
        if (size > 1)
            json_array_remove(list, at);
        break;
    default: /* in another order */
        json_array_remove(list, at);
        json_array_append(list, copy);
        break;
    }
}

static void change_counts(struct dice *dice, json_t *value, int depth)
{
    static const char *const counts[] = {"replicas", "minReplicas", "parallelism", "completions",
                                         "size"};
    const char *key;
    json_t *member;
    if (depth > DEPTH || json_is_array(json_object_get(value, "containers")))
        return;
    for (size_t i = 0; i < json_array_size(value); i++)
        change_counts(dice, json_array_get(value, i), depth + 1);
    if (json_array_size(value) > 0 && chance(dice, 2))
        change_list(dice, value);
    json_object_foreach(value, key, member)
    {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            if (strcmp(key, counts[i]) == 0 && json_is_integer(member) && chance(dice, 3))
                json_integer_set(member, (json_int_t)roll(dice, 7));
        change_counts(dice, member, depth + 1);
    }
}

void change_instances(struct dice *dice, json_t *object)
{
    change_counts(dice, json_object_get(object, "spec"), 0);
}
