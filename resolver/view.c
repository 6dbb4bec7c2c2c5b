/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view as JSON. The one idea: keys are stable and null means "not known", so that policies and
 * tools read every kind alike.
 */
#include "karta/view.h"

#include <string.h>

#include "base/mem.h"
#include "gang_memory.h"
#include "metadata.h"
#include "mutate.h"
#include "plan.h"
#include "resources.h"
#include "scale.h"
#include "snapshot.h"
#include "status.h"
#include "why.h"

struct totals {
    int64_t pods;
    struct resources requests;
};

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *copy_or_null(const json_t *value)
{
    return value != NULL ? json_incref((json_t *)value) : json_null();
}

static json_t *count_json(struct count count)
{
    return count.said ? json_integer(count.value) : json_null();
}

/* Whole numbers print as such; slices of a GPU as they are. */
static json_t *gpu_json(double gpus)
{
    json_int_t whole = (json_int_t)gpus;
    return (double)whole == gpus ? json_integer(whole) : json_real(gpus);
}

static void add_images(json_t *images, const json_t *containers)
{
    for (size_t i = 0; i < json_array_size(containers); i++) {
        json_t *image = json_object_get(json_array_get(containers, i), "image");
        if (json_is_string(image))
            json_array_append(images, image);
    }
}

static json_t *images_json(const json_t *pod_spec)
{
    json_t *images = json_array();
    add_images(images, json_object_get(pod_spec, "initContainers"));
    add_images(images, json_object_get(pod_spec, "containers"));
    return images;
}

static json_t *template_json(const struct instance *instance)
{
    if (!instance_has_template(instance))
        return json_null();
    return json_pack("{s:O*, s:O*}", "metadata", instance->metadata, "spec", instance->pod_spec);
}

static const char *pod_text(const struct instance *instance, const char *key)
{
    return json_string_value(json_object_get(instance->pod_spec, key));
}

/* The pod's and the instance's resources; a quantity that is none is the component's error. */
static int read_resources(const struct resolved *resolved, size_t c, size_t i,
                          struct totals *totals, json_t **pod, json_t **total,
                          struct karta_error *err)
{
    struct resolved_component *component = &resolved->components[c];
    KARTA_CLEANUP(resources_dispose) struct resources one = {0};
    KARTA_CLEANUP(resources_dispose) struct resources all = {0};
    struct karta_error own = {0};
    int64_t pods = 0;
    int code = scale_leaf(resolved, c, i, 0, SCALE_DESIRED, &pods, &own);
    if (code == 0)
        code = resources_of_pod(component->instances[i].pod_spec, &one, &own);
    if (code == 0)
        code = resources_add(&all, &one, pods, &own);
    if (code == 0 && component_is_leaf(component->definition)) {
        code = resources_add(&totals->requests, &all, 1, &own);
        totals->pods += pods;
    }
    if (code == KARTA_ERR_NOMEM)
        return mem_error(err);
    if (code != 0) {
        resolved_component_error(component, "%s", own.message);
        *pod = json_null();
        *total = json_null();
        return 0;
    }
    *pod = json_pack("{s:o}", "requests", resources_json(&one));
    *total = json_pack("{s:o, s:o}", "requests", resources_json(&all), "gpus",
                       gpu_json(resources_gpus(&all)));
    return *pod != NULL && *total != NULL ? 0 : mem_error(err);
}

static int instance_json(const struct resolved *resolved, size_t c, size_t i, struct totals *totals,
                         json_t *list, struct karta_error *err)
{
    const struct instance *instance = &resolved->components[c].instances[i];
    json_t *pod = NULL, *total = NULL;
    int code = read_resources(resolved, c, i, totals, &pod, &total, err);
    json_t *entry = json_pack(
        "{s:s, s:o, s:o, s:o, s:s?, s:o, s:o, s:s?, s:s?, s:o, s:o}", "id", instance->id,
        "replicas", count_json(instance->replicas), "minReplicas",
        count_json(instance->min_replicas), "maxReplicas", count_json(instance->max_replicas),
        "path", instance->path, "podTemplate", template_json(instance), "images",
        images_json(instance->pod_spec), "schedulerName", pod_text(instance, "schedulerName"),
        "priorityClassName", pod_text(instance, "priorityClassName"), "pod",
        pod != NULL ? pod : json_null(), "total", total != NULL ? total : json_null());
    if (code == 0 && (entry == NULL || json_array_append(list, entry) != 0))
        code = mem_error(err);
    json_decref(entry);
    return code;
}

static json_t *kind_json(const struct gvk *kind)
{
    if (kind->kind == NULL || kind->kind[0] == '\0')
        return json_null();
    return json_pack("{s:s, s:s, s:s}", "group", kind->group, "version", kind->version, "kind",
                     kind->kind);
}

static int component_json(const struct resolved *resolved, size_t c, struct totals *totals,
                          json_t *list, struct karta_error *err)
{
    const struct resolved_component *component = &resolved->components[c];
    const struct component *definition = component->definition;
    json_auto_t *instances = json_array();
    int code = 0;
    for (size_t i = 0; code == 0 && i < component->count; i++)
        code = instance_json(resolved, c, i, totals, instances, err);
    if (code != 0)
        return code;
    json_t *owner = c == 0 ? json_null()
                           : json_string(resolved->components[definition->owner].definition->name);
    json_t *error = component->error[0] != '\0' ? json_string(component->error) : json_null();
    json_t *entry = json_pack("{s:s, s:o, s:o, s:O, s:o}", "name", definition->name, "kind",
                              kind_json(&definition->kind), "owner", owner, "instances", instances,
                              "error", error);
    return entry != NULL && json_array_append_new(list, entry) == 0 ? 0 : mem_error(err);
}

static int components_json(const struct resolved *resolved, json_t **components, json_t **totals,
                           struct karta_error *err)
{
    struct totals sum = {0};
    int code = 0;
    *components = json_array();
    for (size_t c = 0; code == 0 && c < resolved->count; c++)
        code = component_json(resolved, c, &sum, *components, err);
    if (code == 0) {
        double gpus = resources_gpus(&sum.requests);
        *totals = json_pack("{s:I, s:o, s:o}", "pods", (json_int_t)sum.pods, "gpus", gpu_json(gpus),
                            "requests", resources_json(&sum.requests));
        code = *totals != NULL ? 0 : mem_error(err);
    }
    resources_dispose(&sum.requests);
    return code;
}

/* A group of the view: the plan's entry, and what only a view says. */
static int add_group(const struct resolved *resolved, const struct plan *plan, size_t g,
                     json_t *list, struct karta_error *err)
{
    const struct planned_group *group = &plan->groups[g];
    json_auto_t *entry = plan_group_json(group, true);
    json_auto_t *why = why_json(resolved, plan, g);
    struct count count = group->per_replica ? group->replicas : (struct count){true, 1};
    int failed = json_object_set_new(entry, "key", text_or_null(group->key)) |
                 json_object_set_new(entry, "perReplica", json_boolean(group->per_replica)) |
                 json_object_set_new(entry, "count", count_json(count));
    if (group->per_replica)
        failed |= json_object_set_new(entry, "name", json_null());
    if (why == NULL || json_array_size(why) > 0)
        failed |= json_object_set(entry, "why", why);
    if (json_object_get(entry, "subGroups") == NULL)
        failed |= json_object_set_new(entry, "subGroups", json_array());
    if (json_object_get(entry, "topology") == NULL)
        failed |= json_object_set_new(entry, "topology", json_null());
    return failed == 0 && json_array_append(list, entry) == 0 ? 0 : mem_error(err);
}

/* The user's own minimum, where the shape that a ganged object has allows for it. */
static int use_minimum(const struct resolved *resolved, const struct gang_memory *memory,
                       struct plan *plan, struct karta_error *err)
{
    struct karta_mutation unused = {0};
    struct mutate mutate = {.object = resolved->object, .out = &unused};
    int code = 0;
    if (memory == NULL || mutate_keep_shape(memory, plan))
        code = mutate_minimum(&mutate, plan, MINIMUM_NEAREST, err);
    karta_mutation_dispose(&unused);
    return code;
}

static int groups_json(const struct resolved *resolved, const char *ns, json_t **groups,
                       struct karta_error *err)
{
    const struct gvk *gvk = definition_gvk(resolved->definition);
    KARTA_CLEANUP(gang_memory_dispose) struct gang_memory memory;
    KARTA_CLEANUP(plan_dispose) struct plan plan = {0};
    struct gang_owner owner = gang_owner_of(resolved->object, gvk->group, gvk->kind, ns);
    char nonce[NONCE_SIZE];
    bool known = gang_memory_read(resolved->object, ns, &memory);
    int code = name_nonce("", nonce, err);
    const struct plan_identity identity = {known ? &memory.owner : &owner,
                                           known ? memory.nonce : nonce, known ? &memory : NULL};
    if (code == 0)
        code = plan_make(resolved, &identity, &plan, err);
    if (code == 0)
        code = use_minimum(resolved, known ? &memory : NULL, &plan, err);
    *groups = json_array();
    for (size_t g = 0; code == 0 && plan.reason[0] == '\0' && g < plan.group_count; g++)
        if (plan.groups[g].pods > 0)
            code = add_group(resolved, &plan, g, *groups, err);
    return code;
}

/* What was filled in when it was ganged. */
static json_t *remembered_queue(const json_t *object, const char *ns)
{
    KARTA_CLEANUP(gang_memory_dispose) struct gang_memory memory;
    bool known = gang_memory_read(object, ns, &memory);
    return text_or_null(known ? memory.queue : NULL);
}

/* The queue as the object itself names it (any profile's label, or our own key), else as a default
 * gave it. */
static json_t *queue_of(const struct karta_snapshot *snapshot, const json_t *object, const char *ns)
{
    for (size_t i = 0; i < snapshot->profile_count; i++) {
        const char *label = snapshot->profiles[i]->queue_label;
        const char *queue = label != NULL ? metadata_label(object, label) : NULL;
        if (queue != NULL)
            return json_string(queue);
    }
    const char *queue = metadata_either(object, KEY_QUEUE);
    return queue != NULL ? json_string(queue) : remembered_queue(object, ns);
}

static json_t *workload_json(const json_t *object, const char *ns)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *name = metadata_text(object, "name");
    return json_pack("{s:O*, s:O*, s:s?, s:s?, s:o, s:o}", "apiVersion",
                     json_object_get(object, "apiVersion"), "kind", json_object_get(object, "kind"),
                     "namespace", ns, "name", name, "labels",
                     copy_or_null(json_object_get(metadata, "labels")), "annotations",
                     copy_or_null(json_object_get(metadata, "annotations")));
}

static int view_of(const struct karta_snapshot *snapshot, const struct resolved *resolved,
                   const char *ns, json_t **view, struct karta_error *err)
{
    json_auto_t *components = NULL, *totals = NULL, *groups = NULL, *status = NULL;
    json_auto_t *suspended = NULL;
    int code = groups_json(resolved, ns, &groups, err);
    if (code == 0)
        code = components_json(resolved, &components, &totals, err);
    if (code == 0)
        code = status_read(resolved, &status, &suspended, err);
    if (code != 0)
        return code;
    *view = json_pack("{s:o, s:s, s:O, s:O, s:O, s:O, s:o, s:b, s:O}", "workload",
                      workload_json(resolved->object, ns), "definition", resolved->definition->name,
                      "status", status, "suspended", suspended, "components", components, "totals",
                      totals, "queue", queue_of(snapshot, resolved->object, ns), "complete",
                      resolved_complete(resolved), "podGroups", groups);
    return *view != NULL ? 0 : mem_error(err);
}

int karta_view(const struct karta_snapshot *snapshot, const json_t *object, const char *ns,
               int64_t deadline_ms, json_t **view, struct karta_error *err)
{
    struct gvk gvk = {0};
    int code = gvk_of_object(object, &gvk, err);
    if (code != 0)
        return code;
    const struct karta_definition *definition =
        karta_snapshot_find(snapshot, gvk.group, gvk.version, gvk.kind);
    if (definition == NULL) {
        KARTA_AUTO_TEXT kind = gvk_text(gvk.group, gvk.version, gvk.kind);
        code = karta_error_set(err, KARTA_ERR_NOT_FOUND, "no definition covers %s",
                               kind != NULL ? kind : gvk.kind);
        gvk_dispose(&gvk);
        return code;
    }
    gvk_dispose(&gvk);
    const char *own = metadata_text(object, "namespace");
    struct resolved *resolved = NULL;
    code = resolve(definition, object, deadline_ms, &resolved, err);
    if (code == 0)
        code = view_of(snapshot, resolved, own != NULL ? own : (ns != NULL ? ns : "default"), view,
                       err);
    resolved_free(resolved);
    return code;
}
