/* SPDX-License-Identifier: Apache-2.0 */
/* What both mutations share. The one idea: wanted values are laid over what is there, see patch.h.
 */
#include "mutate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "karta/patch.h"
#include "metadata.h"
#include "patch.h"
#include "schema.h"

static int no_memory(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

void karta_mutation_dispose(struct karta_mutation *mutation)
{
    json_decref(mutation->patch);
    json_decref(mutation->warnings);
    json_decref(mutation->audit);
    free(mutation->denial);
    free(mutation->profile);
    *mutation = (struct karta_mutation){0};
}

/* Cuts at the limit without splitting a character. */
static void cut_text(char *text, size_t limit)
{
    if (strlen(text) <= limit)
        return;
    while (limit > 0 && ((unsigned char)text[limit] & 0xC0U) == 0x80U)
        limit--;
    text[limit] = '\0';
}

int mutate_warn(struct karta_mutation *out, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (json_array_size(out->warnings) >= LIMIT_WARNINGS)
        return 0;
    cut_text(text, LIMIT_WARNING);
    return json_array_append_new(out->warnings, json_string(text)) == 0 ? 0 : KARTA_ERR_NOMEM;
}

void mutate_refuse(struct mutate *mutate, const char *format, ...)
{
    if (mutate->refusal[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(mutate->refusal, sizeof mutate->refusal, format, args);
    va_end(args);
}

int mutate_begin(struct mutate *mutate, struct karta_error *err)
{
    *mutate->out = (struct karta_mutation){.warnings = json_array(), .audit = json_object()};
    mutate->operations = json_array();
    mutate->ns = mutate->options->ns != NULL ? mutate->options->ns : "default";
    bool good =
        mutate->out->warnings != NULL && mutate->out->audit != NULL && mutate->operations != NULL;
    return good ? 0 : no_memory(err);
}

void mutate_finish(struct mutate *mutate)
{
    if (json_array_size(mutate->operations) > 0)
        mutate->out->patch = json_incref(mutate->operations);
}

const char *mutate_queue(const struct mutate *mutate)
{
    const char *label = mutate->profile->queue_label;
    if (mutate->options->queue != NULL)
        return mutate->options->queue;
    const char *queue = label != NULL ? metadata_label(mutate->object, label) : NULL;
    if (queue == NULL)
        queue = metadata_either(mutate->object, KEY_QUEUE);
    return queue != NULL ? queue : mutate->options->default_queue;
}

const json_t *mutate_map(const struct instance *instance, enum key_place place)
{
    return json_object_get(instance->metadata, place == KEY_LABEL ? "labels" : "annotations");
}

/* The input of a profile's expressions for one place (NULL: for the workload itself). */
static json_t *profile_input(const struct mutate *mutate, const struct resolved *resolved,
                             const struct plan *plan, const struct place *place)
{
    const struct planned_group *group = plan->group_count > 0 ? &plan->groups[0] : NULL;
    json_t *input = json_pack("{s:s?, s:o, s:o}", "queue", mutate->queue, "podGroup",
                              group != NULL ? plan_group_json(group, true) : json_null(),
                              "podGroups", plan_groups_json(plan, true));
    if (input == NULL || place == NULL)
        return input;
    const struct resolved_component *component = &resolved->components[place->component];
    const struct instance *instance = &component->instances[place->instance];
    json_t *subgroup = json_null();
    if (group != NULL && !group->overridden && place->subgroup != PLAN_NO_SUBGROUP) {
        const struct subgroup *own = &group->subgroups[place->subgroup];
        subgroup = json_pack("{s:s, s:I}", "name", own->name, "minMember",
                             (json_int_t)(place->late ? 0 : own->min_member));
    }
    int failed = json_object_set_new(input, "subGroup", subgroup) |
                 json_object_set_new(input, "component", json_string(component->definition->name)) |
                 json_object_set_new(input, "instance", json_string(instance->id));
    if (mutate->profile->reads_template)
        failed |= json_object_set_new(
            input, "template",
            json_pack("{s:O*, s:O*}", "metadata", instance->metadata, "spec", instance->pod_spec));
    if (mutate->profile->reads_workload)
        failed |= json_object_set(input, "workload", (json_t *)mutate->object);
    if (failed == 0)
        return input;
    json_decref(input);
    return NULL;
}

static bool is_blank(const json_t *value)
{
    return value == NULL || json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

/* Whether the value that stands there is to be replaced; false leaves it, or refuses the object. */
static bool replaces(struct mutate *mutate, const struct instance *instance, const char *key,
                     bool identity, const json_t *existing, const json_t *value,
                     const struct gang_memory *foreign)
{
    const char *text = json_string_value(existing);
    if (is_blank(existing))
        return true;
    if (json_equal(existing, value))
        return false;
    if (identity && foreign != NULL && text != NULL && gang_memory_names(foreign, text))
        return true;
    if (identity)
        mutate_refuse(mutate, "the template at %s has %s \"%.60s\" already", instance->path, key,
                      text != NULL ? text : "of another type");
    return false;
}

static int put(json_t *tree, const char *map, const char *key, json_t *value,
               struct karta_error *err)
{
    json_t *inner = json_object_get(tree, map);
    if (inner == NULL) {
        inner = json_object();
        if (json_object_set_new(tree, map, inner) != 0)
            return no_memory(err);
    }
    return json_object_set(inner, key, value) == 0 ? 0 : no_memory(err);
}

int mutate_put_field(json_t *spec, const char *pointer, json_t *value, struct karta_error *err)
{
    KARTA_AUTO_TEXT keys = strdup(pointer + 1);
    json_t *here = spec;
    if (keys == NULL)
        return no_memory(err);
    char *rest = keys;
    for (char *slash; (slash = strchr(rest, '/')) != NULL; rest = slash + 1) {
        *slash = '\0';
        json_t *next = json_object_get(here, rest);
        if (next == NULL && json_object_set_new(here, rest, next = json_object()) != 0)
            return no_memory(err);
        here = json_object_get(here, rest);
    }
    return json_object_set(here, rest, value) == 0 ? 0 : no_memory(err);
}

/* One key of the profile into the trees that are laid over metadata and spec. */
static int add_key(struct mutate *mutate, const struct instance *instance,
                   const struct profile_key *key, json_t *value, const struct gang_memory *foreign,
                   json_t *metadata, json_t *spec, struct karta_error *err)
{
    if (json_is_null(value))
        return 0;
    if (key->place == KEY_FIELD) {
        const json_t *existing = karta_pointer_get(instance->pod_spec, key->key);
        if (!replaces(mutate, instance, key->key, key->identity, existing, value, foreign))
            return 0;
        return mutate_put_field(spec, key->key, value, err);
    }
    const json_t *map = mutate_map(instance, key->place);
    const char *name = key->place == KEY_LABEL ? "labels" : "annotations";
    if (instance->metadata_path == NULL)
        mutate_refuse(mutate, "the template at %s has no metadata to write to", instance->path);
    else if (map != NULL && !json_is_object(map) && !json_is_null(map))
        mutate_refuse(mutate, "%s/%s is %s where an object belongs", instance->metadata_path, name,
                      json_type_text(json_typeof(map)));
    else if (replaces(mutate, instance, key->key, key->identity, json_object_get(map, key->key),
                      value, foreign))
        return put(metadata, name, key->key, value, err);
    return 0;
}

static int add_scheduler(struct mutate *mutate, const struct instance *instance, json_t *spec,
                         struct karta_error *err)
{
    const char *name = mutate->profile->scheduler_name;
    const json_t *existing = json_object_get(instance->pod_spec, "schedulerName");
    const char *text = json_string_value(existing);
    if (name == NULL || (text != NULL && strcmp(text, name) == 0))
        return 0;
    if (!is_blank(existing) && (text == NULL || strcmp(text, "default-scheduler") != 0)) {
        mutate_refuse(mutate, "the template at %s has schedulerName \"%.60s\" already",
                      instance->path, text != NULL ? text : "of another type");
        return 0;
    }
    return json_object_set_new(spec, "schedulerName", json_string(name)) == 0 ? 0 : no_memory(err);
}

static void check_shape(struct mutate *mutate, const struct instance *instance)
{
    const json_t *metadata = instance->metadata;
    if (!json_is_object(instance->pod_spec))
        mutate_refuse(mutate, "the template at %s has no pod spec", instance->path);
    if (metadata != NULL && !json_is_object(metadata) && !json_is_null(metadata))
        mutate_refuse(mutate, "%s is %s where an object belongs", instance->metadata_path,
                      json_type_text(json_typeof(metadata)));
}

int mutate_stamp(struct mutate *mutate, const struct resolved *resolved, const struct plan *plan,
                 const struct place *place, const struct gang_memory *foreign,
                 struct karta_error *err)
{
    const struct karta_profile *profile = mutate->profile;
    const struct instance *instance =
        &resolved->components[place->component].instances[place->instance];
    json_auto_t *metadata = json_object(), *spec = json_object(), *values = NULL;
    json_auto_t *input = profile_input(mutate, resolved, plan, place);
    if (metadata == NULL || spec == NULL || input == NULL)
        return no_memory(err);
    check_shape(mutate, instance);
    if (mutate->refusal[0] != '\0')
        return 0;
    int code = profile_evaluate(profile->keys, profile->key_count, profile->program, input,
                                mutate->options->deadline_ms, &values, err);
    if (code == KARTA_ERR_EXPRESSION) {
        mutate_refuse(mutate, "profile %s: %s", profile->name, err != NULL ? err->message : "");
        karta_error_init(err);
        return 0;
    }
    for (size_t k = 0; code == 0 && k < profile->key_count; k++)
        code = add_key(mutate, instance, &profile->keys[k], json_array_get(values, k), foreign,
                       metadata, spec, err);
    if (code == 0)
        code = add_scheduler(mutate, instance, spec, err);
    if (code == 0 && json_object_size(metadata) > 0 && instance->metadata_path != NULL)
        code = patch_merge(mutate->operations, instance->metadata, instance->metadata_path,
                           metadata, err);
    return code == 0
               ? patch_merge(mutate->operations, instance->pod_spec, instance->spec_path, spec, err)
               : code;
}

static bool takes_kind(const struct workload_keys *keys, const struct gvk *gvk)
{
    for (size_t i = 0; i < keys->kind_count; i++)
        if (strcmp(keys->kinds[i].kind, gvk->kind) == 0 &&
            strcmp(keys->kinds[i].group, gvk->group) == 0)
            return true;
    return keys->kind_count == 0;
}

/* The profile's keys for the workload itself, where the user has none. */
static int add_workload_keys(struct mutate *mutate, const struct plan *plan, json_t *tree,
                             struct karta_error *err)
{
    const struct gvk *gvk = definition_gvk(mutate->definition);
    const json_t *metadata = json_object_get(mutate->object, "metadata");
    for (size_t w = 0; w < mutate->profile->workload_count; w++) {
        const struct workload_keys *keys = &mutate->profile->workload[w];
        if (!takes_kind(keys, gvk))
            continue;
        json_auto_t *input = profile_input(mutate, NULL, plan, NULL);
        json_auto_t *values = NULL;
        if (input == NULL || json_object_set(input, "workload", (json_t *)mutate->object) != 0)
            return no_memory(err);
        int code = profile_evaluate(keys->keys, keys->key_count, keys->program, input,
                                    mutate->options->deadline_ms, &values, err);
        for (size_t k = 0; code == 0 && k < keys->key_count; k++) {
            const char *map = keys->keys[k].place == KEY_LABEL ? "labels" : "annotations";
            const json_t *existing =
                json_object_get(json_object_get(metadata, map), keys->keys[k].key);
            json_t *value = json_array_get(values, k);
            if (!json_is_null(value) && is_blank(existing))
                code = put(tree, map, keys->keys[k].key, value, err);
        }
        if (code != 0)
            return code;
    }
    return 0;
}

static char *memory_text(const struct mutate *mutate, const struct plan *plan,
                         const struct gang_owner *owner, const char *nonce)
{
    json_auto_t *memory = json_pack(
        "{s:i, s:{s:s, s:s, s:s, s:s*, s:s*}, s:s, s:s, s:s*, s:o}", "v", 1, "for", "group",
        owner->group, "kind", owner->kind, "namespace", owner->ns, "name", owner->name,
        "generateName", owner->generate_name, "profile", mutate->profile->name, "nonce", nonce,
        "queue", mutate->queue, "groups", plan_groups_json(plan, false));
    return memory != NULL ? json_dumps(memory, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

int mutate_remember(struct mutate *mutate, const struct plan *plan, const struct gang_owner *owner,
                    const char *nonce, struct karta_error *err)
{
    KARTA_AUTO_TEXT text = memory_text(mutate, plan, owner, nonce);
    json_auto_t *tree = json_object();
    if (text == NULL || tree == NULL)
        return no_memory(err);
    if (strlen(text) > LIMIT_GANG_ANNOTATION)
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "its gang takes %zu bytes to remember; at most %u fit", strlen(text),
                               LIMIT_GANG_ANNOTATION);
    int code = add_workload_keys(mutate, plan, tree, err);
    json_auto_t *profile = json_string(mutate->profile->name);
    json_auto_t *annotation = json_string(text);
    if (code == 0)
        code = put(tree, "labels", KEY_PROFILE, profile, err);
    if (code == 0)
        code = put(tree, "annotations", KEY_GANG, annotation, err);
    return code == 0 ? patch_merge(mutate->operations, json_object_get(mutate->object, "metadata"),
                                   "/metadata", tree, err)
                     : code;
}

static int audit_text(struct mutate *mutate, const char *key, const char *text)
{
    return json_object_set_new(mutate->out->audit, key, json_string(text));
}

int mutate_audit(struct mutate *mutate, const struct plan *plan, struct karta_error *err)
{
    KARTA_AUTO_STRBUF names, minimums;
    double gpus = 0;
    strbuf_init(&names, LIMIT_GANG_ANNOTATION);
    strbuf_init(&minimums, LIMIT_GANG_ANNOTATION);
    for (size_t g = 0; g < plan->group_count; g++) {
        strbuf_addf(&names, "%s%s", g > 0 ? "," : "", plan->groups[g].name);
        strbuf_addf(&minimums, "%s%lld", g > 0 ? "," : "", (long long)plan->groups[g].min_member);
        gpus += plan->groups[g].gpus;
    }
    char text[32];
    snprintf(text, sizeof text, "%g", gpus);
    int failed = audit_text(mutate, "definition", mutate->definition->name) |
                 audit_text(mutate, "gpus", text);
    if (plan->group_count > 0)
        failed |= audit_text(mutate, "pod-groups", names.text) |
                  audit_text(mutate, "min-member", minimums.text);
    mutate->out->profile = strdup(mutate->profile->name);
    return failed == 0 && mutate->out->profile != NULL ? 0 : no_memory(err);
}

/* The minimum that the annotation states for group `g`; false where it states none for it. */
static bool stated_minimum(const struct plan *plan, size_t g, const char *text, json_int_t *value)
{
    json_auto_t *json = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    *value = -1;
    if (json_is_object(json)) {
        const json_t *own = json_object_get(json, plan->groups[g].definition->name);
        if (own == NULL)
            return false;
        if (json_is_integer(own))
            *value = json_integer_value(own);
        return true;
    }
    if (json_is_integer(json) && plan->group_count == 1)
        *value = json_integer_value(json);
    return true;
}

static int deny_minimum(struct mutate *mutate, const struct planned_group *group, const char *text,
                        struct karta_error *err)
{
    free(mutate->out->denial);
    mutate->out->denial =
        mem_format("metadata.annotations[" KEY_MIN_MEMBER "] is \"%.60s\"; pod group %s takes a "
                   "whole number from 1 to %lld",
                   text, group->definition->name, (long long)group->pods);
    return mutate->out->denial != NULL ? 0 : no_memory(err);
}

static int use_minimum(struct mutate *mutate, struct planned_group *group, const char *text,
                       json_int_t value, enum minimum_use use, struct karta_error *err)
{
    bool fits = value >= 1 && value <= group->pods;
    if (!fits && use != MINIMUM_NEAREST)
        return deny_minimum(mutate, group, text, err);
    if (use == MINIMUM_CHECK)
        return 0;
    json_int_t nearest = fits ? value : (value < 1 ? 1 : group->pods);
    if (plan_override(group, nearest) && !fits)
        mutate_warn(mutate->out, KEY_MIN_MEMBER " is \"%.60s\"; pod group %s starts with %lld",
                    text, group->definition->name, (long long)nearest);
    return 0;
}

int mutate_minimum(struct mutate *mutate, struct plan *plan, enum minimum_use use,
                   struct karta_error *err)
{
    const char *text = metadata_annotation(mutate->object, KEY_MIN_MEMBER);
    int code = 0;
    for (size_t g = 0; code == 0 && text != NULL && g < plan->group_count; g++) {
        json_int_t value;
        if (stated_minimum(plan, g, text, &value))
            code = use_minimum(mutate, &plan->groups[g], text, value, use, err);
    }
    return code;
}
