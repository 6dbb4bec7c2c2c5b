/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pod templates of instances. The one idea: whatever form a definition has, what comes out is the
 * same: spots to write labels, annotations and fields to, and a pod spec to read.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "patch.h"
#include "reading.h"
#include "schema.h"

int resolve_pointer(const json_t *object, const json_t *path, char **pointer, const json_t **value,
                    struct karta_error *err)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, LIMIT_OBJECT_STRING);
    const json_t *here = object;
    for (size_t i = 0; i < json_array_size(path); i++) {
        const json_t *step = json_array_get(path, i);
        if (json_is_string(step)) {
            pointer_add_key(&buf, json_string_value(step));
            here = json_object_get(here, json_string_value(step));
            continue;
        }
        json_int_t index = json_integer_value(step);
        json_int_t size = (json_int_t)json_array_size(here);
        index = index < 0 ? index + size : index;
        strbuf_addf(&buf, "/%lld", (long long)index);
        here = index >= 0 && index < size ? json_array_get(here, (size_t)index) : NULL;
    }
    int code = strbuf_check(&buf, err);
    if (code != 0)
        return code;
    *value = json_is_null(here) ? NULL : here;
    *pointer = strbuf_take(&buf);
    return *pointer != NULL ? 0 : mem_error(err);
}

/* The spot of a member below a pointer. */
static int spot_below(const char *base, const json_t *value, const char *key, struct spot *spot,
                      struct karta_error *err)
{
    spot->path = pointer_join(base, key);
    spot->value = json_object_get(value, key);
    if (json_is_null(spot->value))
        spot->value = NULL;
    return spot->path != NULL ? 0 : mem_error(err);
}

static int set_metadata(struct instance *instance, const char *path, const json_t *metadata,
                        struct karta_error *err)
{
    instance->metadata = metadata;
    int code = spot_below(path, metadata, "labels", &instance->labels, err);
    return code == 0 ? spot_below(path, metadata, "annotations", &instance->annotations, err)
                     : code;
}

static int set_spec(struct instance *instance, const char *path, const json_t *spec,
                    struct karta_error *err)
{
    instance->pod_spec = spec;
    instance->spec = (struct spot){strdup(path), spec};
    if (instance->spec.path == NULL)
        return mem_error(err);
    int code = spot_below(path, spec, "schedulerName", &instance->scheduler, err);
    return code == 0 ? spot_below(path, spec, "priorityClassName", &instance->priority_class, err)
                     : code;
}

static int set_pod_template(struct instance *instance, const json_t *value, struct karta_error *err)
{
    KARTA_AUTO_TEXT metadata = pointer_join(instance->path, "metadata");
    KARTA_AUTO_TEXT spec = pointer_join(instance->path, "spec");
    if (metadata == NULL || spec == NULL)
        return mem_error(err);
    int code = set_metadata(instance, metadata, json_object_get(value, "metadata"), err);
    return code == 0 ? set_spec(instance, spec, json_object_get(value, "spec"), err) : code;
}

/* One template of one instance; a null one leaves the instance without a path. */
static int read_template(const struct reading *reading, struct resolved_component *component,
                         struct instance *instance, const json_t *path, struct karta_error *err)
{
    const json_t *value = NULL;
    int code = resolve_pointer(reading->resolved->object, path, &instance->path, &value, err);
    if (code != 0)
        return code;
    bool whole = component->definition->form == TEMPLATE_POD_TEMPLATE;
    if (json_is_object(value))
        return whole ? set_pod_template(instance, value, err)
                     : set_spec(instance, instance->path, value, err);
    free(mem_take_text(&instance->path));
    if (value != NULL)
        resolved_component_error(component, "%s gives %s where a pod %s belongs",
                                 whole ? "podTemplateSpecPath" : "podSpecPath",
                                 json_type_text(json_typeof(value)), whole ? "template" : "spec");
    return 0;
}

/* metadataPath beside podSpecPath. */
static int read_metadata(const struct reading *reading, struct resolved_component *component,
                         struct karta_error *err)
{
    const struct expression *expression = &component->definition->metadata;
    if (expression->jq == NULL)
        return 0;
    const json_t *paths = reading_values(reading, component, expression, "metadataPath");
    if (paths == NULL || !reading_fits(component, paths, "metadataPath"))
        return 0;
    int code = 0;
    for (size_t i = 0; code == 0 && i < component->count; i++) {
        KARTA_AUTO_TEXT pointer = NULL;
        const json_t *value = NULL;
        code =
            resolve_pointer(reading->resolved->object, reading_at(paths, i), &pointer, &value, err);
        if (code == 0 && component->instances[i].path != NULL)
            code = set_metadata(&component->instances[i], pointer, value, err);
    }
    return code;
}

int reading_templates(const struct reading *reading, struct resolved_component *component,
                      struct karta_error *err)
{
    const struct component *definition = component->definition;
    if (definition->form == TEMPLATE_FRAGMENTS)
        return reading_fragments(reading, component, err);
    if (definition->template.jq == NULL)
        return 0;
    const char *field =
        definition->form == TEMPLATE_POD_TEMPLATE ? "podTemplateSpecPath" : "podSpecPath";
    const json_t *paths = reading_values(reading, component, &definition->template, field);
    bool absent = json_array_size(paths) == 0 && definition->ids.jq == NULL;
    if (paths == NULL || absent || !reading_fits(component, paths, field))
        return 0;
    int code = 0;
    for (size_t i = 0; code == 0 && i < component->count; i++)
        code =
            read_template(reading, component, &component->instances[i], reading_at(paths, i), err);
    return code == 0 ? read_metadata(reading, component, err) : code;
}
