/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods start together: pod groups, who is in them, and what changes their minimum. */
#include <string.h>

#include "base/mem.h"
#include "definitions.h"
#include "output.h"

/* a longer one is left to the list of expressions */
#define LATE_BYTES 60

struct gang {
    const json_t *structure;
    json_t *late, *minimums; /* what the annotations say; NULL: nothing */
    struct table table;
};

/* New: the JSON object in an annotation, NULL where there is none. */
static json_t *annotation_map(const json_t *document, const char *key)
{
    const json_t *annotations =
        json_object_get(json_object_get(document, "metadata"), "annotations");
    return json_loads(input_text(annotations, key), 0, NULL);
}

/* New: "a", or "a, then b" of a list of expressions. */
static char *joined(const json_t *expressions, const char *between)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(expressions); i++)
        strbuf_addf(&buf, "%s%s", i > 0 ? between : "",
                    json_string_value(json_array_get(expressions, i)));
    return strbuf_take(&buf);
}

/* A line of a member or group: what is asked, and the answer. */
static void add_line(struct gang *gang, const char *indent, const char *what, const char *text)
{
    KARTA_AUTO_TEXT first = mem_format("%s%s", indent, what);
    if (first == NULL || text == NULL)
        gang->table.failed = true;
    else
        table_row(&gang->table, first, text);
}

static void add_topology(struct gang *gang, const char *indent, const json_t *topology)
{
    const char *required = input_text(topology, "requiredTopologyLevel");
    const char *preferred = input_text(topology, "preferredTopologyLevel");
    if (topology == NULL)
        return;
    KARTA_AUTO_TEXT text =
        mem_format("%s: %s%s%s%s%s", input_text(topology, "topologyName"),
                   *required != '\0' ? "within one " : "", required,
                   *required != '\0' && *preferred != '\0' ? ", " : "",
                   *preferred != '\0' ? "if possible within one " : "", preferred);
    add_line(gang, indent, "topology", text);
}

static void add_member(struct gang *gang, const json_t *member, bool older)
{
    const char *name = input_text(member, "componentName");
    bool several =
        json_object_get(definitions_component(gang->structure, name), "instanceIdPath") != NULL;
    const json_t *keys = json_object_get(member, "groupByKeyPaths");
    const json_t *filters = json_object_get(member, "filters");
    const char *late = json_string_value(json_object_get(gang->late, name));
    add_line(gang, "  ", name,
             older     ? ""
             : several ? "a subgroup for each instance"
                       : "one subgroup");
    if (json_array_size(keys) > 0) {
        KARTA_AUTO_TEXT text = joined(keys, ", ");
        add_line(gang, "    ", "one group for each", text);
    } else if (older)
        add_line(gang, "    ", "one group for each", "owner of the pods");
    if (json_array_size(filters) > 0) {
        KARTA_AUTO_TEXT text = joined(filters, " and ");
        add_line(gang, "    ", "only pods with", text);
    }
    add_topology(gang, "    ", json_object_get(member, "topology"));
    if (late != NULL)
        add_line(gang, "    ", "starts later where",
                 strlen(late) <= LATE_BYTES ? late : "its starts-later expression says so");
}

static void add_group(struct gang *gang, const json_t *group, bool older)
{
    const char *name = input_text(group, "name");
    const char *minimum = json_string_value(json_object_get(gang->minimums, name));
    const json_t *members = json_object_get(group, older ? "members" : "subGroups");
    add_line(gang, "", name, older ? "" : "one for the workload");
    add_topology(gang, "  ", json_object_get(group, "topology"));
    if (minimum != NULL)
        add_line(gang, "  ", "minimum, if a number", minimum);
    for (size_t i = 0; i < json_array_size(members); i++)
        add_member(gang, json_array_get(members, i), older);
}

void definitions_gang_text(const struct karta_definition *definition, bool colour,
                           struct strbuf *buf)
{
    const json_t *document = karta_definition_document(definition);
    const json_t *spec = json_object_get(document, "spec");
    const json_t *scheduling =
        json_object_get(json_object_get(spec, "optimizationInstructions"), "gangScheduling");
    const json_t *group = json_object_get(scheduling, "podGroup");
    const json_t *groups = json_object_get(scheduling, "podGroups");
    json_auto_t *late = annotation_map(document, "workloadmap.dev/starts-later");
    json_auto_t *minimums = annotation_map(document, "workloadmap.dev/min-member-path");
    struct gang gang = {json_object_get(spec, "structureDefinition"), late, minimums, {0}};
    table_row(&gang.table, "POD GROUP", "");
    if (json_is_object(group))
        add_group(&gang, group, false);
    for (size_t i = 0; !json_is_object(group) && i < json_array_size(groups); i++)
        add_group(&gang, json_array_get(groups, i), true);
    if (gang.table.count == 1)
        strbuf_adds(buf, "Pod groups: none\n");
    else
        table_print(&gang.table, colour, buf);
    table_dispose(&gang.table);
}
