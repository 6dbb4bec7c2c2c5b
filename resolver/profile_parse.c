/* SPDX-License-Identifier: Apache-2.0 */
/* A GangProfile document to the typed profile, every problem collected with its path. */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "expression_parse.h"
#include "profile.h"

struct parse {
    struct karta_profile *profile;
    struct karta_problems *problems;
    int failed;
};

static char *keep(struct parse *parse, const char *text)
{
    char *copy = text != NULL ? strdup(text) : NULL;
    if (text != NULL && copy == NULL)
        parse->failed = KARTA_ERR_NOMEM;
    return copy;
}

static void *array(struct parse *parse, size_t count, size_t size)
{
    void *list = mem_array(count > 0 ? count : 1, size);
    if (list == NULL)
        parse->failed = KARTA_ERR_NOMEM;
    return list;
}

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

static struct kind_match *parse_kinds(struct parse *parse, const struct at *at,
                                      const json_t *object, const char *key, size_t *count)
{
    static const char *const names[] = {"group", "kind", "reason", NULL};
    const json_t *list = schema_get(parse->problems, at, object, key, JSON_ARRAY);
    struct kind_match *kinds = array(parse, json_array_size(list), sizeof *kinds);
    const struct at list_at = {at, key, 0};
    for (size_t i = 0; kinds != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *kind = json_array_get(list, i);
        if (!json_is_object(kind)) {
            schema_problem(parse->problems, KARTA_REFUSAL, &here, NULL,
                           "is %s where an object belongs", json_type_text(json_typeof(kind)));
            continue;
        }
        schema_known(parse->problems, &here, kind, names);
        const char *group = schema_text(parse->problems, &here, kind, "group");
        struct kind_match *match = &kinds[(*count)++];
        match->group = keep(parse, group != NULL ? group : "");
        const char *name = schema_need_text(parse->problems, &here, kind, "kind");
        match->kind = keep(parse, name != NULL ? name : "");
        match->reason = keep(parse, schema_text(parse->problems, &here, kind, "reason"));
    }
    return kinds;
}

static void parse_key(struct parse *parse, const struct at *at, const char *key,
                      const json_t *value, enum key_place place, struct profile_key *out)
{
    out->place = place;
    out->key = keep(parse, key);
    if (place == KEY_FIELD && key[0] != '/')
        schema_problem(parse->problems, KARTA_REFUSAL, at, key,
                       "is no JSON pointer: it starts with a slash, below the pod spec");
    if (!json_is_string(value))
        schema_problem(parse->problems, KARTA_REFUSAL, at, key, "is %s where text belongs",
                       json_type_text(json_typeof(value)));
    else
        out->jq = expression_parse(parse->problems, at, key, json_string_value(value));
}

/* Appends the keys of one map; `keys` has room. */
static void parse_map(struct parse *parse, const struct at *at, const json_t *object,
                      const char *name, enum key_place place, struct profile_key *keys,
                      size_t *count)
{
    const json_t *map = schema_get(parse->problems, at, object, name, JSON_OBJECT);
    const struct at here = {at, name, 0};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)map, key, value)
    {
        parse_key(parse, &here, key, value, place, &keys[(*count)++]);
    }
}

static struct profile_key *parse_keys(struct parse *parse, const struct at *at,
                                      const json_t *object, bool fields, size_t *count)
{
    size_t room = json_object_size(json_object_get(object, "labels")) +
                  json_object_size(json_object_get(object, "annotations")) +
                  json_object_size(json_object_get(object, "fields"));
    struct profile_key *keys = array(parse, room, sizeof *keys);
    if (keys == NULL)
        return NULL;
    parse_map(parse, at, object, "labels", KEY_LABEL, keys, count);
    parse_map(parse, at, object, "annotations", KEY_ANNOTATION, keys, count);
    if (fields)
        parse_map(parse, at, object, "fields", KEY_FIELD, keys, count);
    return keys;
}

static struct jq_program *make_program(struct parse *parse, const struct at *at,
                                       const struct profile_key *keys, size_t count)
{
    struct jq_part parts[LIMIT_PROGRAM_PARTS];
    struct jq_program *program = NULL;
    struct karta_error err = {0};
    if (count > LIMIT_PROGRAM_PARTS) {
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL, "has more than %u keys",
                       LIMIT_PROGRAM_PARTS);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (keys[i].jq == NULL)
            return NULL; /* a problem already */
        parts[i] = (struct jq_part){keys[i].jq, JQ_VALUES};
    }
    if (count > 0 && jq_program_new(parts, count, &program, &err) != 0)
        schema_problem(parse->problems, KARTA_REFUSAL, at, NULL, "%s", err.message);
    return program;
}

static void parse_template(struct parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"labels", "annotations", "fields", NULL};
    struct karta_profile *profile = parse->profile;
    const json_t *object = schema_get(parse->problems, at, spec, "podTemplate", JSON_OBJECT);
    if (object == NULL)
        return;
    const struct at here = {at, "podTemplate", 0};
    schema_known(parse->problems, &here, object, names);
    profile->keys = parse_keys(parse, &here, object, true, &profile->key_count);
    profile->program = make_program(parse, &here, profile->keys, profile->key_count);
    for (size_t i = 0; i < profile->key_count; i++) {
        const struct jq_expression *jq = profile->keys[i].jq;
        if (jq == NULL)
            continue;
        profile->reads_template = profile->reads_template || jq_expression_reads(jq, "template");
        profile->reads_workload = profile->reads_workload || jq_expression_reads(jq, "workload");
    }
}

static void parse_workload(struct parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {"kinds", "labels", "annotations", NULL};
    struct karta_profile *profile = parse->profile;
    const json_t *list = schema_get(parse->problems, at, spec, "workload", JSON_ARRAY);
    profile->workload = array(parse, json_array_size(list), sizeof *profile->workload);
    const struct at list_at = {at, "workload", 0};
    for (size_t i = 0; profile->workload != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *object = json_array_get(list, i);
        if (!json_is_object(object)) {
            schema_problem(parse->problems, KARTA_REFUSAL, &here, NULL,
                           "is %s where an object belongs", json_type_text(json_typeof(object)));
            continue;
        }
        schema_known(parse->problems, &here, object, names);
        struct workload_keys *keys = &profile->workload[profile->workload_count++];
        keys->kinds = parse_kinds(parse, &here, object, "kinds", &keys->kind_count);
        keys->keys = parse_keys(parse, &here, object, false, &keys->key_count);
        keys->program = make_program(parse, &here, keys->keys, keys->key_count);
    }
}

static void parse_objects(struct parse *parse, const struct at *at, const json_t *spec)
{
    struct karta_profile *profile = parse->profile;
    const json_t *list = schema_get(parse->problems, at, spec, "objects", JSON_ARRAY);
    profile->objects = array(parse, json_array_size(list), sizeof(struct jq_expression *));
    const struct at list_at = {at, "objects", 0};
    for (size_t i = 0; profile->objects != NULL && i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const json_t *text = json_array_get(list, i);
        if (!json_is_string(text)) {
            schema_problem(parse->problems, KARTA_REFUSAL, &here, NULL, "is %s where text belongs",
                           json_type_text(json_typeof(text)));
            continue;
        }
        profile->objects[profile->object_count] =
            expression_parse(parse->problems, &here, NULL, json_string_value(text));
        if (profile->objects[profile->object_count] != NULL)
            profile->object_count++;
    }
}

/* identityKeys name labels and annotations of podTemplate. */
static void parse_identity(struct parse *parse, const struct at *at, const json_t *spec)
{
    struct karta_profile *profile = parse->profile;
    const json_t *list = schema_get(parse->problems, at, spec, "identityKeys", JSON_ARRAY);
    const struct at list_at = {at, "identityKeys", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct at here = {&list_at, NULL, i};
        const char *name = json_string_value(json_array_get(list, i));
        bool found = false;
        for (size_t k = 0; name != NULL && k < profile->key_count; k++) {
            bool same = profile->keys[k].key != NULL && strcmp(profile->keys[k].key, name) == 0;
            profile->keys[k].identity = profile->keys[k].identity || same;
            found = found || same;
        }
        if (!found)
            schema_problem(parse->problems, KARTA_REFUSAL, &here, NULL,
                           "names no key of podTemplate");
    }
}

static bool flag(struct parse *parse, const struct at *at, const json_t *spec, const char *key,
                 bool fallback)
{
    const json_t *value = schema_get(parse->problems, at, spec, key, JSON_TRUE);
    return value != NULL ? json_is_true(value) : fallback;
}

static void parse_spec(struct parse *parse, const struct at *at, const json_t *spec)
{
    static const char *const names[] = {
        "schedulerName", "queueLabel",  "kinds",    "excludeKinds", "lateMembers", "requireGang",
        "identityKeys",  "podTemplate", "workload", "objects",      NULL};
    struct karta_profile *profile = parse->profile;
    schema_known(parse->problems, at, spec, names);
    profile->scheduler_name = keep(parse, schema_text(parse->problems, at, spec, names[0]));
    profile->queue_label = keep(parse, schema_text(parse->problems, at, spec, names[1]));
    profile->kinds = parse_kinds(parse, at, spec, names[2], &profile->kind_count);
    profile->excluded = parse_kinds(parse, at, spec, names[3], &profile->excluded_count);
    const char *late = schema_text(parse->problems, at, spec, names[4]);
    profile->late_join = late != NULL && strcmp(late, "join") == 0;
    if (late != NULL && strcmp(late, "join") != 0 && strcmp(late, "leave") != 0)
        schema_problem(parse->problems, KARTA_REFUSAL, at, names[4],
                       "is \"%.40s\"; it is leave or join", late);
    profile->require_gang = flag(parse, at, spec, names[5], true);
    parse_template(parse, at, spec);
    parse_identity(parse, at, spec);
    parse_workload(parse, at, spec);
    parse_objects(parse, at, spec);
}

static void parse_document(struct parse *parse, const json_t *document)
{
    const json_t *metadata = schema_get(parse->problems, NULL, document, "metadata", JSON_OBJECT);
    const struct at metadata_at = {NULL, "metadata", 0};
    parse->profile->name =
        keep(parse, schema_need_text(parse->problems, &metadata_at, metadata, "name"));
    const json_t *spec = schema_get(parse->problems, NULL, document, "spec", JSON_OBJECT);
    const struct at at = {NULL, "spec", 0};
    if (spec == NULL && !json_is_object(json_object_get(document, "spec")))
        schema_problem(parse->problems, KARTA_REFUSAL, NULL, "spec", "is missing");
    if (spec != NULL)
        parse_spec(parse, &at, spec);
}

struct karta_profile *profile_new(const json_t *document, const char *origin,
                                  struct karta_problems *problems)
{
    size_t before = karta_problems_refusals(problems);
    struct karta_profile *profile = calloc(1, sizeof *profile);
    struct parse parse = {profile, problems, 0};
    if (profile != NULL) {
        profile->document = json_incref((json_t *)document);
        profile->origin = keep(&parse, origin);
        parse_document(&parse, document);
    }
    if (profile == NULL || parse.failed != 0)
        karta_problems_add(problems, KARTA_REFUSAL, "", "out of memory");
    if (karta_problems_refusals(problems) == before)
        return profile;
    profile_free(profile);
    return NULL;
}
