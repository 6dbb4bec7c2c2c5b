/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of fields for people: which component an expression belongs to, and its path without what
 * the heading says already.
 */
#include <string.h>

#include "base/mem.h"
#include "definitions.h"
#include "input.h"
#include "karta/explain.h"

#define STRUCTURE "spec.structureDefinition."
#define GANG "spec.optimizationInstructions.gangScheduling."
#define ANNOTATIONS "metadata.annotations."
#define OURS "workloadmap.dev/"

/* What follows `start` in `text`; NULL where it doesn't start so. */
static const char *after(const char *text, const char *start)
{
    size_t size = strlen(start);
    return strncmp(text, start, size) == 0 ? text + size : NULL;
}

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static const char *without_groups(const char *text)
{
    static const char *const groups[] = {"specDefinition.",
                                         "fragmentedPodSpecDefinition.",
                                         "scaleDefinition.",
                                         "statusDefinition.",
                                         "suspendDefinition.",
                                         "podSelector.",
                                         NULL};
    for (size_t i = 0; groups[i] != NULL; i++) {
        const char *rest = after(text, groups[i]);
        text = rest != NULL ? rest : text;
    }
    return text;
}

static char *component_field(const char *text)
{
    text = strchr(text, '.') != NULL ? without_groups(strchr(text, '.') + 1) : text;
    const char *const ends[] = {".byExpression.expression", ends_in(text, "].path") ? ".path" : "",
                                NULL};
    for (size_t i = 0; ends[i] != NULL; i++)
        if (*ends[i] != '\0' && ends_in(text, ends[i]))
            return mem_format("%.*s", (int)(strlen(text) - strlen(ends[i])), text);
    return mem_format("%s", text);
}

char *definitions_short_field(const char *field)
{
    const char *structure = after(field, STRUCTURE), *gang = after(field, GANG);
    const char *annotation = after(field, ANNOTATIONS OURS);
    if (structure != NULL)
        return component_field(structure);
    if (annotation != NULL && after(annotation, "starts-later.") != NULL)
        return mem_format("starts-later");
    return mem_format("%s", gang != NULL ? gang : annotation != NULL ? annotation : field);
}

const char *definitions_section(const json_t *entry)
{
    const char *field = input_text(entry, "field"), *component = input_text(entry, "component");
    if (after(field, GANG) != NULL)
        return "gang scheduling";
    return *component != '\0' ? component : "annotations";
}

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
            return true;
    return false;
}

static void add_sections(json_t *sections, const json_t *entries, bool structure)
{
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const char *section = definitions_section(entry);
        if ((after(input_text(entry, "field"), STRUCTURE) != NULL) == structure &&
            !has_text(sections, section))
            json_array_append_new(sections, json_string(section));
    }
}

json_t *definitions_sections(const json_t *entries)
{
    json_t *sections = json_array();
    add_sections(sections, entries, true);
    add_sections(sections, entries, false);
    return sections;
}

char *definitions_pod_text(const json_t *entry)
{
    const char *label = input_text(entry, "label"), *annotation = input_text(entry, "annotation");
    const char *value = input_text(entry, "value");
    const char *what = *label != '\0' ? "label " : *annotation != '\0' ? "annotation " : "";
    const char *text = *label != '\0'        ? label
                       : *annotation != '\0' ? annotation
                                             : input_text(entry, "expression");
    return mem_format("pod %s%s%s%s", what, text, *value != '\0' ? " = " : "", value);
}

const json_t *definitions_component(const json_t *structure, const char *name)
{
    const json_t *root = json_object_get(structure, "rootComponent");
    const json_t *children = json_object_get(structure, "childComponents");
    if (strcmp(input_text(root, "name"), name) == 0)
        return root;
    for (size_t i = 0; i < json_array_size(children); i++)
        if (strcmp(input_text(json_array_get(children, i), "name"), name) == 0)
            return json_array_get(children, i);
    return NULL;
}
