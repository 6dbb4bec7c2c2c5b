/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Patch, applied. The one idea: operations run on a deep copy of the object, one after the
 * other; the first that does not fit throws the copy away, so that there is no half-applied patch.
 */
#include "karta/patch.h"

#include <stdbool.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

/* What jansson reads and writes at most; our own recursion is bounded by it too. */
#define LONGEST_PATH 2048

/* A place in a document: `parent` holds it under `key` or `index`; NULL: the whole document. */
struct place {
    json_t *parent;
    char *key; /* new; unescaped */
    size_t index;
    bool is_end;   /* "-" */
    json_t *value; /* borrowed; NULL where nothing stands there */
    size_t depth;
};

struct patcher {
    json_t *root; /* owned */
    size_t number;
    struct karta_error *err;
};

static void place_dispose(struct place *place)
{
    free(place->key);
}
#define AUTO_PLACE KARTA_CLEANUP(place_dispose) struct place

/* New, without ~0 and ~1; NULL with *valid false for another ~, else when memory is out. */
static char *unescape(const char *token, size_t size, bool *valid)
{
    char *text = malloc(size + 1);
    *valid = true;
    if (text == NULL)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        char c = token[i];
        if (c == '~') {
            i++;
            if (i == size || (token[i] != '0' && token[i] != '1')) {
                *valid = false;
                free(text);
                return NULL;
            }
            c = token[i] == '0' ? '~' : '/';
        }
        text[used++] = c;
    }
    text[used] = '\0';
    return text;
}

/* An array index as RFC 6901 writes it: digits without a leading zero. */
static bool read_index(const char *token, size_t *index)
{
    size_t size = strlen(token);
    if (size == 0 || size > 9 || strspn(token, "0123456789") != size)
        return false;
    if (token[0] == '0' && size > 1)
        return false;
    *index = (size_t)strtoul(token, NULL, 10);
    return true;
}

/* Steps from place->value down to `key` (taken). False: it is no container or no such index. */
static bool step(struct place *place, char *key)
{
    free(place->key);
    place->key = key;
    place->parent = place->value;
    place->value = NULL;
    place->depth++;
    if (json_is_object(place->parent)) {
        place->value = json_object_get(place->parent, key);
        return true;
    }
    if (!json_is_array(place->parent))
        return false;
    place->is_end = strcmp(key, "-") == 0;
    place->index = json_array_size(place->parent);
    if (!place->is_end && !read_index(key, &place->index))
        return false;
    place->value = json_array_get(place->parent, place->index);
    return true;
}

enum found { FOUND, ABSENT, MALFORMED, NO_MEMORY };

/* Walks `pointer`. FOUND: its parent is there (or it is the whole), the value itself may not be. */
static enum found walk(json_t *root, const char *pointer, struct place *place)
{
    *place = (struct place){.value = root};
    if (pointer[0] != '\0' && pointer[0] != '/')
        return MALFORMED;
    enum found found = FOUND;
    while (*pointer != '\0') {
        size_t size = strcspn(++pointer, "/");
        bool valid;
        char *key = unescape(pointer, size, &valid);
        if (key == NULL)
            return valid ? NO_MEMORY : MALFORMED;
        pointer += size;
        if (place->value == NULL)
            found = ABSENT;
        if (found == FOUND && step(place, key))
            continue;
        if (found != FOUND)
            free(key);
        found = ABSENT;
    }
    return found;
}

json_t *karta_pointer_get(const json_t *root, const char *pointer)
{
    AUTO_PLACE place;
    return walk((json_t *)root, pointer, &place) == FOUND ? place.value : NULL;
}

static int no_memory(struct patcher *patcher)
{
    return karta_error_set(patcher->err, KARTA_ERR_NOMEM, "out of memory");
}

static int absent(struct patcher *patcher, const char *what, const char *path)
{
    return karta_error_set(patcher->err, KARTA_ERR_CONFLICT, "operation %zu: no %s at %s",
                           patcher->number, what, path[0] != '\0' ? path : "the root");
}

/* Finds the place of `path`, whose parent must be there; `what` is missing otherwise. */
static int find(struct patcher *patcher, const char *what, const char *path, struct place *place)
{
    switch (walk(patcher->root, path, place)) {
    case FOUND:
        return KARTA_OK;
    case ABSENT:
        return absent(patcher, what, path);
    case MALFORMED:
        return karta_error_set(patcher->err, KARTA_ERR_SCHEMA,
                               "operation %zu: \"%s\" is no JSON pointer", patcher->number, path);
    default:
        return no_memory(patcher);
    }
}

/* Finds the value at `path`. */
static int find_value(struct patcher *patcher, const char *path, struct place *place)
{
    int code = find(patcher, "value", path, place);
    return code == 0 && place->value == NULL ? absent(patcher, "value", path) : code;
}

/* Counts levels and values of `value`, as far as the caps. */
static bool weigh(const json_t *value, size_t depth, size_t *values)
{
    if (depth > LONGEST_PATH || ++*values > LIMIT_DOCUMENT_NODES)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!weigh(json_array_get(value, i), depth + 1, values))
            return false;
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        if (!weigh(member, depth + 1, values))
            return false;
    }
    return true;
}

static void set_root(struct patcher *patcher, json_t *value)
{
    json_t *old = patcher->root;
    patcher->root = json_incref(value);
    json_decref(old);
}

/* Puts `value` (borrowed) where `path` says. */
static int add(struct patcher *patcher, const char *path, json_t *value)
{
    AUTO_PLACE place;
    int code = find(patcher, "place", path, &place);
    if (code != 0)
        return code;
    size_t values = 0;
    if (!weigh(value, place.depth, &values))
        return karta_error_set(patcher->err, KARTA_ERR_LIMIT,
                               "operation %zu: the result is too large", patcher->number);
    if (place.parent == NULL)
        set_root(patcher, value);
    else if (json_is_object(place.parent))
        code = json_object_set(place.parent, place.key, value);
    else if (place.index > json_array_size(place.parent))
        return absent(patcher, "place", path);
    else
        code = json_array_insert(place.parent, place.index, value);
    return code != 0 ? no_memory(patcher) : KARTA_OK;
}

static int remove_value(struct patcher *patcher, const char *path)
{
    AUTO_PLACE place;
    int code = find_value(patcher, path, &place);
    if (code != 0)
        return code;
    if (place.parent == NULL)
        set_root(patcher, json_null());
    else if (json_is_object(place.parent))
        json_object_del(place.parent, place.key);
    else
        json_array_remove(place.parent, place.index);
    return KARTA_OK;
}

static int replace(struct patcher *patcher, const char *path, json_t *value)
{
    AUTO_PLACE place;
    int code = find_value(patcher, path, &place);
    if (code == 0 && json_is_array(place.parent))
        code = remove_value(patcher, path);
    return code != 0 ? code : add(patcher, path, value);
}

static int move(struct patcher *patcher, const char *from, const char *path)
{
    size_t size = strlen(from);
    if (strncmp(from, path, size) == 0 && path[size] == '/')
        return karta_error_set(patcher->err, KARTA_ERR_CONFLICT,
                               "operation %zu: %s cannot move into itself", patcher->number,
                               size > 0 ? from : "the root");
    AUTO_PLACE place;
    int code = find_value(patcher, from, &place);
    if (code != 0)
        return code;
    json_auto_t *value = json_incref(place.value);
    code = remove_value(patcher, from);
    return code != 0 ? code : add(patcher, path, value);
}

/* The values that copies make are bounded together, or few operations could double them often. */
static int copy(struct patcher *patcher, const char *from, const char *path)
{
    AUTO_PLACE place;
    int code = find_value(patcher, from, &place);
    if (code != 0)
        return code;
    size_t values = 0;
    if (!weigh(patcher->root, 0, &values) || !weigh(place.value, 0, &values))
        return karta_error_set(patcher->err, KARTA_ERR_LIMIT,
                               "operation %zu: the result is too large", patcher->number);
    json_auto_t *value = json_deep_copy(place.value);
    return value != NULL ? add(patcher, path, value) : no_memory(patcher);
}

static bool equal(const json_t *a, const json_t *b);

static bool equal_numbers(const json_t *a, const json_t *b)
{
    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    if (json_is_real(a) && json_is_real(b))
        return json_real_value(a) == json_real_value(b);
    json_int_t integer = json_integer_value(json_is_integer(a) ? a : b);
    double real = json_real_value(json_is_integer(a) ? b : a);
    /* 2^63 is a double, 2^63-1 is not: compare as integers, where none is lost */
    return real >= -0x1p63 && real < 0x1p63 && (json_int_t)real == integer &&
           (double)(json_int_t)real == real;
}

static bool equal_objects(const json_t *a, const json_t *b)
{
    if (json_object_size(a) != json_object_size(b))
        return false;
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)a, key, member)
    {
        if (!equal(member, json_object_get(b, key)))
            return false;
    }
    return true;
}

/* Equal as RFC 6902 means it: numbers by their value, 1 and 1.0 alike. `b` may be NULL. */
static bool equal(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return equal_numbers(a, b);
    if (json_is_object(a) && json_is_object(b))
        return equal_objects(a, b);
    if (!json_is_array(a) || !json_is_array(b))
        return json_equal(a, b);
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!equal(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static int test(struct patcher *patcher, const char *path, const json_t *value)
{
    AUTO_PLACE place;
    int code = find_value(patcher, path, &place);
    if (code == 0 && !equal(place.value, value))
        return karta_error_set(patcher->err, KARTA_ERR_CONFLICT,
                               "operation %zu: the value at %s differs", patcher->number,
                               path[0] != '\0' ? path : "the root");
    return code;
}

/* Member `name` of an operation, which must be text without a NUL; NULL after an error. */
static const char *text_member(struct patcher *patcher, const json_t *operation, const char *name)
{
    const json_t *member = json_object_get(operation, name);
    const char *text = json_string_value(member);
    if (text == NULL || strlen(text) != json_string_length(member)) {
        karta_error_set(patcher->err, KARTA_ERR_SCHEMA, "operation %zu: \"%s\" must be a string",
                        patcher->number, name);
        return NULL;
    }
    return text;
}

static int apply_from(struct patcher *patcher, const json_t *operation, const char *path,
                      int (*act)(struct patcher *, const char *, const char *))
{
    const char *from = text_member(patcher, operation, "from");
    return from != NULL ? act(patcher, from, path) : KARTA_ERR_SCHEMA;
}

/* Operations that carry a value, which the result must not share with the patch. */
static int apply_value(struct patcher *patcher, const json_t *operation, const char *path,
                       int (*act)(struct patcher *, const char *, json_t *))
{
    const json_t *value = json_object_get(operation, "value");
    if (value == NULL)
        return karta_error_set(patcher->err, KARTA_ERR_SCHEMA, "operation %zu: no \"value\"",
                               patcher->number);
    json_auto_t *own = json_deep_copy(value);
    return own != NULL ? act(patcher, path, own) : no_memory(patcher);
}

static int test_value(struct patcher *patcher, const char *path, json_t *value)
{
    return test(patcher, path, value);
}

static int apply_one(struct patcher *patcher, const json_t *operation)
{
    if (!json_is_object(operation))
        return karta_error_set(patcher->err, KARTA_ERR_SCHEMA, "operation %zu is no map",
                               patcher->number);
    const char *op = text_member(patcher, operation, "op");
    const char *path = op != NULL ? text_member(patcher, operation, "path") : NULL;
    if (path == NULL)
        return KARTA_ERR_SCHEMA;
    if (strcmp(op, "add") == 0)
        return apply_value(patcher, operation, path, add);
    if (strcmp(op, "replace") == 0)
        return apply_value(patcher, operation, path, replace);
    if (strcmp(op, "test") == 0)
        return apply_value(patcher, operation, path, test_value);
    if (strcmp(op, "remove") == 0)
        return remove_value(patcher, path);
    if (strcmp(op, "move") == 0)
        return apply_from(patcher, operation, path, move);
    if (strcmp(op, "copy") == 0)
        return apply_from(patcher, operation, path, copy);
    return karta_error_set(patcher->err, KARTA_ERR_SCHEMA, "operation %zu: no such op \"%.80s\"",
                           patcher->number, op);
}

static void patcher_dispose(struct patcher *patcher)
{
    json_decref(patcher->root);
}

int karta_patch_apply(const json_t *object, const json_t *patch, json_t **result,
                      struct karta_error *err)
{
    if (!json_is_array(patch))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "a patch must be a list of operations");
    KARTA_CLEANUP(patcher_dispose)
    struct patcher patcher = {.root = json_deep_copy(object), .err = err};
    if (patcher.root == NULL)
        return no_memory(&patcher);
    for (size_t i = 0; i < json_array_size(patch); i++) {
        patcher.number = i;
        int code = apply_one(&patcher, json_array_get(patch, i));
        if (code != 0)
            return code;
    }
    *result = json_incref(patcher.root);
    return KARTA_OK;
}
