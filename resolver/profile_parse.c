/* SPDX-License-Identifier: Apache-2.0 */
/* A GangProfile document to the typed profile, every problem collected with its path. */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "expression_parse.h"
#include "parse_common.h"
#include "problem_list.h"
#include "profile.h"

struct reading {
    struct parse base;
    struct karta_profile *profile;
};

static void keys_free(struct profile_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(keys[i].key);
        jq_expression_free(keys[i].jq);
    }
    free(keys);
}

static void kinds_free(struct kind_match *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(kinds[i].group);
        free(kinds[i].kind);
        free(kinds[i].reason);
    }
    free(kinds);
}

void profile_free(struct karta_profile *profile)
{
    if (profile == NULL)
        return;
    jq_program_free(profile->program);
    jq_program_free(profile->object_program);
    jq_program_free(profile->refuse_program);
    jq_expression_free(profile->refuse);
    keys_free(profile->keys, profile->key_count);
    kinds_free(profile->kinds, profile->kind_count);
    kinds_free(profile->excluded, profile->excluded_count);
    for (size_t i = 0; i < profile->workload_count; i++) {
        jq_program_free(profile->workload[i].program);
        kinds_free(profile->workload[i].kinds, profile->workload[i].kind_count);
        keys_free(profile->workload[i].keys, profile->workload[i].key_count);
    }
    free(profile->workload);
    for (size_t i = 0; i < profile->object_count; i++)
        jq_expression_free(profile->objects[i]);
    free(profile->objects);
    free(profile->name);
    free(profile->origin);
    free(profile->scheduler_name);
    free(profile->queue_label);
    json_decref(profile->document);
    free(profile);
}

static struct kind_match *parse_kinds(struct reading *reading, const struct at *at,
                                      const json_t *object, const char *key, size_t *count)
{
    static const char *const names[] = {"group", "kind", "reason", NULL};
    const json_t *list = schema_get(reading->base.problems, at, object, key, JSON_ARRAY);
    struct kind_match *kinds = parse_array(&reading->base, json_array_size(list), sizeof *kinds);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; kinds != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *kind = parse_element(&reading->base, &here, json_array_get(list, i));
        if (kind == NULL)
            continue;
        schema_known(reading->base.problems, &here, kind, names);
        const char *group = schema_text(reading->base.problems, &here, kind, "group");
        struct kind_match *match = &kinds[(*count)++];
        match->group = parse_keep(&reading->base, group != NULL ? group : "");
        const char *name = schema_need_text(reading->base.problems, &here, kind, "kind");
        match->kind = parse_keep(&reading->base, name != NULL ? name : "");
        match->reason =
            parse_keep(&reading->base, schema_text(reading->base.problems, &here, kind, "reason"));
    }
    return kinds;
}

static void parse_key(struct reading *reading, const struct at *at, const char *key,
                      const json_t *value, enum key_place place, struct profile_key *out)
{
    out->place = place;
    out->key = parse_keep(&reading->base, key);
    if (place == KEY_FIELD && key[0] != '/')
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, key,
                       "is no JSON pointer: it starts with a slash, below the pod spec");
    const struct at here = {at, key, 0};
    const char *text = schema_element_text(reading->base.problems, &here, value);
    if (text != NULL)
        out->jq = expression_parse(reading->base.problems, &here, NULL, text);
}

/* Appends the keys of one map; `keys` has room. */
static void parse_map(struct reading *reading, const struct at *at, const json_t *object,
                      const char *name, enum key_place place, struct profile_key *keys,
                      size_t *count)
{
    const json_t *map = schema_get(reading->base.problems, at, object, name, JSON_OBJECT);
    const struct at here = {at, name, 0};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)map, key, value)
    {
        parse_key(reading, &here, key, value, place, &keys[(*count)++]);
    }
}

static struct profile_key *parse_keys(struct reading *reading, const struct at *at,
                                      const json_t *object, bool fields, size_t *count)
{
    size_t room = json_object_size(json_object_get(object, "labels")) +
                  json_object_size(json_object_get(object, "annotations")) +
                  json_object_size(json_object_get(object, "fields"));
    struct profile_key *keys = parse_array(&reading->base, room, sizeof *keys);
    if (keys == NULL)
        return NULL;
    parse_map(reading, at, object, "labels", KEY_LABEL, keys, count);
    parse_map(reading, at, object, "annotations", KEY_ANNOTATION, keys, count);
    if (fields)
        parse_map(reading, at, object, "fields", KEY_FIELD, keys, count);
    return keys;
}

static struct jq_program *make_program(struct reading *reading, const struct at *at,
                                       const struct profile_key *keys, size_t count)
{
    struct jq_part parts[LIMIT_PROGRAM_PARTS];
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    if (count > LIMIT_PROGRAM_PARTS) {
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, NULL, "has more than %u keys",
                       LIMIT_PROGRAM_PARTS);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (keys[i].jq == NULL)
            return NULL; /* a problem already */
        parts[i] = (struct jq_part){keys[i].jq, JQ_VALUES};
    }
    if (count > 0 && jq_program_new(parts, count, &program, &err) != 0)
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, NULL, "%s", err.message);
    return program;
}

static void parse_template(struct reading *reading, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"labels", "annotations", "fields", NULL};
    struct karta_profile *profile = reading->profile;
    const json_t *object = schema_get(reading->base.problems, at, spec, "podTemplate", JSON_OBJECT);
    if (object == NULL)
        return;
    const struct at here = {at, "podTemplate", 0};
    schema_known(reading->base.problems, &here, object, names);
    profile->keys = parse_keys(reading, &here, object, true, &profile->key_count);
    profile->program = make_program(reading, &here, profile->keys, profile->key_count);
    for (size_t i = 0; i < profile->key_count; i++) {
        const struct jq_expression *jq = profile->keys[i].jq;
        if (jq == NULL)
            continue;
        profile->reads_template = profile->reads_template || jq_expression_reads(jq, "template");
        profile->reads_workload = profile->reads_workload || jq_expression_reads(jq, "workload");
        profile->reads_groups = profile->reads_groups || jq_expression_reads(jq, "podGroups");
        profile->reads_roles = profile->reads_roles || jq_expression_reads(jq, "roles") ||
                               jq_expression_reads(jq, "role");
        profile->names_groups = profile->names_groups || jq_expression_reads(jq, "podGroup") ||
                                jq_expression_reads(jq, "subGroup") || profile->reads_roles;
    }
}

static void parse_refuse(struct reading *reading, const struct at *at, const json_t *spec)
{
    struct karta_profile *profile = reading->profile;
    struct karta_error err = {0};
    const char *text = schema_text(reading->base.problems, at, spec, "refuse");
    if (text == NULL)
        return;
    profile->refuse = expression_parse(reading->base.problems, at, "refuse", text);
    const struct jq_part part = {profile->refuse, JQ_VALUES};
    if (profile->refuse != NULL && jq_program_new(&part, 1, &profile->refuse_program, &err) != 0)
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, "refuse", "%s", err.message);
}

static void parse_workload(struct reading *reading, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"kinds", "labels", "annotations", NULL};
    struct karta_profile *profile = reading->profile;
    const json_t *list = schema_get(reading->base.problems, at, spec, "workload", JSON_ARRAY);
    profile->workload =
        parse_array(&reading->base, json_array_size(list), sizeof *profile->workload);
    const struct at list_at = {at, "workload", 0};
    for (size_t i = 0; profile->workload != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *object = parse_element(&reading->base, &here, json_array_get(list, i));
        if (object == NULL)
            continue;
        schema_known(reading->base.problems, &here, object, names);
        struct workload_keys *keys = &profile->workload[profile->workload_count++];
        keys->kinds = parse_kinds(reading, &here, object, "kinds", &keys->kind_count);
        keys->keys = parse_keys(reading, &here, object, false, &keys->key_count);
        keys->program = make_program(reading, &here, keys->keys, keys->key_count);
    }
}

static struct jq_program *make_object_program(struct reading *reading, const struct at *at)
{
    const struct karta_profile *profile = reading->profile;
    struct jq_part parts[LIMIT_PROGRAM_PARTS];
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    if (profile->object_count > LIMIT_PROGRAM_PARTS) {
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, NULL, "has more than %u objects",
                       LIMIT_PROGRAM_PARTS);
        return NULL;
    }
    for (size_t i = 0; i < profile->object_count; i++)
        parts[i] = (struct jq_part){profile->objects[i], JQ_VALUES};
    if (profile->object_count > 0 &&
        jq_program_new(parts, profile->object_count, &program, &err) != 0)
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, NULL, "%s", err.message);
    return program;
}

static void parse_objects(struct reading *reading, const struct at *at, const json_t *spec)
{
    struct karta_profile *profile = reading->profile;
    const json_t *list = schema_get(reading->base.problems, at, spec, "objects", JSON_ARRAY);
    profile->objects =
        parse_array(&reading->base, json_array_size(list), sizeof(struct jq_expression *));
    const struct at list_at = {at, "objects", 0};
    for (size_t i = 0; profile->objects != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *text =
            schema_element_text(reading->base.problems, &here, json_array_get(list, i));
        struct jq_expression *jq =
            text != NULL ? expression_parse(reading->base.problems, &here, NULL, text) : NULL;
        if (jq != NULL)
            profile->objects[profile->object_count++] = jq;
    }
    profile->object_program = make_object_program(reading, &list_at);
}

/* Marks the keys called `name`; false where there is none. */
static bool mark_identity(struct karta_profile *profile, const char *name)
{
    bool found = false;
    for (size_t k = 0; k < profile->key_count; k++) {
        bool same = profile->keys[k].key != NULL && strcmp(profile->keys[k].key, name) == 0;
        profile->keys[k].identity = profile->keys[k].identity || same;
        found = found || same;
    }
    return found;
}

static bool is_map(const json_t *object, const char *key)
{
    return !schema_states(object, key) || json_is_object(json_object_get(object, key));
}

/* identityKeys name labels, annotations and fields of podTemplate. */
static void parse_identity(struct reading *reading, const struct at *at, const json_t *spec)
{
    struct karta_problems *problems = reading->base.problems;
    const json_t *template = json_object_get(spec, "podTemplate");
    bool known = is_map(spec, "podTemplate") && is_map(template, "labels") &&
                 is_map(template, "annotations") && is_map(template, "fields");
    const json_t *list = schema_get(problems, at, spec, "identityKeys", JSON_ARRAY);
    const struct at list_at = {at, "identityKeys", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *name = schema_element_text(problems, &here, json_array_get(list, i));
        if (name != NULL && !mark_identity(reading->profile, name) && known)
            schema_problem(problems, KARTA_REFUSAL, &here, NULL,
                           "names no key of podTemplate: \"%s\"", name);
    }
}

static bool flag(struct reading *reading, const struct at *at, const json_t *spec, const char *key,
                 bool fallback)
{
    const json_t *value = schema_get(reading->base.problems, at, spec, key, JSON_TRUE);
    return value != NULL ? json_is_true(value) : fallback;
}

static void parse_spec(struct reading *reading, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {
        "schedulerName", "queueLabel",  "kinds",    "excludeKinds", "lateMembers", "requireGang",
        "identityKeys",  "podTemplate", "workload", "objects",      "refuse",      NULL};
    struct karta_profile *profile = reading->profile;
    schema_known(reading->base.problems, at, spec, names);
    profile->scheduler_name =
        parse_keep(&reading->base, schema_text(reading->base.problems, at, spec, names[0]));
    profile->queue_label =
        parse_keep(&reading->base, schema_text(reading->base.problems, at, spec, names[1]));
    profile->kinds = parse_kinds(reading, at, spec, names[2], &profile->kind_count);
    profile->excluded = parse_kinds(reading, at, spec, names[3], &profile->excluded_count);
    const char *late = schema_text(reading->base.problems, at, spec, names[4]);
    profile->late_join = late != NULL && strcmp(late, "join") == 0;
    if (late != NULL && strcmp(late, "join") != 0 && strcmp(late, "leave") != 0)
        schema_problem(reading->base.problems, KARTA_REFUSAL, at, names[4],
                       "is \"%.40s\"; it is leave or join", late);
    profile->require_gang = flag(reading, at, spec, names[5], true);
    parse_template(reading, at, spec);
    parse_identity(reading, at, spec);
    parse_refuse(reading, at, spec);
    parse_workload(reading, at, spec);
    parse_objects(reading, at, spec);
}

static void parse_document(struct reading *reading, const json_t *document)
{
    static const char *const names[] = {"apiVersion", "kind", "metadata", "spec", "status", NULL};
    schema_known(reading->base.problems, NULL, document, names);
    const json_t *metadata =
        schema_get(reading->base.problems, NULL, document, "metadata", JSON_OBJECT);
    const struct at metadata_at = {NULL, "metadata", 0};
    if (metadata != NULL || !schema_states(document, "metadata"))
        reading->profile->name =
            parse_keep(&reading->base,
                       schema_need_text(reading->base.problems, &metadata_at, metadata, "name"));
    const json_t *spec = schema_get(reading->base.problems, NULL, document, "spec", JSON_OBJECT);
    const struct at at = {NULL, "spec", 0};
    if (!schema_states(document, "spec"))
        schema_problem(reading->base.problems, KARTA_REFUSAL, NULL, "spec", "is missing");
    if (spec != NULL)
        parse_spec(reading, &at, spec);
}

struct karta_profile *profile_new(const json_t *document, const char *origin,
                                  struct karta_problems *problems)
{
    size_t before = karta_problems_refusals(problems);
    struct karta_profile *profile = calloc(1, sizeof *profile);
    struct reading reading = {{NULL, problems, 0}, profile};
    if (profile != NULL) {
        profile->document = json_incref((json_t *)document);
        profile->origin = parse_keep(&reading.base, origin);
        parse_document(&reading, document);
    }
    if (profile == NULL || reading.base.failed != 0)
        karta_problems_add(problems, KARTA_REFUSAL, "", "out of memory");
    problems_order(problems, document);
    if (karta_problems_refusals(problems) == before)
        return profile;
    profile_free(profile);
    return NULL;
}
