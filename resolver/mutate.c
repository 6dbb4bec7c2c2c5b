/* SPDX-License-Identifier: Apache-2.0 */
/* What both mutations share. The one idea: wanted values are laid over what is there, see patch.h.
 */
#include "mutate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "base/text.h"
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
    text_clean(text);
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
    mutate->wanted = json_object();
    mutate->ns = mutate->options->ns != NULL ? mutate->options->ns : "default";
    bool good =
        mutate->out->warnings != NULL && mutate->out->audit != NULL && mutate->wanted != NULL;
    return good ? 0 : no_memory(err);
}

void mutate_end(struct mutate *mutate)
{
    json_decref(mutate->wanted);
    jq_input_free(mutate->base);
    jq_input_free(mutate->of_group);
}

int mutate_finish(struct mutate *mutate, struct karta_error *err)
{
    json_auto_t *operations = json_array();
    struct karta_error own = {0};
    if (operations == NULL)
        return no_memory(err);
    int code = patch_merge(operations, mutate->object, mutate->wanted, &own);
    if (code == KARTA_ERR_CONFLICT) {
        mutate_refuse(mutate, "%s", own.message);
        json_object_clear(mutate->out->audit);
        free(mem_take_text(&mutate->out->profile));
        return 0;
    }
    if (code != 0)
        return karta_error_set(err, code, "%s", own.message);
    if (json_array_size(operations) > 0)
        mutate->out->patch = json_incref(operations);
    return 0;
}

const char *mutate_queue(const struct mutate *mutate)
{
    const char *label = mutate->profile->queue_label;
    const char *queue = label != NULL ? metadata_label(mutate->object, label) : NULL;
    if (queue == NULL)
        queue = metadata_either(mutate->object, KEY_QUEUE);
    return queue != NULL ? queue : mutate->options->default_queue;
}

const struct spot *mutate_spot(const struct instance *instance, enum key_place place)
{
    return place == KEY_LABEL ? &instance->labels : &instance->annotations;
}

int mutate_want(struct mutate *mutate, const struct instance *instance, enum key_place place,
                const char *key, json_t *value, struct karta_error *err)
{
    KARTA_AUTO_TEXT pointer = NULL;
    const char *base =
        place == KEY_FIELD ? instance->spec.path : mutate_spot(instance, place)->path;
    if (base == NULL)
        return 0;
    pointer = place == KEY_FIELD ? mem_format("%s%s", base, key) : pointer_join(base, key);
    return pointer != NULL ? wanted_put(mutate->wanted, pointer, value, err) : no_memory(err);
}

/* Replaces *input by one with these members (taken) over `base`, or over nothing. */
static int derive(const struct jq_input *base, json_t *members, struct jq_input **input,
                  struct karta_error *err)
{
    struct jq_input *made = NULL;
    int code = members == NULL ? no_memory(err)
                               : (base != NULL ? jq_input_derive(base, members, &made, err)
                                               : jq_input_new(members, &made, err));
    json_decref(members);
    if (code != 0)
        return code;
    jq_input_free(*input);
    *input = made;
    return 0;
}

/* What every place shares. A member that no expression reads stays null. */
static int make_base(struct mutate *mutate, const struct plan *plan, struct karta_error *err)
{
    const struct karta_profile *profile = mutate->profile;
    if (mutate->base != NULL)
        return 0;
    json_t *groups = profile->reads_groups ? plan_groups_json(plan, true) : json_null();
    json_t *members =
        json_pack("{s:n, s:n, s:n, s:o, s:s?, s:n, s:n, s:O?}", "component", "instance", "podGroup",
                  "podGroups", groups, "queue", mutate->queue, "subGroup", "template", "workload",
                  profile->reads_workload ? mutate->object : NULL);
    mutate->group = PLAN_NONE;
    return derive(NULL, members, &mutate->base, err);
}

/* What the places of one group share. */
static int make_group(struct mutate *mutate, const struct plan *plan, size_t group,
                      struct karta_error *err)
{
    int code = make_base(mutate, plan, err);
    if (code != 0 || (mutate->of_group != NULL && mutate->group == group))
        return code;
    json_t *own = group != PLAN_NONE ? plan_group_json(&plan->groups[group], true) : json_null();
    mutate->group = group;
    return derive(mutate->base, json_pack("{s:o}", "podGroup", own), &mutate->of_group, err);
}

static json_t *subgroup_json(const struct plan *plan, const struct place *place)
{
    const struct planned_group *group =
        place->group != PLAN_NONE ? &plan->groups[place->group] : NULL;
    if (group == NULL || group->overridden || place->subgroup == PLAN_NONE)
        return json_null();
    const struct subgroup *own = &group->subgroups[place->subgroup];
    return json_pack("{s:s, s:I}", "name", own->name, "minMember",
                     (json_int_t)(place->late ? 0 : own->min_member));
}

/* The input of the profile's expressions for one place. */
static int place_input(struct mutate *mutate, const struct resolved *resolved,
                       const struct plan *plan, const struct place *place, struct jq_input **input,
                       struct karta_error *err)
{
    const struct resolved_component *component = &resolved->components[place->component];
    const struct instance *instance = &component->instances[place->instance];
    int code = make_group(mutate, plan, place->group, err);
    if (code != 0)
        return code;
    json_t *members = json_pack("{s:o, s:s, s:s}", "subGroup", subgroup_json(plan, place),
                                "component", component->definition->name, "instance", instance->id);
    if (mutate->profile->reads_template &&
        json_object_set_new(members, "template",
                            json_pack("{s:O*, s:O*}", "metadata", instance->metadata, "spec",
                                      instance->pod_spec)) != 0) {
        json_decref(members);
        return no_memory(err);
    }
    return derive(mutate->of_group, members, input, err);
}

static bool is_blank(const json_t *value)
{
    return value == NULL || json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

/* The template in messages: where it stands, or whose it is. */
struct place_text {
    char text[256];
};

static struct place_text text_of(const struct resolved *resolved, const struct place *place)
{
    const struct resolved_component *component = &resolved->components[place->component];
    const struct instance *instance = &component->instances[place->instance];
    struct place_text out;
    if (instance->path != NULL)
        snprintf(out.text, sizeof out.text, "the template at %s", instance->path);
    else
        snprintf(out.text, sizeof out.text, "the template of %s%s%s", component->definition->name,
                 instance->id[0] != '\0' ? " " : "", instance->id);
    return out;
}

/* One template under the profile's hands. */
struct stamp {
    struct mutate *mutate;
    const struct instance *instance;
    const struct gang_memory *foreign;
    const char *where;
};

/* Whether the value that stands there is to be replaced; false leaves it, or refuses the object. */
static bool replaces(const struct stamp *stamp, const char *key, bool identity,
                     const json_t *existing, const json_t *value)
{
    const char *text = json_string_value(existing);
    if (is_blank(existing))
        return true;
    if (json_equal(existing, value))
        return false;
    if (identity && stamp->foreign != NULL && text != NULL &&
        gang_memory_names(stamp->foreign, text))
        return true;
    if (identity)
        mutate_refuse(stamp->mutate, "%s has %s \"%.60s\" already", stamp->where, key,
                      text != NULL ? text : "of another type");
    return false;
}

static const char *place_name(enum key_place place)
{
    return place == KEY_LABEL ? "labels" : (place == KEY_ANNOTATION ? "annotations" : "fields");
}

static int stamp_key(const struct stamp *stamp, const struct profile_key *key, json_t *value,
                     struct karta_error *err)
{
    const struct instance *instance = stamp->instance;
    bool field = key->place == KEY_FIELD;
    const struct spot *spot = field ? &instance->spec : mutate_spot(instance, key->place);
    if (json_is_null(value))
        return 0;
    if (spot->path == NULL)
        mutate_refuse(stamp->mutate, "%s has no place for %s", stamp->where,
                      place_name(key->place));
    const json_t *existing =
        field ? karta_pointer_get(spot->value, key->key) : json_object_get(spot->value, key->key);
    if (!replaces(stamp, key->key, key->identity, existing, value))
        return 0;
    return mutate_want(stamp->mutate, instance, key->place, key->key, value, err);
}

static int stamp_scheduler(const struct stamp *stamp, struct karta_error *err)
{
    const char *name = stamp->mutate->profile->scheduler_name;
    const struct spot *spot = &stamp->instance->scheduler;
    const char *text = json_string_value(spot->value);
    if (name == NULL || (text != NULL && strcmp(text, name) == 0))
        return 0;
    if (spot->path == NULL)
        mutate_refuse(stamp->mutate, "%s has no place for a schedulerName", stamp->where);
    else if (!is_blank(spot->value) && (text == NULL || strcmp(text, "default-scheduler") != 0))
        mutate_refuse(stamp->mutate, "%s has schedulerName \"%.60s\" already", stamp->where,
                      text != NULL ? text : "of another type");
    if (stamp->mutate->refusal[0] != '\0')
        return 0;
    json_auto_t *value = json_string(name);
    return value != NULL ? wanted_put(stamp->mutate->wanted, spot->path, value, err)
                         : no_memory(err);
}

static int stamp_values(const struct stamp *stamp, const json_t *values, struct karta_error *err)
{
    const struct karta_profile *profile = stamp->mutate->profile;
    int code = 0;
    for (size_t k = 0; code == 0 && k < profile->key_count; k++)
        code = stamp_key(stamp, &profile->keys[k], json_array_get(values, k), err);
    return code == 0 ? stamp_scheduler(stamp, err) : code;
}

int mutate_stamp_input(struct mutate *mutate, const struct instance *instance,
                       const struct jq_input *input, const struct gang_memory *foreign,
                       const char *where, struct karta_error *err)
{
    const struct karta_profile *profile = mutate->profile;
    const struct stamp stamp = {mutate, instance, foreign, where};
    json_auto_t *values = NULL;
    int code = profile_evaluate(profile->keys, profile->key_count, profile->program, input,
                                mutate->options->deadline_ms, &values, err);
    if (code != KARTA_ERR_EXPRESSION)
        return code == 0 ? stamp_values(&stamp, values, err) : code;
    mutate_refuse(mutate, "profile %s: %s", profile->name, err->message);
    karta_error_init(err);
    return 0;
}

int mutate_stamp(struct mutate *mutate, const struct resolved *resolved, const struct plan *plan,
                 const struct place *place, const struct gang_memory *foreign,
                 struct karta_error *err)
{
    const struct instance *instance =
        &resolved->components[place->component].instances[place->instance];
    const struct place_text where = text_of(resolved, place);
    if (place->repeated)
        return 0;
    if (instance->path != NULL && !json_is_object(instance->pod_spec))
        mutate_refuse(mutate, "%s has no pod spec", where.text);
    if (mutate->refusal[0] != '\0')
        return 0;
    if (place->group != PLAN_NONE && plan->groups[place->group].per_replica)
        return mutate_stamp_replica(mutate, &plan->groups[place->group], place, instance, foreign,
                                    where.text, err);
    struct jq_input *input = NULL;
    int code = place_input(mutate, resolved, plan, place, &input, err);
    if (code == 0)
        code = mutate_stamp_input(mutate, instance, input, foreign, where.text, err);
    jq_input_free(input);
    return code;
}

static bool takes_kind(const struct workload_keys *keys, const struct gvk *gvk)
{
    for (size_t i = 0; i < keys->kind_count; i++)
        if (strcmp(keys->kinds[i].kind, gvk->kind) == 0 &&
            strcmp(keys->kinds[i].group, gvk->group) == 0)
            return true;
    return keys->kind_count == 0;
}

int mutate_want_on_workload(struct mutate *mutate, const char *map, const char *key, json_t *value,
                            struct karta_error *err)
{
    KARTA_AUTO_TEXT base = mem_format("/metadata/%s", map);
    KARTA_AUTO_TEXT pointer = base != NULL ? pointer_join(base, key) : NULL;
    return pointer != NULL ? wanted_put(mutate->wanted, pointer, value, err) : no_memory(err);
}

/* What the keys for the workload read: the one group where there is one, and the object. */
static int workload_input(struct mutate *mutate, const struct plan *plan, struct jq_input **input,
                          struct karta_error *err)
{
    json_t *group = plan->group_count == 1 ? plan_group_json(&plan->groups[0], true) : json_null();
    json_t *members =
        json_pack("{s:o, s:o, s:s?, s:O}", "podGroup", group, "podGroups",
                  plan_groups_json(plan, true), "queue", mutate->queue, "workload", mutate->object);
    return derive(NULL, members, input, err);
}

/* The keys of one entry, where the user has none. */
static int add_keys(struct mutate *mutate, const struct workload_keys *keys,
                    const struct jq_input *input, struct karta_error *err)
{
    const json_t *metadata = json_object_get(mutate->object, "metadata");
    json_auto_t *values = NULL;
    int code = profile_evaluate(keys->keys, keys->key_count, keys->program, input,
                                mutate->options->deadline_ms, &values, err);
    for (size_t k = 0; code == 0 && k < keys->key_count; k++) {
        const char *map = place_name(keys->keys[k].place);
        const json_t *existing = json_object_get(json_object_get(metadata, map), keys->keys[k].key);
        json_t *value = json_array_get(values, k);
        if (!json_is_null(value) && is_blank(existing))
            code = mutate_want_on_workload(mutate, map, keys->keys[k].key, value, err);
    }
    return code;
}

/* The profile's keys for the workload itself. */
static int add_workload_keys(struct mutate *mutate, const struct plan *plan,
                             struct karta_error *err)
{
    struct jq_input *input = NULL;
    int code = 0;
    for (size_t w = 0; code == 0 && w < mutate->profile->workload_count; w++) {
        const struct workload_keys *keys = &mutate->profile->workload[w];
        if (!takes_kind(keys, definition_gvk(mutate->definition)))
            continue;
        if (input == NULL)
            code = workload_input(mutate, plan, &input, err);
        if (code == 0)
            code = add_keys(mutate, keys, input, err);
    }
    jq_input_free(input);
    return code;
}

/* Kubernetes: all annotations of an object, keys and values together. */
static bool annotations_fit(const struct mutate *mutate, const char *text)
{
    const json_t *metadata = json_object_get(mutate->object, "metadata");
    const char *key;
    json_t *value;
    size_t size = strlen(KEY_GANG) + strlen(text);
    json_object_foreach(json_object_get(metadata, "annotations"), key, value)
    {
        if (strcmp(key, KEY_GANG) != 0)
            size += strlen(key) + json_string_length(value);
    }
    return size <= LIMIT_ANNOTATIONS;
}

static char *memory_text(const struct mutate *mutate, const struct plan *plan,
                         const struct gang_owner *owner, const char *nonce)
{
    json_auto_t *memory =
        json_pack("{s:i, s:o, s:s, s:s, s:s*, s:o}", "v", 1, "for", gang_owner_json(owner),
                  "profile", mutate->profile->name, "nonce", nonce, "queue", mutate->queue,
                  "groups", plan_groups_json(plan, false));
    return memory != NULL ? json_dumps(memory, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

int mutate_remember(struct mutate *mutate, const struct plan *plan, const struct gang_owner *owner,
                    const char *nonce, struct karta_error *err)
{
    KARTA_AUTO_TEXT text = memory_text(mutate, plan, owner, nonce);
    if (text == NULL)
        return no_memory(err);
    if (strlen(text) > LIMIT_GANG_ANNOTATION)
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "its gang takes %zu bytes to remember; at most %u fit", strlen(text),
                               LIMIT_GANG_ANNOTATION);
    if (!annotations_fit(mutate, text))
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "its annotations would be more than the %u bytes that fit",
                               LIMIT_ANNOTATIONS);
    json_auto_t *profile = json_string(mutate->profile->name);
    json_auto_t *annotation = json_string(text);
    int code = add_workload_keys(mutate, plan, err);
    if (code == 0)
        code = mutate_want_on_workload(mutate, "labels", KEY_PROFILE, profile, err);
    return code == 0 ? mutate_want_on_workload(mutate, "annotations", KEY_GANG, annotation, err)
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
        const struct planned_group *group = &plan->groups[g];
        strbuf_addf(&names, "%s%s", g > 0 ? "," : "",
                    group->per_replica ? group->definition->name : group->name);
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
