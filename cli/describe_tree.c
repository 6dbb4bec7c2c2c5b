/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a description: components, their instances and, of a live workload, its pods. Where
 * pods are known, counts say how many of the desired ones are ready.
 */
#include <string.h>

#include "base/mem.h"
#include "describe_text.h"
#include "input.h"
#include "live_pods.h"
#include "table.h"
#include "tree.h"

/* Pods of one node of the tree. */
struct tally {
    size_t ready, nodes;
};

struct drawing {
    const json_t *view;
    const struct describe_style *style;
    json_t *nodes;
    json_t *pods; /* sorted; NULL: it isn't live */
};

static bool has_children(const json_t *components, const char *name)
{
    for (size_t i = 0; i < json_array_size(components); i++)
        if (strcmp(input_text(json_array_get(components, i), "owner"), name) == 0)
            return true;
    return false;
}

/* `component` NULL: any; `id` NULL: of any instance. */
static bool belongs(const json_t *pod, const char *component, const char *id)
{
    if (component == NULL)
        return true;
    const json_t *instance = json_object_get(pod, "instance");
    return strcmp(input_text(pod, "component"), component) == 0 &&
           (id == NULL ||
            strcmp(json_is_string(instance) ? json_string_value(instance) : "", id) == 0);
}

static struct tally tally_of(const struct drawing *drawing, const char *component, const char *id)
{
    struct tally tally = {0};
    json_auto_t *nodes = json_object();
    for (size_t i = 0; i < json_array_size(drawing->pods); i++) {
        const json_t *pod = json_array_get(drawing->pods, i);
        if (!belongs(pod, component, id))
            continue;
        tally.ready += json_is_true(json_object_get(pod, "ready"));
        if (*input_text(pod, "node") != '\0')
            json_object_set_new(nodes, input_text(pod, "node"), json_true());
    }
    tally.nodes = json_object_size(nodes);
    return tally;
}

static char *pods_text(const struct drawing *drawing, const json_t *desired,
                       const struct tally *tally)
{
    if (drawing->pods == NULL || !json_is_number(desired))
        return describe_count(desired, "pod", "pods");
    return mem_format("%zu/%.15g ready", tally->ready, json_number_value(desired));
}

static void add_node(const struct drawing *drawing, const char *key, const char *parent,
                     const char *label, const json_t *pods, const json_t *gpus,
                     const struct tally *tally, const char *note)
{
    KARTA_AUTO_TEXT pod_text = pods_text(drawing, pods, tally);
    bool any_gpus = json_number_value(gpus) != 0;
    KARTA_AUTO_TEXT gpu_text = any_gpus ? describe_count(gpus, "GPU", "GPUs") : NULL;
    KARTA_AUTO_TEXT node_text =
        tally->nodes > 0 ? mem_format("%zu node%s", tally->nodes, tally->nodes == 1 ? "" : "s")
                         : NULL;
    const char *gpu = gpu_text != NULL ? gpu_text : "";
    const char *offline[] = {label, pod_text != NULL ? pod_text : "", gpu, note, NULL};
    const char *live[] = {label, pod_text != NULL ? pod_text : "",
                          gpu,   node_text != NULL ? node_text : "",
                          note,  NULL};
    tree_node(drawing->nodes, key, parent, drawing->pods != NULL ? live : offline);
}

static void add_pod(const struct drawing *drawing, const char *parent, const json_t *pod)
{
    KARTA_AUTO_TEXT key = mem_format("pod\n%s", input_text(pod, "name"));
    const char *cells[] = {input_text(pod, "name"), input_text(pod, "status"),  "",
                           input_text(pod, "node"), input_text(pod, "message"), NULL};
    if (key != NULL)
        tree_node(drawing->nodes, key, parent, cells);
}

/* Its pods, the unhealthy ones first, and a line for those that are not shown. */
static void add_pods(const struct drawing *drawing, const char *parent, const char *component,
                     const char *id)
{
    size_t shown = 0, hidden = 0, ready = 0;
    for (size_t i = 0; i < json_array_size(drawing->pods); i++) {
        const json_t *pod = json_array_get(drawing->pods, i);
        if (!belongs(pod, component, id))
            continue;
        if (shown++ < drawing->style->pod_limit) {
            add_pod(drawing, parent, pod);
        } else {
            hidden++;
            ready += json_is_true(json_object_get(pod, "ready"));
        }
    }
    KARTA_AUTO_TEXT key = mem_format("%s\nmore", parent);
    KARTA_AUTO_TEXT label = mem_format("and %zu more", hidden);
    KARTA_AUTO_TEXT count = mem_format("%zu/%zu ready", ready, hidden);
    const char *cells[] = {label, count, NULL};
    if (hidden > 0 && key != NULL && label != NULL && count != NULL)
        tree_node(drawing->nodes, key, parent, cells);
}

static const json_t *instance_gpus(const json_t *instance)
{
    return json_object_get(json_object_get(instance, "total"), "gpus");
}

static void add_instances(const struct drawing *drawing, const char *name, const json_t *instances)
{
    for (size_t i = 0; i < json_array_size(instances); i++) {
        const json_t *instance = json_array_get(instances, i);
        const char *id = input_text(instance, "id");
        struct tally tally = tally_of(drawing, name, id);
        KARTA_AUTO_TEXT key = mem_format("%s\n%zu", name, i);
        if (key == NULL)
            continue;
        add_node(drawing, key, name, id, json_object_get(instance, "replicas"),
                 instance_gpus(instance), &tally, "");
        add_pods(drawing, key, name, id);
    }
}

/* Pods whose instance isn't in the object (any more), or that no component selects. */
static void add_strays(const struct drawing *drawing, const char *root)
{
    const json_t *components = json_object_get(drawing->view, "components");
    json_auto_t *strays = json_array();
    for (size_t i = 0; i < json_array_size(drawing->pods); i++) {
        json_t *pod = json_array_get(drawing->pods, i);
        bool placed = false;
        for (size_t c = 0; c < json_array_size(components) && !placed; c++) {
            const json_t *component = json_array_get(components, c);
            const json_t *instances = json_object_get(component, "instances");
            for (size_t k = 0; k < json_array_size(instances) && !placed; k++)
                placed = belongs(pod, input_text(component, "name"),
                                 input_text(json_array_get(instances, k), "id"));
        }
        if (!placed)
            json_array_append(strays, pod);
    }
    if (json_array_size(strays) == 0)
        return;
    const char *cells[] = {"other pods", NULL};
    tree_node(drawing->nodes, "\nother", root, cells);
    const struct drawing others = {drawing->view, drawing->style, drawing->nodes, strays};
    add_pods(&others, "\nother", NULL, NULL);
}

static void add_component(const struct drawing *drawing, const json_t *component)
{
    const json_t *view = drawing->view;
    const char *name = input_text(component, "name");
    const char *owner = json_string_value(json_object_get(component, "owner"));
    const char *error = input_text(component, "error");
    const json_t *instances = json_object_get(component, "instances");
    const json_t *only = json_array_get(instances, 0);
    bool unnamed = json_array_size(instances) == 1 && *input_text(only, "id") == '\0';
    const json_t *totals = json_object_get(view, "totals");
    const json_t *pods = NULL, *gpus = NULL;
    struct tally tally = {0};
    if (owner == NULL) {
        pods = json_object_get(totals, "pods");
        gpus = json_object_get(totals, "gpus");
        tally = tally_of(drawing, NULL, NULL);
    } else if (unnamed) {
        pods = json_object_get(only, "replicas");
        gpus = instance_gpus(only);
        tally = tally_of(drawing, name, "");
    }
    bool absent = owner != NULL && json_array_size(instances) == 0 && *error == '\0' &&
                  !has_children(json_object_get(view, "components"), name);
    KARTA_AUTO_TEXT note = *error != '\0' ? mem_format("error: %s", error) : NULL;
    add_node(drawing, name, owner, name, pods, gpus, &tally,
             note != NULL ? note
             : absent     ? "not there"
                          : "");
    if (unnamed)
        add_pods(drawing, name, name, "");
    else
        add_instances(drawing, name, instances);
}

void describe_tree(const json_t *view, const struct describe_style *style, struct strbuf *buf)
{
    json_auto_t *nodes = json_array();
    const json_t *live = json_object_get(view, "pods");
    json_auto_t *pods = live != NULL ? live_pods_sorted(live) : NULL;
    const json_t *components = json_object_get(view, "components");
    const struct drawing drawing = {view, style, nodes, pods};
    for (size_t i = 0; i < json_array_size(components); i++)
        add_component(&drawing, json_array_get(components, i));
    add_strays(&drawing, input_text(json_array_get(components, 0), "name"));
    /* every component has a node of its own, unless memory ran out */
    if (json_array_size(nodes) < json_array_size(components))
        buf->failed = KARTA_ERR_NOMEM;
    struct table table = {.width = style->width};
    tree_rows(nodes, style->boxes, &table);
    table_print(&table, false, buf);
    table_dispose(&table);
}
