/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a template tells its pods. The one idea: the group's name is a function of this annotation
 * and the pod's labels alone, so two replicas never share one and pods of one always do.
 */
#include "pod_memory.h"

#include <string.h>

#include "base/limits.h"
#include "base/strbuf.h"
#include "gang_memory.h"
#include "metadata.h"

static const char *text_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

bool pod_memory_read(const json_t *pod, const char *ns, struct pod_memory *memory)
{
    *memory = (struct pod_memory){0};
    const char *phase = metadata_label(pod, KEY_POD_PHASE);
    const char *text = metadata_annotation(pod, KEY_POD_GROUP);
    if (phase == NULL || strcmp(phase, "true") != 0 || text == NULL ||
        strlen(text) > LIMIT_GANG_ANNOTATION)
        return false;
    memory->json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *carrier = json_object_get(memory->json, "for");
    memory->owner = gang_owner_read(carrier);
    memory->profile = text_at(memory->json, "profile");
    memory->group = text_at(memory->json, "group");
    memory->nonce = text_at(memory->json, "nonce");
    memory->queue = text_at(memory->json, "queue");
    memory->subgroup = text_at(memory->json, "subGroup");
    memory->keys = json_object_get(memory->json, "keys");
    memory->role = text_at(memory->json, "role");
    memory->roles = json_object_get(memory->json, "roles");
    return memory->profile != NULL && memory->group != NULL && memory->nonce != NULL &&
           strlen(memory->nonce) == NONCE_SIZE - 1 && json_array_size(memory->keys) > 0 &&
           gang_owner_whole(&memory->owner) && strcmp(memory->owner.ns, ns) == 0;
}

void pod_memory_dispose(struct pod_memory *memory)
{
    json_decref(memory->json);
    *memory = (struct pod_memory){0};
}

/* What stands at one path of the pod; NULL: nothing yet. */
static const char *value_at(const json_t *pod, const char *path)
{
    struct jq_expression *expression = NULL;
    const char *where, *key, *text = NULL;
    if (path == NULL || jq_expression_parse(path, &expression, NULL) != 0)
        return NULL;
    if (jq_expression_metadata_key(expression, &where, &key))
        text =
            strcmp(where, "labels") == 0 ? metadata_label(pod, key) : metadata_annotation(pod, key);
    jq_expression_free(expression);
    return text;
}

bool pod_memory_key(const struct pod_memory *memory, const json_t *pod, char **key,
                    struct karta_error *err)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, LIMIT_OBJECT_STRING);
    *key = NULL;
    for (size_t i = 0; i < json_array_size(memory->keys); i++) {
        const char *text = value_at(pod, json_string_value(json_array_get(memory->keys, i)));
        if (text == NULL)
            return false;
        strbuf_addf(&buf, "%s%s", i > 0 ? "/" : "", text);
    }
    if (strbuf_check(&buf, err) != 0)
        return false;
    *key = strbuf_take(&buf);
    return *key != NULL;
}

static json_t *keys_json(const struct member *member)
{
    json_t *list = json_array();
    for (size_t k = 0; list != NULL && k < member->key_count; k++)
        if (json_array_append_new(list, json_string(jq_expression_text(member->keys[k]))) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

char *pod_memory_text(const struct gang_owner *owner, const char *nonce, const char *profile,
                      const char *queue, const struct planned_group *group,
                      const struct place *place, const char *role, json_t *roles)
{
    json_auto_t *memory = json_pack(
        "{s:o, s:s, s:s, s:s, s:o, s:s*, s:I, s:I, s:s*, s:O*}", "for", gang_owner_json(owner),
        "profile", profile, "group", group->definition->name, "nonce", nonce, "keys",
        keys_json(place->member), "queue", queue, "minMember", (json_int_t)group->min_member,
        "pods", (json_int_t)group->pods, "role", role, "roles", roles);
    return memory != NULL ? json_dumps(memory, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}
