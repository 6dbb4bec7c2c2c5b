/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building patches. The one idea: the wanted values are a tree that is laid over the object, and
 * an operation stands only where the two first differ.
 */
#include "patch.h"

#include "base/limits.h"

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

static int add_operation(json_t *operations, const char *op, const char *pointer,
                         const json_t *value, struct karta_error *err)
{
    json_t *operation = json_pack("{s:s, s:s, s:O}", "op", op, "path", pointer, "value", value);
    if (operation == NULL || json_array_append_new(operations, operation) != 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return 0;
}

static int merge_member(json_t *operations, const json_t *target, const char *pointer,
                        const json_t *value, struct karta_error *err)
{
    if (json_is_object(value) && json_is_object(target))
        return patch_merge(operations, target, pointer, value, err);
    if (target == NULL || json_is_null(target))
        return add_operation(operations, "add", pointer, value, err);
    if (json_equal(target, value))
        return 0;
    return add_operation(operations, "replace", pointer, value, err);
}

int patch_merge(json_t *operations, const json_t *target, const char *pointer, const json_t *tree,
                struct karta_error *err)
{
    const char *key;
    json_t *value;
    if (!json_is_object(target))
        return json_object_size(tree) == 0 ? 0
                                           : merge_member(operations, target, pointer, tree, err);
    json_object_foreach((json_t *)tree, key, value)
    {
        if (json_is_object(value) && json_object_size(value) == 0)
            continue;
        KARTA_AUTO_STRBUF path;
        strbuf_init(&path, LIMIT_OBJECT_STRING);
        strbuf_adds(&path, pointer);
        pointer_add_key(&path, key);
        int code = strbuf_check(&path, err);
        if (code == 0)
            code = merge_member(operations, json_object_get(target, key), path.text, value, err);
        if (code != 0)
            return code;
    }
    return 0;
}
