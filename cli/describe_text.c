/* SPDX-License-Identifier: Apache-2.0 */
/* The description: a header, the tree, the phase, the pod groups, the resources. */
#include "describe_text.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "input.h"
#include "table.h"
#include "tree.h"

char *describe_count(const json_t *count, const char *one, const char *many)
{
    if (!json_is_number(count))
        return NULL;
    double number = json_number_value(count);
    return mem_format("%.15g %s", number, number == 1 ? one : many);
}

char *describe_age(long long seconds)
{
    static const struct {
        long long seconds;
        char unit;
    } units[] = {{365 * 86400LL, 'y'}, {86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (seconds >= units[i].seconds)
            return mem_format("%lld%c", seconds / units[i].seconds, units[i].unit);
    return mem_format("0s");
}

static char *age_of(const json_t *object, long long now)
{
    const char *created = input_text(json_object_get(object, "metadata"), "creationTimestamp");
    struct tm when = {0};
    if (strptime(created, "%Y-%m-%dT%H:%M:%SZ", &when) == NULL)
        return NULL;
    return describe_age(now - (long long)timegm(&when));
}

static void header_row(struct table *table, const char *name, const char *value)
{
    if (value != NULL && *value != '\0')
        table_row(table, name, value);
}

static void header(const json_t *object, const json_t *view, const char *origin,
                   const struct describe_style *style, struct strbuf *buf)
{
    const json_t *workload = json_object_get(view, "workload");
    const char *name = input_text(workload, "name");
    const char *prefix = input_text(json_object_get(object, "metadata"), "generateName");
    KARTA_AUTO_TEXT title = mem_format("%s/%s%s", input_text(workload, "kind"),
                                       *name != '\0' ? name : prefix, *name != '\0' ? "" : "*");
    KARTA_AUTO_TEXT definition = mem_format("%s (%s)", input_text(view, "definition"), origin);
    KARTA_AUTO_TEXT age = age_of(object, style->now);
    if (title == NULL || definition == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return;
    }
    text_clean(title);
    strbuf_addf(buf, style->colour ? "\033[1m%s\033[0m\n" : "%s\n", title);
    struct table table = {0};
    header_row(&table, "Namespace:", input_text(workload, "namespace"));
    header_row(&table, "Definition:", definition);
    header_row(&table, "Queue:", input_text(view, "queue"));
    header_row(&table, "Age:", age);
    table_print(&table, false, buf);
    table_dispose(&table);
}

static bool has_children(const json_t *components, const char *name)
{
    for (size_t i = 0; i < json_array_size(components); i++)
        if (strcmp(input_text(json_array_get(components, i), "owner"), name) == 0)
            return true;
    return false;
}

static void add_node(json_t *nodes, const char *key, const char *parent, const char *label,
                     const json_t *pods, const json_t *gpus, const char *note)
{
    KARTA_AUTO_TEXT pod_text = describe_count(pods, "pod", "pods");
    bool any_gpus = json_number_value(gpus) != 0;
    KARTA_AUTO_TEXT gpu_text = any_gpus ? describe_count(gpus, "GPU", "GPUs") : NULL;
    const char *cells[] = {label, pod_text != NULL ? pod_text : "",
                           gpu_text != NULL ? gpu_text : "", note, NULL};
    tree_node(nodes, key, parent, cells);
}

static const json_t *instance_gpus(const json_t *instance)
{
    return json_object_get(json_object_get(instance, "total"), "gpus");
}

static void add_instances(json_t *nodes, const char *name, const json_t *instances)
{
    for (size_t i = 0; i < json_array_size(instances); i++) {
        const json_t *instance = json_array_get(instances, i);
        const char *id = input_text(instance, "id");
        KARTA_AUTO_TEXT key = mem_format("%s\n%zu", name, i);
        if (key != NULL)
            add_node(nodes, key, name, id, json_object_get(instance, "replicas"),
                     instance_gpus(instance), "");
    }
}

static void add_component(json_t *nodes, const json_t *view, const json_t *component)
{
    const char *name = input_text(component, "name");
    const char *owner = json_string_value(json_object_get(component, "owner"));
    const char *error = input_text(component, "error");
    const json_t *instances = json_object_get(component, "instances");
    const json_t *only = json_array_get(instances, 0);
    bool unnamed = json_array_size(instances) == 1 && *input_text(only, "id") == '\0';
    const json_t *totals = json_object_get(view, "totals");
    const json_t *pods = NULL, *gpus = NULL;
    if (owner == NULL) {
        pods = json_object_get(totals, "pods");
        gpus = json_object_get(totals, "gpus");
    } else if (unnamed) {
        pods = json_object_get(only, "replicas");
        gpus = instance_gpus(only);
    }
    bool absent = owner != NULL && json_array_size(instances) == 0 && *error == '\0' &&
                  !has_children(json_object_get(view, "components"), name);
    KARTA_AUTO_TEXT note = *error != '\0' ? mem_format("error: %s", error) : NULL;
    add_node(nodes, name, owner, name, pods, gpus, note != NULL ? note : absent ? "not there" : "");
    if (!unnamed)
        add_instances(nodes, name, instances);
}

void describe_tree(const json_t *view, const struct describe_style *style, struct strbuf *buf)
{
    json_auto_t *nodes = json_array();
    const json_t *components = json_object_get(view, "components");
    for (size_t i = 0; i < json_array_size(components); i++)
        add_component(nodes, view, json_array_get(components, i));
    /* every component has a node of its own, unless memory ran out */
    if (json_array_size(nodes) < json_array_size(components))
        buf->failed = KARTA_ERR_NOMEM;
    struct table table = {0};
    tree_rows(nodes, style->boxes, &table);
    table_print(&table, false, buf);
    table_dispose(&table);
}

void describe_phase(const json_t *view, struct strbuf *buf)
{
    const json_t *phases = json_object_get(json_object_get(view, "status"), "phases");
    strbuf_adds(buf, "Phase: ");
    for (size_t i = 0; i < json_array_size(phases); i++) {
        strbuf_adds(buf, i > 0 ? ", " : "");
        strbuf_adds(buf, json_string_value(json_array_get(phases, i)));
    }
    strbuf_adds(buf, json_array_size(phases) == 0 ? "Undefined\n" : "\n");
}

void describe_text(const json_t *object, const json_t *view, const char *origin,
                   const struct describe_style *style, struct strbuf *buf)
{
    header(object, view, origin, style, buf);
    strbuf_addc(buf, '\n');
    describe_tree(view, style, buf);
    strbuf_addc(buf, '\n');
    describe_phase(view, buf);
    strbuf_addc(buf, '\n');
    describe_groups(view, style, buf);
    strbuf_addc(buf, '\n');
    describe_resources(view, style, buf);
}
