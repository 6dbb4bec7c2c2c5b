/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON to libjq's values and back. The idea: everything is counted and every kind is checked,
 * since libjq aborts on a wrong-kind access, and values share their parts: what is small in its
 * memory can be endless once it is written out.
 *
 * Keys go in byte order: libjq iterates in the order of insertion, other readers of the same
 * definitions sort, and a definition that zips keys[] with .[] must mean one thing.
 */
#include "jq/jq_value.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

/* libjq's hash has no secret: keys that share a bucket can be made on purpose */
#define BUCKET_KEYS 64

#define ERROR_BYTES 200

static int from_json(const json_t *json, int depth, jv *value, struct karta_error *err);

static int string_from_json(const char *text, size_t size, jv *value, struct karta_error *err)
{
    if (size > LIMIT_OBJECT_STRING)
        return karta_error_set(err, KARTA_ERR_LIMIT, "the object has a text of more than %u MiB",
                               LIMIT_OBJECT_STRING >> 20);
    *value = jv_string_sized(text, (int)size);
    return 0;
}

static int array_from_json(const json_t *json, int depth, jv *value, struct karta_error *err)
{
    size_t count = json_array_size(json);
    if (count > LIMIT_OBJECT_ARRAY)
        return karta_error_set(err, KARTA_ERR_LIMIT,
                               "the object has an array of more than %u elements",
                               LIMIT_OBJECT_ARRAY);
    jv array = jv_array_sized((int)count);
    for (size_t i = 0; i < count; i++) {
        jv element;
        int code = from_json(json_array_get(json, i), depth + 1, &element, err);
        if (code != 0) {
            jv_free(array);
            return code;
        }
        array = jv_array_append(array, element);
    }
    *value = array;
    return 0;
}

struct member {
    const char *key;
    const json_t *value;
    uint32_t hash;
};

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static int compare_buckets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Inserting n keys that share a bucket takes n * n / 2 steps, with no deadline to end it. */
static int check_buckets(const struct member *members, size_t count, struct karta_error *err)
{
    if (count <= BUCKET_KEYS)
        return 0;
    KARTA_CLEANUP(mem_free_text) char *memory = mem_array(count, sizeof(uint32_t));
    if (memory == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    uint32_t *buckets = (uint32_t *)(void *)memory, mask = 1;
    while (mask < 2 * count)
        mask = mask << 1 | 1;
    for (size_t i = 0; i < count; i++)
        buckets[i] = members[i].hash & mask;
    qsort(buckets, count, sizeof *buckets, compare_buckets);
    for (size_t i = BUCKET_KEYS; i < count; i++)
        if (buckets[i] == buckets[i - BUCKET_KEYS])
            return karta_error_set(err, KARTA_ERR_LIMIT,
                                   "the object has a map with more than %d keys of one hash",
                                   BUCKET_KEYS);
    return 0;
}

static int fill_object(const struct member *members, size_t count, int depth, jv *object,
                       struct karta_error *err)
{
    for (size_t i = 0; i < count; i++) {
        jv key, value;
        int code = string_from_json(members[i].key, strlen(members[i].key), &key, err);
        if (code != 0)
            return code;
        code = from_json(members[i].value, depth + 1, &value, err);
        if (code != 0) {
            jv_free(key);
            return code;
        }
        *object = jv_object_set(*object, key, value);
    }
    return 0;
}

static int object_from_json(const json_t *json, int depth, jv *value, struct karta_error *err)
{
    size_t count = json_object_size(json), used = 0;
    if (count > LIMIT_OBJECT_ARRAY)
        return karta_error_set(err, KARTA_ERR_LIMIT, "the object has a map of more than %u fields",
                               LIMIT_OBJECT_ARRAY);
    struct member small[16];
    struct member *members = count <= 16 ? small : mem_array(count, sizeof *members);
    if (members == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    void *iter = json_object_iter((json_t *)json);
    for (; iter != NULL && used < count; iter = json_object_iter_next((json_t *)json, iter)) {
        const char *key = json_object_iter_key(iter);
        members[used].hash = count > BUCKET_KEYS
                                 ? (uint32_t)jv_string_hash(jv_string_sized(key, (int)strlen(key)))
                                 : 0;
        members[used].key = key;
        members[used++].value = json_object_iter_value(iter);
    }
    qsort(members, used, sizeof *members, compare_members);
    jv object = jv_object();
    int code = check_buckets(members, used, err);
    if (code == 0)
        code = fill_object(members, used, depth, &object, err);
    if (members != small)
        free(members);
    if (code != 0)
        jv_free(object);
    else
        *value = object;
    return code;
}

static int from_json(const json_t *json, int depth, jv *value, struct karta_error *err)
{
    if (depth > LIMIT_OBJECT_DEPTH)
        return karta_error_set(err, KARTA_ERR_LIMIT, "the object is nested deeper than %d levels",
                               LIMIT_OBJECT_DEPTH);
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return object_from_json(json, depth, value, err);
    case JSON_ARRAY:
        return array_from_json(json, depth, value, err);
    case JSON_STRING:
        return string_from_json(json_string_value(json), json_string_length(json), value, err);
    case JSON_INTEGER:
        *value = jv_number((double)json_integer_value(json));
        return 0;
    case JSON_REAL:
        *value = jv_number(json_real_value(json));
        return 0;
    case JSON_TRUE:
        *value = jv_true();
        return 0;
    case JSON_FALSE:
        *value = jv_false();
        return 0;
    case JSON_NULL:
        break;
    }
    *value = jv_null();
    return 0;
}

int value_from_json(const json_t *json, jv *value, struct karta_error *err)
{
    return from_json(json, 1, value, err);
}

static int to_json(jv value, int depth, struct value_budget *budget, json_t **json,
                   struct karta_error *err);

static int too_large(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_LIMIT, "the results are too large");
}

static int number_to_json(jv value, json_t **json, struct karta_error *err)
{
    double number = jv_number_value(value);
    if (!isfinite(number))
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "a number that JSON has no word for");
    bool integral = floor(number) == number && fabs(number) < 9007199254740992.0;
    *json = integral ? json_integer((json_int_t)number) : json_real(number);
    return *json != NULL ? 0 : karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}

static int string_to_json(jv value, struct value_budget *budget, json_t **json,
                          struct karta_error *err)
{
    size_t size = (size_t)jv_string_length_bytes(jv_copy(value));
    if (size > budget->bytes)
        return too_large(err);
    budget->bytes -= size;
    *json = json_stringn(jv_string_value(value), size);
    if (*json == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return 0;
}

static int array_to_json(jv value, int depth, struct value_budget *budget, json_t **json,
                         struct karta_error *err)
{
    json_auto_t *array = json_array();
    int count = jv_array_length(jv_copy(value));
    for (int i = 0; i < count; i++) {
        jv element = jv_array_get(jv_copy(value), i);
        json_t *converted = NULL;
        int code = to_json(element, depth + 1, budget, &converted, err);
        jv_free(element);
        if (code != 0)
            return code;
        if (json_array_append_new(array, converted) != 0)
            return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    }
    if (array == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    *json = json_incref(array);
    return 0;
}

/* `name` and `field` are borrowed. */
static int member_to_json(json_t *object, jv name, jv field, int depth, struct value_budget *budget,
                          struct karta_error *err)
{
    const char *key = jv_string_value(name);
    size_t size = (size_t)jv_string_length_bytes(jv_copy(name));
    if (strlen(key) != size)
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "a key with \\u0000 in it");
    if (size > budget->bytes)
        return too_large(err);
    budget->bytes -= size;
    json_t *converted = NULL;
    int code = to_json(field, depth + 1, budget, &converted, err);
    if (code != 0)
        return code;
    if (json_object_set_new(object, key, converted) != 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return 0;
}

static int object_to_json(jv value, int depth, struct value_budget *budget, json_t **json,
                          struct karta_error *err)
{
    json_auto_t *object = json_object();
    if (object == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    int iter = jv_object_iter(value);
    for (; jv_object_iter_valid(value, iter); iter = jv_object_iter_next(value, iter)) {
        jv name = jv_object_iter_key(value, iter), field = jv_object_iter_value(value, iter);
        int code = member_to_json(object, name, field, depth, budget, err);
        jv_free(name);
        jv_free(field);
        if (code != 0)
            return code;
    }
    *json = json_incref(object);
    return 0;
}

static int to_json(jv value, int depth, struct value_budget *budget, json_t **json,
                   struct karta_error *err)
{
    if (budget->nodes == 0 || depth > 2 * LIMIT_OBJECT_DEPTH)
        return too_large(err);
    budget->nodes--;
    switch (jv_get_kind(value)) {
    case JV_KIND_OBJECT:
        return object_to_json(value, depth, budget, json, err);
    case JV_KIND_ARRAY:
        return array_to_json(value, depth, budget, json, err);
    case JV_KIND_STRING:
        return string_to_json(value, budget, json, err);
    case JV_KIND_NUMBER:
        return number_to_json(value, json, err);
    case JV_KIND_TRUE:
        *json = json_true();
        return 0;
    case JV_KIND_FALSE:
        *json = json_false();
        return 0;
    case JV_KIND_NULL:
        *json = json_null();
        return 0;
    case JV_KIND_INVALID:
        break;
    }
    return karta_error_set(err, KARTA_ERR_INTERNAL, "libjq gave an invalid value");
}

int value_to_json(jv value, struct value_budget *budget, json_t **json, struct karta_error *err)
{
    return to_json(value, 1, budget, json, err);
}

/* In one line, cut between characters. */
static char *clean_text(const char *text)
{
    char *clean = strndup(text, ERROR_BYTES);
    if (clean != NULL)
        text_clean(clean);
    return clean;
}

char *value_error_text(jv value)
{
    switch (jv_get_kind(value)) {
    case JV_KIND_STRING:
        return clean_text(jv_string_value(value));
    case JV_KIND_NUMBER:
        return mem_format("%.17g", jv_number_value(value));
    case JV_KIND_TRUE:
        return strdup("true");
    case JV_KIND_FALSE:
        return strdup("false");
    default:
        return strdup("an error without a text");
    }
}

int value_count(jv value)
{
    return jv_get_kind(value) == JV_KIND_ARRAY ? jv_array_length(jv_copy(value)) : -1;
}

jv value_element(jv value, int index)
{
    if (index < 0 || index >= value_count(value))
        return jv_null();
    return jv_array_get(jv_copy(value), index);
}

jv value_field(jv value, const char *key)
{
    if (jv_get_kind(value) != JV_KIND_OBJECT)
        return jv_null();
    jv field = jv_object_get(jv_copy(value), jv_string(key));
    if (jv_get_kind(field) != JV_KIND_INVALID)
        return field;
    jv_free(field);
    return jv_null();
}
