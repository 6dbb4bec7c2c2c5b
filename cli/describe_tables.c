/* SPDX-License-Identifier: Apache-2.0 */
/* The two tables of a description: pod groups with their minimums, and what the pods ask for. */
#include <string.h>

#include "base/mem.h"
#include "describe_text.h"
#include "input.h"
#include "output.h"
#include "table.h"

#define HASH_DIGITS 8

/* A number as text, "-" where it isn't known. New. */
static char *number_text(const json_t *number)
{
    if (!json_is_number(number))
        return mem_format("-");
    return mem_format("%.15g", json_number_value(number));
}

static bool is_ganged(const json_t *view)
{
    const json_t *annotations = json_object_get(json_object_get(view, "workload"), "annotations");
    return *input_text(annotations, "workloadmap.dev/gang") != '\0';
}

/* The name's hash is made of the request that creates the workload, so it is not known before. */
static char *group_name(const json_t *view, const json_t *group)
{
    char *name = mem_format("%s", input_text(group, "name"));
    size_t size = name != NULL ? strlen(name) : 0;
    if (!is_ganged(view) && size > HASH_DIGITS && name[size - HASH_DIGITS - 1] == '-')
        memset(name + size - HASH_DIGITS, '?', HASH_DIGITS);
    return name;
}

static char *group_count(const json_t *group)
{
    KARTA_AUTO_TEXT count = number_text(json_object_get(group, "count"));
    bool several = json_is_true(json_object_get(group, "perReplica"));
    return mem_format("%s%s", several ? "x" : "", several && count != NULL ? count : "");
}

static char *subgroups_text(const json_t *group)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    const json_t *subgroups = json_object_get(group, "subGroups");
    for (size_t i = 0; i < json_array_size(subgroups); i++) {
        const json_t *subgroup = json_array_get(subgroups, i);
        KARTA_AUTO_TEXT least = number_text(json_object_get(subgroup, "minMember"));
        strbuf_addf(&buf, "%s%s %s", i > 0 ? ", " : "", least != NULL ? least : "",
                    input_text(subgroup, "name"));
    }
    return strbuf_take(&buf);
}

/* Why it starts with fewer pods than it has; empty where it doesn't. */
static char *why_text(const json_t *group)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    const json_t *why = json_object_get(group, "why");
    for (size_t i = 0; i < json_array_size(why); i++)
        strbuf_addf(&buf, "%s%s", i > 0 ? ", " : "", json_string_value(json_array_get(why, i)));
    return strbuf_take(&buf);
}

static void group_row(struct table *table, const json_t *view, const json_t *group)
{
    KARTA_AUTO_TEXT name = group_name(view, group);
    KARTA_AUTO_TEXT least = number_text(json_object_get(group, "minMember"));
    KARTA_AUTO_TEXT pods = number_text(json_object_get(group, "pods"));
    KARTA_AUTO_TEXT subgroups = subgroups_text(group);
    KARTA_AUTO_TEXT count = group_count(group);
    KARTA_AUTO_TEXT why = why_text(group);
    if (name == NULL || least == NULL || pods == NULL || subgroups == NULL || count == NULL ||
        why == NULL)
        table->failed = true;
    else if (*count != '\0')
        table_row(table, name, least, pods, *subgroups != '\0' ? subgroups : "-", count, why);
    else
        table_row(table, name, least, pods, *subgroups != '\0' ? subgroups : "-", why);
}

void describe_groups(const json_t *view, const struct describe_style *style, struct strbuf *buf)
{
    const json_t *groups = json_object_get(view, "podGroups");
    if (json_array_size(groups) == 0) {
        strbuf_adds(buf, "Pod groups: none\n");
        return;
    }
    struct table table = {.width = style->width};
    table_row(&table, "POD GROUP", "MIN-MEMBER", "PODS", "SUBGROUPS");
    for (size_t i = 0; i < json_array_size(groups); i++)
        group_row(&table, view, json_array_get(groups, i));
    table_print(&table, style->colour, buf);
    table_dispose(&table);
}

static const char *request(const json_t *sum, const char *name)
{
    const char *text = input_text(json_object_get(sum, "requests"), name);
    return *text != '\0' ? text : "-";
}

static void resource_row(struct table *table, const char *name, const json_t *pods,
                         const json_t *sum)
{
    KARTA_AUTO_TEXT pod_text = number_text(pods);
    KARTA_AUTO_TEXT gpus = number_text(json_object_get(sum, "gpus"));
    if (pod_text == NULL || gpus == NULL)
        table->failed = true;
    else
        table_row(table, name, pod_text, gpus, request(sum, "cpu"), request(sum, "memory"));
}

static void component_rows(struct table *table, const json_t *component)
{
    const json_t *instances = json_object_get(component, "instances");
    const char *name = input_text(component, "name");
    for (size_t i = 0; i < json_array_size(instances); i++) {
        const json_t *instance = json_array_get(instances, i);
        const char *id = input_text(instance, "id");
        KARTA_AUTO_TEXT full = mem_format("%s%s%s", name, *id != '\0' ? "/" : "", id);
        if (full == NULL)
            table->failed = true;
        else
            resource_row(table, full, json_object_get(instance, "replicas"),
                         json_object_get(instance, "total"));
    }
}

void describe_resources(const json_t *view, const struct describe_style *style, struct strbuf *buf)
{
    struct table table = {.width = style->width};
    table_row(&table, "COMPONENT", "REPLICAS", "GPU", "CPU", "MEMORY");
    const json_t *components = json_object_get(view, "components");
    for (size_t i = 0; i < json_array_size(components); i++)
        component_rows(&table, json_array_get(components, i));
    const json_t *totals = json_object_get(view, "totals");
    resource_row(&table, "TOTAL", json_object_get(totals, "pods"), totals);
    table_print(&table, style->colour, buf);
    table_dispose(&table);
}
