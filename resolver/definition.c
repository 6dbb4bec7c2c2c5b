/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a definition: made from a document in steps, freed whole. */
#include "definition.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

const char *const status_names[STATUSES + 1] = {"Resuming",     "Suspending", "Suspended",
                                                "Running",      "Failed",     "Completed",
                                                "Initializing", "Degraded",   NULL};

const char *const fragment_names[FRAGMENTS + 1] = {
    "schedulerNamePath",     "labelsPath",         "annotationsPath",
    "resourcesPath",         "resourceClaimsPath", "podAffinityPath",
    "nodeAffinityPath",      "containersPath",     "containerPath",
    "priorityClassNamePath", "imagePath",          NULL};

static void topology_free(struct topology *topology)
{
    if (topology == NULL)
        return;
    free(topology->name);
    free(topology->required);
    free(topology->preferred);
    free(topology);
}

static void expressions_free(struct jq_expression **expressions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        jq_expression_free(expressions[i]);
    free(expressions);
}

static void matcher_dispose(struct matcher *matcher)
{
    for (size_t i = 0; i < matcher->condition_count; i++) {
        free(matcher->conditions[i].type);
        free(matcher->conditions[i].status);
        free(matcher->conditions[i].reason);
    }
    free(matcher->conditions);
    free(matcher->phase);
    free(matcher->expected);
    jq_expression_free(matcher->expression.jq);
}

static void status_dispose(struct status_definition *status)
{
    for (size_t s = 0; s < STATUSES; s++) {
        for (size_t i = 0; i < status->rules[s].count; i++)
            matcher_dispose(&status->rules[s].matchers[i]);
        free(status->rules[s].matchers);
    }
    jq_expression_free(status->phase.jq);
    jq_expression_free(status->conditions.jq);
    free(status->type_field);
    free(status->status_field);
    free(status->message_field);
    free(status->reason_field);
}

static void actions_free(struct action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jq_expression_free(actions[i].path.jq);
        json_decref(actions[i].value);
    }
    free(actions);
}

static void selector_dispose(struct pod_selector *selector)
{
    jq_expression_free(selector->type_key);
    jq_expression_free(selector->instance_id);
    jq_expression_free(selector->replica_key);
    free(selector->type_value);
    json_decref(selector->match_labels);
}

static void component_dispose(struct component *component)
{
    free(component->name);
    free(component->owner_ref);
    gvk_dispose(&component->kind);
    jq_expression_free(component->template.jq);
    jq_expression_free(component->metadata.jq);
    for (size_t i = 0; i < FRAGMENTS; i++)
        jq_expression_free(component->fragments[i].jq);
    jq_expression_free(component->replicas.jq);
    jq_expression_free(component->min_replicas.jq);
    jq_expression_free(component->max_replicas.jq);
    jq_expression_free(component->ids.jq);
    jq_expression_free(component->late.jq);
    status_dispose(&component->status);
    actions_free(component->suspend, component->suspend_count);
    actions_free(component->resume, component->resume_count);
    selector_dispose(&component->selector);
}

static void group_dispose(struct pod_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        struct member *member = &group->members[i];
        free(member->component_name);
        topology_free(member->topology);
        expressions_free(member->keys, member->key_count);
        expressions_free(member->filters, member->filter_count);
    }
    free(group->members);
    free(group->name);
    topology_free(group->topology);
    jq_expression_free(group->minimum.jq);
}

void definition_free(struct karta_definition *definition)
{
    if (definition == NULL)
        return;
    jq_program_free(definition->structure);
    jq_program_free(definition->status);
    jq_program_free(definition->pods);
    for (size_t i = 0; i < definition->constant_count; i++)
        free(definition->constants[i].key);
    free(definition->constants);
    for (size_t i = 0; i < definition->component_count; i++)
        component_dispose(&definition->components[i]);
    for (size_t i = 0; i < definition->group_count; i++)
        group_dispose(&definition->groups[i]);
    free(definition->components);
    free(definition->groups);
    free(definition->name);
    free(definition->origin);
    free(definition->plural);
    json_decref(definition->document);
    free(definition);
}

/* The parts of one program, gathered in document order. */
struct parts {
    struct jq_part list[LIMIT_PROGRAM_PARTS];
    size_t count;
    bool overflow;
};

/* An expression that stands there already is run once: statuses often share one question. */
static bool has_part(const struct parts *parts, struct expression *expression,
                     enum jq_part_kind kind)
{
    const char *text = jq_expression_text(expression->jq);
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->list[i].kind != kind ||
            strcmp(jq_expression_text(parts->list[i].expression), text) != 0)
            continue;
        expression->part = i;
        return true;
    }
    return false;
}

static void add_part(struct parts *parts, struct expression *expression, enum jq_part_kind kind)
{
    expression->kind = kind;
    if (expression->jq == NULL || has_part(parts, expression, kind))
        return;
    if (parts->count == LIMIT_PROGRAM_PARTS) {
        parts->overflow = true;
        return;
    }
    expression->part = parts->count;
    parts->list[parts->count++] = (struct jq_part){expression->jq, kind};
}

static void add_structure(struct parts *parts, struct component *component)
{
    add_part(parts, &component->template, JQ_PATHS);
    add_part(parts, &component->metadata, JQ_PATHS);
    for (size_t i = 0; i < FRAGMENTS; i++) {
        const struct jq_expression *jq = component->fragments[i].jq;
        bool path = jq != NULL && jq_expression_check_path(jq, NULL) == 0;
        add_part(parts, &component->fragments[i], path ? JQ_PATHS : JQ_VALUES);
    }
    add_part(parts, &component->ids, JQ_VALUES);
    add_part(parts, &component->replicas, JQ_VALUES);
    add_part(parts, &component->min_replicas, JQ_VALUES);
    add_part(parts, &component->max_replicas, JQ_VALUES);
    add_part(parts, &component->late, JQ_VALUES);
}

static void add_status(struct parts *parts, struct component *component)
{
    struct status_definition *status = &component->status;
    add_part(parts, &status->phase, JQ_VALUES);
    add_part(parts, &status->conditions, JQ_VALUES);
    for (size_t s = 0; s < STATUSES; s++)
        for (size_t i = 0; i < status->rules[s].count; i++)
            add_part(parts, &status->rules[s].matchers[i].expression, JQ_VALUES);
    for (size_t i = 0; i < component->suspend_count; i++)
        add_part(parts, &component->suspend[i].path, JQ_PATHS);
    for (size_t i = 0; i < component->resume_count; i++)
        add_part(parts, &component->resume[i].path, JQ_PATHS);
}

static int make_program(const struct parts *parts, const char *purpose, struct jq_program **program,
                        struct karta_error *err)
{
    if (parts->overflow)
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "has more than %u %s expressions; that many are run together",
                               LIMIT_PROGRAM_PARTS, purpose);
    if (parts->count == 0)
        return 0;
    int code = jq_program_new(parts->list, parts->count, program, err);
    return code == 0 ? 0 : karta_error_wrap(err, code, "%s expressions", purpose);
}

/* Filters are run on pods, all at once; each keeps a part of its own. */
static void add_filters(struct parts *parts, struct pod_group *group)
{
    for (size_t m = 0; m < group->count; m++) {
        struct member *member = &group->members[m];
        member->first_filter = parts->count;
        for (size_t f = 0; f < member->filter_count; f++) {
            if (parts->count == LIMIT_PROGRAM_PARTS) {
                parts->overflow = true;
                return;
            }
            parts->list[parts->count++] = (struct jq_part){member->filters[f], JQ_VALUES};
        }
    }
}

/* workloadmap.dev/constant-keys, whose shape was checked when the document was read. */
static int read_constants(struct karta_definition *definition, struct karta_error *err)
{
    const json_t *metadata = json_object_get(definition->document, "metadata");
    const char *text = json_string_value(
        json_object_get(json_object_get(metadata, "annotations"), "workloadmap.dev/constant-keys"));
    json_auto_t *list = text != NULL ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    definition->constants = mem_array(json_array_size(list) + 1, sizeof *definition->constants);
    if (definition->constants == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *path = json_string_value(json_array_get(list, i)), *where, *key;
        struct jq_expression *jq = NULL;
        if (path == NULL || jq_expression_parse(path, &jq, NULL) != 0)
            continue;
        struct metadata_key *constant = &definition->constants[definition->constant_count];
        if (jq_expression_metadata_key(jq, &where, &key))
            *constant = (struct metadata_key){where, strdup(key)};
        definition->constant_count += constant->key != NULL;
        jq_expression_free(jq);
    }
    return 0;
}

int definition_programs(struct karta_definition *definition, struct karta_error *err)
{
    struct parts structure = {0}, status = {0}, pods = {0};
    for (size_t i = 0; i < definition->component_count; i++) {
        add_structure(&structure, &definition->components[i]);
        add_status(&status, &definition->components[i]);
    }
    for (size_t i = 0; i < definition->group_count; i++)
        add_part(&structure, &definition->groups[i].minimum, JQ_VALUES);
    for (size_t i = 0; i < definition->group_count; i++)
        add_filters(&pods, &definition->groups[i]);
    int code = make_program(&structure, "structure", &definition->structure, err);
    if (code == 0)
        code = make_program(&status, "status", &definition->status, err);
    if (code == 0)
        code = make_program(&pods, "filter", &definition->pods, err);
    return code == 0 ? read_constants(definition, err) : code;
}

struct karta_definition *definition_new(const json_t *document, const char *origin,
                                        struct karta_problems *problems)
{
    struct karta_definition *definition = calloc(1, sizeof *definition);
    if (definition == NULL || (definition->origin = strdup(origin)) == NULL) {
        karta_problems_add(problems, KARTA_REFUSAL, "", "out of memory");
        definition_free(definition);
        return NULL;
    }
    size_t before = karta_problems_refusals(problems);
    definition->document = json_incref((json_t *)document);
    if (definition_parse(definition, problems) != 0)
        karta_problems_add(problems, KARTA_REFUSAL, "", "out of memory");
    definition_validate(definition, problems);
    struct karta_error err = {0};
    if (karta_problems_refusals(problems) == before && definition_programs(definition, &err) != 0)
        karta_problems_add(problems, KARTA_REFUSAL, "spec", "%s", err.message);
    if (karta_problems_refusals(problems) == before)
        return definition;
    definition_free(definition);
    return NULL;
}

const struct gvk *definition_gvk(const struct karta_definition *definition)
{
    return &definition->components[0].kind;
}

bool component_is_leaf(const struct component *component)
{
    return component->form != TEMPLATE_NONE;
}

size_t definition_component(const struct karta_definition *definition, const char *name)
{
    size_t i = 0;
    while (i < definition->component_count && (definition->components[i].name == NULL ||
                                               strcmp(definition->components[i].name, name) != 0))
        i++;
    return i;
}

bool definition_is_below(const struct karta_definition *definition, size_t component,
                         size_t ancestor)
{
    for (size_t steps = 0; steps <= definition->component_count; steps++) {
        if (component == ancestor)
            return true;
        if (component == 0)
            return false;
        component = definition->components[component].owner;
    }
    return false;
}

bool definition_in_gang(const struct karta_definition *definition, size_t component)
{
    for (size_t g = 0; g < definition->group_count; g++)
        for (size_t m = 0; m < definition->groups[g].count; m++)
            if (definition_is_below(definition, component,
                                    definition->groups[g].members[m].component))
                return true;
    return definition->group_count == 0;
}
