/* SPDX-License-Identifier: Apache-2.0 */
/* What both mutations share. The one idea: wanted values are laid over what is there, see patch.h.
 */
#include "mutate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "karta/engine.h"
#include "metadata.h"
#include "patch.h"

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
    mutate->deadline_ms = mutate->options->deadline_ms;
    bool good =
        mutate->out->warnings != NULL && mutate->out->audit != NULL && mutate->wanted != NULL;
    return good ? 0 : mem_error(err);
}

static int compile(struct jq_program *program, struct karta_error *err)
{
    return program != NULL ? jq_program_compile(program, NULL, err) : 0;
}

int mutate_compile(struct mutate *mutate, struct karta_error *err)
{
    const struct karta_definition *definition = mutate->definition;
    const struct karta_profile *profile = mutate->profile;
    int64_t begin = karta_engine_now_ms();
    int code = definition != NULL ? compile(definition->structure, err) : 0;
    if (code == 0 && definition != NULL)
        code = compile(definition->pods, err);
    if (code == 0 && profile != NULL)
        code = compile(profile->program, err);
    if (code == 0 && profile != NULL)
        code = compile(profile->refuse_program, err);
    for (size_t i = 0; code == 0 && profile != NULL && i < profile->workload_count; i++)
        code = compile(profile->workload[i].program, err);
    if (mutate->deadline_ms > 0)
        mutate->deadline_ms += karta_engine_now_ms() - begin;
    return code;
}

void mutate_end(struct mutate *mutate)
{
    json_decref(mutate->wanted);
    jq_input_free(mutate->base);
    jq_input_free(mutate->of_group);
    json_decref(mutate->roles);
}

int mutate_finish(struct mutate *mutate, struct karta_error *err)
{
    json_auto_t *operations = json_array();
    struct karta_error own = {0};
    if (operations == NULL)
        return mem_error(err);
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

const char *mutate_named_queue(const struct mutate *mutate, const json_t *object)
{
    const char *label = mutate->profile->queue_label;
    const char *queue = label != NULL ? metadata_label(object, label) : NULL;
    return queue != NULL ? queue : metadata_either(object, KEY_QUEUE);
}

const char *mutate_queue(const struct mutate *mutate)
{
    const char *queue = mutate_named_queue(mutate, mutate->object);
    if (queue == NULL)
        queue = mutate->policy_queue;
    return queue != NULL ? queue : mutate->options->default_queue;
}

/* Where the user named the queue: "labels" or "annotations" and the key; NULL: nowhere. */
static const char *queue_place(const struct mutate *mutate, const char **key)
{
    *key = mutate->profile->queue_label;
    if (*key != NULL && metadata_label(mutate->object, *key) != NULL)
        return "labels";
    *key = KEY_QUEUE;
    if (metadata_label(mutate->object, KEY_QUEUE) != NULL)
        return "labels";
    return metadata_annotation(mutate->object, KEY_QUEUE) != NULL ? "annotations" : NULL;
}

int mutate_deny_value(struct mutate *mutate, struct karta_error *err)
{
    const char *key, *place = queue_place(mutate, &key);
    if (place == NULL || mutate->queue == NULL || name_is_label_value(mutate->queue)) {
        const struct karta_error own = *err;
        return karta_error_set(err, KARTA_ERR_EXPRESSION, "%s", own.message);
    }
    free(mutate->out->denial);
    mutate->out->denial = mem_format("metadata.%s[%s]: %s", place, key, err->message);
    karta_error_init(err);
    return mutate->out->denial != NULL ? 0 : mem_error(err);
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
    return pointer != NULL ? wanted_put(mutate->wanted, pointer, value, err) : mem_error(err);
}

int mutate_want_on_workload(struct mutate *mutate, const char *map, const char *key, json_t *value,
                            struct karta_error *err)
{
    KARTA_AUTO_TEXT base = mem_format("/metadata/%s", map);
    KARTA_AUTO_TEXT pointer = base != NULL ? pointer_join(base, key) : NULL;
    return pointer != NULL ? wanted_put(mutate->wanted, pointer, value, err) : mem_error(err);
}

bool mutate_is_blank(const json_t *value)
{
    return value == NULL || json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0);
}
