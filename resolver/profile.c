/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile says of one place. The one idea: a scheduler is a table of keys, each with an
 * expression; null or empty text means that the key isn't written.
 */
#include "profile.h"

#include <string.h>

#include "base/mem.h"
#include "names.h"

char *profile_refuses(const struct karta_profile *profile, const char *group, const char *kind)
{
    for (size_t i = 0; i < profile->excluded_count; i++) {
        const struct kind_match *match = &profile->excluded[i];
        if (strcmp(match->group, group) == 0 && strcmp(match->kind, kind) == 0)
            return mem_format("profile %s excludes %s%s%s", profile->name, kind,
                              match->reason != NULL ? ": " : "",
                              match->reason != NULL ? match->reason : "");
    }
    for (size_t i = 0; i < profile->kind_count; i++)
        if (strcmp(profile->kinds[i].group, group) == 0 &&
            strcmp(profile->kinds[i].kind, kind) == 0)
            return NULL;
    if (profile->kind_count == 0)
        return NULL;
    return mem_format("profile %s does not take %s", profile->name, kind);
}

/* Text for labels and annotations; for fields whatever holds no number that jq may have spoiled. */
static bool writable(const json_t *value)
{
    const char *key;
    json_t *member;
    switch (json_typeof(value)) {
    case JSON_INTEGER:
    case JSON_REAL:
        return false;
    case JSON_ARRAY:
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!writable(json_array_get(value, i)))
                return false;
        return true;
    case JSON_OBJECT:
        json_object_foreach((json_t *)value, key, member)
        {
            if (!writable(member))
                return false;
        }
        return true;
    default:
        return true;
    }
}

static int check_value(const struct profile_key *key, const json_t *value, struct karta_error *err)
{
    if (key->place == KEY_FIELD)
        return writable(value) ? 0
                               : karta_error_set(err, KARTA_ERR_EXPRESSION,
                                                 "field %s would hold a number", key->key);
    const char *text = json_string_value(value);
    if (text == NULL || strlen(text) != json_string_length(value))
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "%s %s is no text",
                               key->place == KEY_LABEL ? "label" : "annotation", key->key);
    if (key->place == KEY_LABEL && !name_is_label_value(text))
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "label %s cannot hold \"%.80s\": at most 63 letters, digits, '-', "
                               "'_' and '.', with a letter or digit at both ends",
                               key->key, text);
    return 0;
}

static bool is_nothing(const json_t *value)
{
    return value == NULL || json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

static int take_value(const struct profile_key *key, const struct jq_result *result, json_t *values,
                      struct karta_error *err)
{
    if (result->error != NULL)
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "%s: %s", key->key, result->error);
    if (json_array_size(result->values) > 1)
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "%s: gives %zu values where one belongs",
                               key->key, json_array_size(result->values));
    json_t *value = json_array_get(result->values, 0);
    if (is_nothing(value))
        return json_array_append_new(values, json_null()) == 0
                   ? 0
                   : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int code = check_value(key, value, err);
    if (code != 0)
        return code;
    return json_array_append(values, value) == 0
               ? 0
               : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

int profile_evaluate(const struct profile_key *keys, size_t count, struct jq_program *program,
                     const struct jq_input *input, int64_t deadline_ms, json_t **values,
                     struct karta_error *err)
{
    json_auto_t *list = json_array();
    struct jq_results results = {0};
    int code = list != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (code == 0 && count > 0)
        code = jq_program_run(program, input, deadline_ms, &results, err);
    for (size_t i = 0; code == 0 && i < count; i++)
        code = take_value(&keys[i], &results.parts[i], list, err);
    jq_results_dispose(&results);
    if (code == 0)
        *values = json_incref(list);
    return code;
}
