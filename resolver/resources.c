/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of pods. The one idea: a small list by name, with "add" and "at least" over it. */
#include "resources.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

void resources_dispose(struct resources *resources)
{
    for (size_t i = 0; i < resources->count; i++)
        free(resources->list[i].name);
    free(resources->list);
    *resources = (struct resources){0};
}

static struct resource *find(const struct resources *resources, const char *name)
{
    for (size_t i = 0; i < resources->count; i++)
        if (strcmp(resources->list[i].name, name) == 0)
            return &resources->list[i];
    return NULL;
}

/* The entry of that name, zero where it is new; NULL when memory is out. */
static struct resource *find_or_add(struct resources *resources, const char *name)
{
    struct resource *found = find(resources, name);
    if (found != NULL)
        return found;
    struct resource *list =
        realloc(resources->list, (resources->count + 1) * sizeof *resources->list);
    if (list == NULL)
        return NULL;
    resources->list = list;
    char *copy = strdup(name);
    if (copy == NULL)
        return NULL;
    list[resources->count] = (struct resource){copy, {0}};
    return &list[resources->count++];
}

int resources_add(struct resources *sum, const struct resources *other, int64_t factor,
                  struct karta_error *err)
{
    for (size_t i = 0; i < other->count; i++) {
        struct resource *entry = find_or_add(sum, other->list[i].name);
        if (entry == NULL)
            return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
        struct quantity quantity = other->list[i].quantity;
        int code = quantity_multiply(&quantity, factor, err);
        if (code == 0)
            code = quantity_add(&entry->quantity, &quantity, err);
        if (code != 0)
            return karta_error_wrap(err, code, "%s", entry->name);
    }
    return 0;
}

/* Each of *resources becomes at least what `other` has. */
static int at_least(struct resources *resources, const struct resources *other,
                    struct karta_error *err)
{
    for (size_t i = 0; i < other->count; i++) {
        struct resource *entry = find_or_add(resources, other->list[i].name);
        if (entry == NULL)
            return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
        if (quantity_compare(&other->list[i].quantity, &entry->quantity) > 0)
            entry->quantity = other->list[i].quantity;
    }
    return 0;
}

static int parse_value(const char *name, const json_t *value, struct quantity *quantity,
                       struct karta_error *err)
{
    KARTA_AUTO_TEXT number = NULL;
    const char *text = json_string_value(value);
    if (json_is_number(value))
        text = number = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (text == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "%s: is no quantity", name);
    int code = quantity_parse(text, quantity, err);
    if (code == 0 && quantity->nano < 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "%s: \"%.60s\" is negative", name, text);
    return code != 0 ? karta_error_wrap(err, code, "%s", name) : 0;
}

/* Sets entries from a map of quantities; with `fill` only those that are not there yet. */
static int read_map(struct resources *resources, const json_t *map, bool fill,
                    struct karta_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)map, name, value)
    {
        struct quantity quantity;
        if (json_is_null(value) || (fill && find(resources, name) != NULL))
            continue;
        int code = parse_value(name, value, &quantity, err);
        if (code != 0)
            return code;
        struct resource *entry = find_or_add(resources, name);
        if (entry == NULL)
            return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
        entry->quantity = quantity;
    }
    return 0;
}

/* A container's requests, limits standing in where a request is absent. */
static int read_container(struct resources *resources, const json_t *container,
                          struct karta_error *err)
{
    const json_t *stated = json_object_get(container, "resources");
    int code = read_map(resources, json_object_get(stated, "requests"), false, err);
    return code != 0 ? code : read_map(resources, json_object_get(stated, "limits"), true, err);
}

static int add_container(struct resources *sum, const json_t *container, struct karta_error *err)
{
    KARTA_CLEANUP(resources_dispose) struct resources own = {0};
    int code = read_container(&own, container, err);
    return code != 0 ? code : resources_add(sum, &own, 1, err);
}

static bool restartable(const json_t *container)
{
    const char *policy = json_string_value(json_object_get(container, "restartPolicy"));
    return policy != NULL && strcmp(policy, "Always") == 0;
}

/* The largest point of initialisation into *peak, the restartable ones' sum into *running. */
static int read_init(const json_t *containers, struct resources *peak, struct resources *running,
                     struct karta_error *err)
{
    for (size_t i = 0; i < json_array_size(containers); i++) {
        const json_t *container = json_array_get(containers, i);
        KARTA_CLEANUP(resources_dispose) struct resources point = {0};
        int code = resources_add(&point, running, 1, err);
        if (code == 0)
            code = add_container(&point, container, err);
        if (code == 0 && restartable(container))
            code = add_container(running, container, err);
        if (code == 0)
            code = at_least(peak, &point, err);
        if (code != 0)
            return code;
    }
    return 0;
}

int resources_of_pod(const json_t *pod_spec, struct resources *resources, struct karta_error *err)
{
    KARTA_CLEANUP(resources_dispose) struct resources peak = {0};
    KARTA_CLEANUP(resources_dispose) struct resources overhead = {0};
    const json_t *containers = json_object_get(pod_spec, "containers");
    const json_t *stated = json_object_get(pod_spec, "resources");
    int code = read_init(json_object_get(pod_spec, "initContainers"), &peak, resources, err);
    for (size_t i = 0; code == 0 && i < json_array_size(containers); i++)
        code = add_container(resources, json_array_get(containers, i), err);
    if (code == 0)
        code = at_least(resources, &peak, err);
    if (code == 0)
        code = read_map(resources, json_object_get(stated, "requests"), false, err);
    if (code == 0)
        code = read_map(resources, json_object_get(stated, "limits"), true, err);
    if (code == 0)
        code = read_map(&overhead, json_object_get(pod_spec, "overhead"), false, err);
    return code != 0 ? code : resources_add(resources, &overhead, 1, err);
}

json_t *resources_json(const struct resources *resources)
{
    json_t *object = json_object();
    for (size_t i = 0; object != NULL && i < resources->count; i++) {
        char text[QUANTITY_TEXT];
        quantity_print(&resources->list[i].quantity, text);
        if (json_object_set_new(object, resources->list[i].name, json_string(text)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static bool is_gpu(const char *name)
{
    static const char suffix[] = "/gpu", slice[] = "nvidia.com/mig-";
    size_t size = strlen(name);
    if (size >= sizeof suffix - 1 && strcmp(name + size - (sizeof suffix - 1), suffix) == 0)
        return true;
    return strncmp(name, slice, sizeof slice - 1) == 0;
}

double resources_gpus(const struct resources *resources)
{
    double sum = 0;
    for (size_t i = 0; i < resources->count; i++)
        if (is_gpu(resources->list[i].name))
            sum += quantity_value(&resources->list[i].quantity);
    return sum;
}
