/* SPDX-License-Identifier: Apache-2.0 */
/* One definition as people read it, straight from its document. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "definitions.h"
#include "input.h"
#include "output.h"
#include "table.h"
#include "tree.h"

static const json_t *structure_of(const struct karta_definition *definition)
{
    const json_t *spec = json_object_get(karta_definition_document(definition), "spec");
    return json_object_get(spec, "structureDefinition");
}

static char *kind_text(const json_t *kind)
{
    const char *group = input_text(kind, "group");
    return mem_format("%s%s%s %s", group, *group != '\0' ? "/" : "", input_text(kind, "version"),
                      input_text(kind, "kind"));
}

static void heading(const struct karta_definition *definition, bool colour, struct strbuf *buf)
{
    const json_t *root = json_object_get(structure_of(definition), "rootComponent");
    KARTA_AUTO_TEXT kind = kind_text(json_object_get(root, "kind"));
    strbuf_addf(buf, colour ? "\033[1m%s\033[0m\n" : "%s\n", karta_definition_name(definition));
    struct table table = {0};
    table_row(&table, "Kind:", kind != NULL ? kind : "");
    const char *plural = karta_definition_plural(definition);
    if (plural != NULL)
        table_row(&table, "Resource:", plural);
    table_row(&table, "Origin:", karta_definition_origin(definition));
    table_print(&table, false, buf);
    table_dispose(&table);
}

static void add_component(json_t *nodes, const json_t *component)
{
    const char *name = input_text(component, "name");
    const char *owner = json_string_value(json_object_get(component, "ownerRef"));
    const json_t *kind = json_object_get(component, "kind");
    KARTA_AUTO_TEXT text = kind != NULL ? kind_text(kind) : NULL;
    const char *note = json_object_get(component, "instanceIdPath") != NULL ? "one per entry" : "";
    const char *cells[] = {name, text != NULL ? text : "", note, NULL};
    tree_node(nodes, name, owner, cells);
}

static void tree(const struct karta_definition *definition, bool boxes, struct strbuf *buf)
{
    const json_t *structure = structure_of(definition);
    const json_t *children = json_object_get(structure, "childComponents");
    json_auto_t *nodes = json_array();
    add_component(nodes, json_object_get(structure, "rootComponent"));
    for (size_t i = 0; i < json_array_size(children); i++)
        add_component(nodes, json_array_get(children, i));
    struct table table = {0};
    tree_rows(nodes, boxes, &table);
    table_print(&table, false, buf);
    table_dispose(&table);
}

static void add_condition(struct strbuf *buf, const json_t *condition)
{
    const char *status = input_text(condition, "status"), *reason = input_text(condition, "reason");
    strbuf_addf(buf, "%s%s is %s", buf->size > 0 ? " and " : "", input_text(condition, "type"),
                *status != '\0' ? status : "there");
    if (*reason != '\0')
        strbuf_addf(buf, " (%s)", reason);
}

/* New: what one matcher asks for. */
static char *matcher_text(const json_t *matcher)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    const char *phase = input_text(matcher, "byPhase");
    if (*phase != '\0')
        strbuf_addf(&buf, "phase is %s", phase);
    const json_t *conditions = json_object_get(matcher, "byConditions");
    for (size_t i = 0; i < json_array_size(conditions); i++)
        add_condition(&buf, json_array_get(conditions, i));
    const json_t *expression = json_object_get(matcher, "byExpression");
    if (expression != NULL)
        strbuf_addf(&buf, "%sits expression gives %s", buf.size > 0 ? " and " : "",
                    input_text(expression, "expectedResult"));
    return strbuf_take(&buf);
}

static void statuses(const struct karta_definition *definition, bool colour, struct strbuf *buf)
{
    const json_t *root = json_object_get(structure_of(definition), "rootComponent");
    const json_t *mappings =
        json_object_get(json_object_get(root, "statusDefinition"), "statusMappings");
    struct table table = {0};
    table_row(&table, "STATUS", "WHEN");
    const char *name;
    json_t *matchers;
    json_object_foreach((json_t *)mappings, name, matchers)
    {
        for (size_t i = 0; i < json_array_size(matchers); i++) {
            KARTA_AUTO_TEXT when = matcher_text(json_array_get(matchers, i));
            table_row(&table, name, when != NULL ? when : "");
        }
    }
    table_print(&table, colour, buf);
    table_dispose(&table);
}

static void gang(const struct karta_definition *definition, struct strbuf *buf)
{
    const json_t *spec = json_object_get(karta_definition_document(definition), "spec");
    const json_t *group = json_object_get(
        json_object_get(json_object_get(spec, "optimizationInstructions"), "gangScheduling"),
        "podGroup");
    if (karta_definition_gangs(definition) == 0) {
        strbuf_adds(buf, "Gang: none\n");
        return;
    }
    strbuf_addf(buf, "Gang: %s", input_text(group, "name"));
    const json_t *members = json_object_get(group, "subGroups");
    for (size_t i = 0; i < json_array_size(members); i++)
        strbuf_addf(buf, "%s%s", i == 0 ? " of " : ", ",
                    input_text(json_array_get(members, i), "componentName"));
    strbuf_addc(buf, '\n');
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* Fields that hold expressions are named so: replicasPath, keyPath, path, expression. */
static bool holds_expression(const char *key)
{
    return ends_with(key, "Path") || strcmp(key, "path") == 0 || strcmp(key, "expression") == 0;
}

/* Which fields hold which expression: {expression: [field, ...]}, in document order. */
static void collect(json_t *found, const char *path, const char *key, const json_t *value);

static void collect_text(json_t *found, const char *path, const char *text)
{
    json_t *fields = json_object_get(found, text);
    if (fields == NULL) {
        fields = json_array();
        json_object_set_new(found, text, fields);
    }
    json_array_append_new(fields, json_string(path));
}

static void collect_fields(json_t *found, const char *path, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        KARTA_AUTO_TEXT below = mem_format("%s%s%s", path, *path != '\0' ? "." : "", key);
        if (below != NULL)
            collect(found, below, key, value);
    }
}

static void collect_elements(json_t *found, const char *path, const char *key, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *element = json_array_get(array, i);
        const char *name = json_string_value(json_object_get(element, "name"));
        KARTA_AUTO_TEXT below =
            name != NULL ? mem_format("%s[%s]", path, name) : mem_format("%s[%zu]", path, i);
        if (below != NULL)
            collect(found, below, key, element);
    }
}

static void collect(json_t *found, const char *path, const char *key, const json_t *value)
{
    if (json_is_object(value))
        collect_fields(found, path, value);
    else if (json_is_array(value))
        collect_elements(found, path, key, value);
    else if (json_is_string(value) && (holds_expression(key) || ends_with(key, "Paths")))
        collect_text(found, path, json_string_value(value));
}

static void print_indented(struct strbuf *buf, const char *text)
{
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        KARTA_AUTO_TEXT line = mem_format("    %.*s", (int)size, text);
        if (line == NULL) {
            buf->failed = KARTA_ERR_NOMEM;
            return;
        }
        text_clean(line);
        strbuf_addf(buf, "%s\n", line);
        text += size + (text[size] == '\n' ? 1 : 0);
    }
}

static void expressions(const struct karta_definition *definition, bool colour, struct strbuf *buf)
{
    json_auto_t *found = json_object();
    collect_fields(found, "", structure_of(definition));
    strbuf_adds(buf, colour ? "\033[1mEXPRESSIONS\033[0m\n" : "EXPRESSIONS\n");
    const char *text;
    json_t *fields;
    json_object_foreach(found, text, fields)
    {
        for (size_t i = 0; i < json_array_size(fields); i++)
            strbuf_addf(buf, "%s\n", json_string_value(json_array_get(fields, i)));
        print_indented(buf, text);
    }
}

void definitions_text(const struct karta_definition *definition, bool boxes, bool colour,
                      struct strbuf *buf)
{
    heading(definition, colour, buf);
    strbuf_addc(buf, '\n');
    tree(definition, boxes, buf);
    strbuf_addc(buf, '\n');
    statuses(definition, colour, buf);
    strbuf_addc(buf, '\n');
    gang(definition, buf);
    strbuf_addc(buf, '\n');
    expressions(definition, colour, buf);
}
