/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of webhooks. The one idea: whatever comes in, one sorted row of single resources is made of
 * it first, so the same sets give the same rules and no wildcard comes through.
 */
#include "configurations_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare_resources(const void *one, const void *two)
{
    const struct configurations_resource *a = one, *b = two;
    int order = strcmp(a->group, b->group);
    if (order == 0)
        order = strcmp(a->version, b->version);
    return order != 0 ? order : strcmp(a->plural, b->plural);
}

static int compare_texts(const void *one, const void *two)
{
    return strcmp(*(const char *const *)one, *(const char *const *)two);
}

static bool is_among(const struct configurations_resource *resource,
                     const struct configurations_resources *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (compare_resources(resource, &list->items[i]) == 0)
            return true;
    return false;
}

static bool is_single(const struct configurations_resource *resource)
{
    return strpbrk(resource->group, "*/") == NULL && resource->version[0] != '\0' &&
           strpbrk(resource->version, "*/") == NULL && resource->plural[0] != '\0' &&
           strpbrk(resource->plural, "*/") == NULL;
}

/* A webhook that every pod of the cluster waits for takes the cluster down with itself. */
static bool is_all_pods(const struct configurations_resource *resource)
{
    return resource->group[0] == '\0' && strcmp(resource->plural, "pods") == 0;
}

static bool is_wanted(const struct rules_input *input,
                      const struct configurations_resource *resource)
{
    return is_single(resource) && !(input->namespaced && is_all_pods(resource)) &&
           !is_among(resource, &input->without);
}

/* New row of what is wanted, sorted; NULL when memory is out. */
static struct configurations_resource *sorted(const struct rules_input *input, size_t *count)
{
    const struct configurations_resources *lists = input->resources;
    struct configurations_resource *row = mem_array(lists[0].count + lists[1].count, sizeof *row);
    *count = 0;
    if (row == NULL)
        return NULL;
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list].count; i++)
            if (is_wanted(input, &lists[list].items[i]))
                row[(*count)++] = lists[list].items[i];
    qsort(row, *count, sizeof *row, compare_resources);
    return row;
}

/* One rule of the resources from `row` on that share group and version; *used is their number. */
static json_t *rule_of(const struct configurations_resource *row, size_t count, bool namespaced,
                       size_t *used)
{
    json_t *plurals = json_array();
    size_t i = 0;
    for (; i < count && strcmp(row[i].group, row->group) == 0 &&
           strcmp(row[i].version, row->version) == 0;
         i++) {
        bool again = i > 0 && strcmp(row[i].plural, row[i - 1].plural) == 0;
        if (!again && json_array_append_new(plurals, json_string(row[i].plural)) != 0) {
            json_decref(plurals);
            return NULL;
        }
    }
    *used = i;
    return json_pack("{s:[s], s:[s], s:[s, s], s:o, s:s}", "apiGroups", row->group, "apiVersions",
                     row->version, "operations", "CREATE", "UPDATE", "resources", plurals, "scope",
                     namespaced ? "Namespaced" : "Cluster");
}

json_t *rules_new(const struct rules_input *input)
{
    size_t count, used = 0;
    struct configurations_resource *row = sorted(input, &count);
    json_t *rules = row != NULL ? json_array() : NULL;
    for (size_t i = 0; rules != NULL && i < count; i += used) {
        if (json_array_append_new(rules, rule_of(row + i, count - i, input->namespaced, &used)) !=
            0) {
            json_decref(rules);
            rules = NULL;
        }
    }
    free(row);
    return rules;
}

json_t *rules_sorted_texts(const char *const *texts, size_t count)
{
    const char **row = mem_array(count, sizeof *row);
    json_t *list = row != NULL ? json_array() : NULL;
    if (list != NULL && count > 0) {
        memcpy(row, texts, count * sizeof *row);
        qsort(row, count, sizeof *row, compare_texts);
    }
    for (size_t i = 0; list != NULL && i < count; i++) {
        bool again = i > 0 && strcmp(row[i], row[i - 1]) == 0;
        if (!again && json_array_append_new(list, json_string(row[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    free(row);
    return list;
}
