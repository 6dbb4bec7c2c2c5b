/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building patches. The one idea: the wanted values of a whole mutation are one tree that is laid
 * over the object, and an operation stands only where the two first differ.
 */
#include "patch.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "schema.h"

void pointer_add_key(struct strbuf *pointer, const char *key)
{
    strbuf_addc(pointer, '/');
    for (; *key != '\0'; key++) {
        if (*key == '~')
            strbuf_adds(pointer, "~0");
        else if (*key == '/')
            strbuf_adds(pointer, "~1");
        else
            strbuf_addc(pointer, *key);
    }
}

char *pointer_join(const char *base, const char *key)
{
    KARTA_AUTO_STRBUF pointer;
    strbuf_init(&pointer, LIMIT_OBJECT_STRING);
    strbuf_adds(&pointer, base);
    pointer_add_key(&pointer, key);
    return strbuf_take(&pointer);
}

/* Undoes the escapes of one token in place. */
static void unescape(char *token)
{
    char *out = token;
    for (const char *in = token; *in != '\0'; in++) {
        if (*in == '~' && (in[1] == '0' || in[1] == '1'))
            *out++ = *++in == '0' ? '~' : '/';
        else
            *out++ = *in;
    }
    *out = '\0';
}

int wanted_put(json_t *tree, const char *pointer, json_t *value, struct karta_error *err)
{
    KARTA_AUTO_TEXT tokens = strdup(pointer);
    if (tokens == NULL)
        return mem_error(err);
    json_t *here = tree;
    char *token = tokens + 1;
    for (char *slash; (slash = strchr(token, '/')) != NULL; token = slash + 1) {
        *slash = '\0';
        unescape(token);
        json_t *next = json_object_get(here, token);
        if (next == NULL) {
            next = json_object();
            if (json_object_set_new(here, token, next) != 0)
                return mem_error(err);
        }
        here = next;
    }
    unescape(token);
    return json_object_set(here, token, value) == 0 ? 0 : mem_error(err);
}

static int add_operation(json_t *operations, const char *op, const char *pointer,
                         const json_t *value, struct karta_error *err)
{
    json_t *operation = json_pack("{s:s, s:s, s:O}", "op", op, "path", pointer, "value", value);
    if (operation == NULL || json_array_append_new(operations, operation) != 0)
        return mem_error(err);
    return 0;
}

/* The member of an object, or the element of a list whose index `key` is. */
static const json_t *member(const json_t *container, const char *key)
{
    if (!json_is_array(container))
        return json_object_get(container, key);
    return json_array_get(container, (size_t)strtoul(key, NULL, 10));
}

static int merge_members(json_t *operations, const json_t *target, const char *pointer,
                         const json_t *tree, struct karta_error *err);

/* Whether what is wanted below `target` can stand there: names in an object, indexes in a list. */
static bool holds(const json_t *target, const json_t *wanted)
{
    const char *key = json_object_iter_key(json_object_iter((json_t *)wanted));
    if (!json_is_array(target))
        return json_is_object(target);
    return key != NULL && key[strspn(key, "0123456789")] == '\0' &&
           strtoul(key, NULL, 10) < json_array_size(target);
}

static int merge_member(json_t *operations, const json_t *target, const char *pointer,
                        const json_t *value, struct karta_error *err)
{
    if (json_is_object(value) && holds(target, value))
        return merge_members(operations, target, pointer, value, err);
    if (target == NULL || json_is_null(target))
        return add_operation(operations, "add", pointer, value, err);
    if (json_is_object(value))
        return karta_error_set(err, KARTA_ERR_CONFLICT, "%s is %s where an object belongs", pointer,
                               json_type_text(json_typeof(target)));
    if (json_equal(target, value))
        return 0;
    return add_operation(operations, "replace", pointer, value, err);
}

static int merge_members(json_t *operations, const json_t *target, const char *pointer,
                         const json_t *tree, struct karta_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)tree, key, value)
    {
        if (json_is_object(value) && json_object_size(value) == 0)
            continue;
        KARTA_AUTO_TEXT path = pointer_join(pointer, key);
        if (path == NULL)
            return mem_error(err);
        int code = merge_member(operations, member(target, key), path, value, err);
        if (code != 0)
            return code;
    }
    return 0;
}

int patch_merge(json_t *operations, const json_t *object, const json_t *tree,
                struct karta_error *err)
{
    return merge_members(operations, object, "", tree, err);
}
