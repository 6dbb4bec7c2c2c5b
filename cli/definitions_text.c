/* SPDX-License-Identifier: Apache-2.0 */
/* One definition as people read it, straight from its document. */
#include <string.h>

#include "base/mem.h"
#include "definitions.h"
#include "output.h"
#include "tree.h"

static const json_t *structure_of(const struct karta_definition *definition)
{
    const json_t *spec = json_object_get(karta_definition_document(definition), "spec");
    return json_object_get(spec, "structureDefinition");
}

static char *kind_text(const json_t *kind)
{
    KARTA_AUTO_TEXT version = definitions_api_version(kind);
    return version != NULL ? mem_format("%s %s", version, input_text(kind, "kind")) : NULL;
}

/* New: the kinds that the workload's operator creates beside the components. */
static char *created_text(const json_t *kinds)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(kinds); i++) {
        KARTA_AUTO_TEXT kind = kind_text(json_array_get(kinds, i));
        strbuf_addf(&buf, "%s%s", i > 0 ? ", " : "", kind != NULL ? kind : "");
    }
    return strbuf_take(&buf);
}

static void heading(const struct karta_definition *definition, bool colour, struct strbuf *buf)
{
    const json_t *structure = structure_of(definition);
    const json_t *root = json_object_get(structure, "rootComponent");
    KARTA_AUTO_TEXT kind = kind_text(json_object_get(root, "kind"));
    KARTA_AUTO_TEXT created = created_text(json_object_get(structure, "additionalChildKinds"));
    const char *plural = karta_definition_plural(definition);
    strbuf_addf(buf, colour ? "\033[1m%s\033[0m\n" : "%s\n", karta_definition_name(definition));
    struct table table = {0};
    table_row(&table, "Kind:", kind != NULL ? kind : "");
    if (plural != NULL)
        table_row(&table, "Resource:", plural);
    if (created != NULL && *created != '\0')
        table_row(&table, "Creates:", created);
    table_row(&table, "Origin:", karta_definition_origin(definition));
    table_print(&table, false, buf);
    table_dispose(&table);
}

/* New: where its pod templates are. */
static char *template_text(const json_t *component)
{
    const json_t *spec = json_object_get(component, "specDefinition");
    const json_t *fragments = json_object_get(spec, "fragmentedPodSpecDefinition");
    if (json_object_get(spec, "podTemplateSpecPath") != NULL)
        return mem_format("a pod template");
    if (json_object_get(spec, "podSpecPath") != NULL)
        return mem_format("a pod spec%s",
                          json_object_get(spec, "metadataPath") != NULL ? " and metadata" : "");
    if (fragments != NULL)
        return mem_format("%zu field%s", json_object_size(fragments),
                          json_object_size(fragments) == 1 ? "" : "s");
    return mem_format("-");
}

/* New: which counts it states. */
static char *counts_text(const json_t *component)
{
    static const char *const names[] = {"replicasPath", "replicas",        "minReplicasPath",
                                        "least",        "maxReplicasPath", "most"};
    const json_t *scale = json_object_get(component, "scaleDefinition");
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i += 2)
        if (json_object_get(scale, names[i]) != NULL)
            strbuf_addf(&buf, "%s%s", buf.size > 0 ? ", " : "", names[i + 1]);
    if (buf.size == 0)
        strbuf_addc(&buf, '-');
    return strbuf_take(&buf);
}

static void add_component(json_t *nodes, const json_t *component)
{
    const char *name = input_text(component, "name");
    const char *owner = json_string_value(json_object_get(component, "ownerRef"));
    const json_t *kind = json_object_get(component, "kind");
    KARTA_AUTO_TEXT kind_name = kind != NULL ? kind_text(kind) : mem_format("-");
    KARTA_AUTO_TEXT template = template_text(component);
    KARTA_AUTO_TEXT counts = counts_text(component);
    const char *ids = json_object_get(component, "instanceIdPath") != NULL ? "by id" : "one";
    const char *cells[] = {
        name, kind_name != NULL ? kind_name : "", template != NULL ? template : "",
        ids,  counts != NULL ? counts : "",       NULL};
    tree_node(nodes, name, owner, cells);
}

static void tree(const struct karta_definition *definition, bool boxes, bool colour,
                 struct strbuf *buf)
{
    const json_t *structure = structure_of(definition);
    const json_t *children = json_object_get(structure, "childComponents");
    json_auto_t *nodes = json_array();
    add_component(nodes, json_object_get(structure, "rootComponent"));
    for (size_t i = 0; i < json_array_size(children); i++)
        add_component(nodes, json_array_get(children, i));
    struct table table = {0};
    table_row(&table, "COMPONENT", "KIND", "PODS FROM", "INSTANCES", "COUNTS");
    tree_rows(nodes, boxes, &table);
    table_print(&table, colour, buf);
    table_dispose(&table);
}

void definitions_text(const struct karta_definition *definition, bool boxes, bool colour,
                      struct strbuf *buf)
{
    json_auto_t *questions = json_array();
    heading(definition, colour, buf);
    strbuf_addc(buf, '\n');
    tree(definition, boxes, colour, buf);
    strbuf_addc(buf, '\n');
    definitions_status_text(structure_of(definition), questions, colour, buf);
    strbuf_addc(buf, '\n');
    definitions_gang_text(definition, colour, buf);
    strbuf_addc(buf, '\n');
    definitions_expressions_text(definition, questions, colour, buf);
}
