/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How statuses are recognised and workloads suspended. Statuses often share one question, so
 * questions are numbered, and printed once among the expressions.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "definitions.h"
#include "output.h"

/* The number of a question, 1-based; a new one is added. */
static size_t number_of(json_t *questions, const char *text)
{
    for (size_t i = 0; i < json_array_size(questions); i++)
        if (strcmp(json_string_value(json_array_get(questions, i)), text) == 0)
            return i + 1;
    json_array_append_new(questions, json_string(text));
    return json_array_size(questions);
}

static void add_condition(struct strbuf *buf, const json_t *condition)
{
    const char *status = input_text(condition, "status"), *reason = input_text(condition, "reason");
    strbuf_addf(buf, "%scondition %s", buf->size > 0 ? " and " : "", input_text(condition, "type"));
    strbuf_addf(buf, *status != '\0' ? " is %s" : " is there", status);
    if (*reason != '\0')
        strbuf_addf(buf, " for reason %s", reason);
}

/* New: all that one matcher asks for. */
static char *matcher_text(const json_t *matcher, json_t *questions)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    const char *phase = input_text(matcher, "byPhase");
    if (*phase != '\0')
        strbuf_addf(&buf, "phase is %s", phase);
    const json_t *conditions = json_object_get(matcher, "byConditions");
    for (size_t i = 0; i < json_array_size(conditions); i++)
        add_condition(&buf, json_array_get(conditions, i));
    const json_t *by = json_object_get(matcher, "byExpression");
    if (by != NULL)
        strbuf_addf(&buf, "%squestion %zu gives \"%s\"", buf.size > 0 ? " and " : "",
                    number_of(questions, input_text(by, "expression")),
                    input_text(by, "expectedResult"));
    return strbuf_take(&buf);
}

static void status_rows(struct table *table, const char *name, const json_t *matchers,
                        json_t *questions)
{
    KARTA_AUTO_TEXT status = mem_format("%c%s", toupper((unsigned char)*name), name + 1);
    for (size_t i = 0; i < json_array_size(matchers); i++) {
        KARTA_AUTO_TEXT when = matcher_text(json_array_get(matchers, i), questions);
        KARTA_AUTO_TEXT line = mem_format("%s%s", i > 0 ? "or " : "", when != NULL ? when : "");
        if (status == NULL || when == NULL || line == NULL)
            table->failed = true;
        else
            table_row(table, i > 0 ? "" : status, line);
    }
}

static void add_source(struct table *table, const char *name, const json_t *definition)
{
    if (json_object_get(definition, "path") != NULL)
        table_row(table, name, input_text(definition, "path"));
}

static void statuses(const json_t *status, json_t *questions, bool colour, struct strbuf *buf)
{
    /* in the order in which they are reported */
    static const char *const names[] = {"resuming", "suspending", "suspended",    "running",
                                        "failed",   "completed",  "initializing", "degraded"};
    const json_t *mappings = json_object_get(status, "statusMappings");
    struct table table = {0};
    table_row(&table, "STATUS", "WHEN");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        status_rows(&table, names[i], json_object_get(mappings, names[i]), questions);
    if (table.count == 1)
        table_row(&table, "Undefined", "always: no status is mapped");
    table_print(&table, colour, buf);
    table_dispose(&table);
}

static char *actions_text(const json_t *actions)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(actions); i++) {
        const json_t *action = json_array_get(actions, i);
        strbuf_addf(&buf, "%s%s = %s", i > 0 ? ", " : "", input_text(action, "path"),
                    input_text(action, "value"));
    }
    return strbuf_take(&buf);
}

static void suspension(struct table *table, const json_t *component)
{
    const json_t *suspend = json_object_get(component, "suspendDefinition");
    if (suspend == NULL)
        return;
    KARTA_AUTO_TEXT off = actions_text(json_object_get(suspend, "suspendActions"));
    KARTA_AUTO_TEXT on = actions_text(json_object_get(suspend, "resumeActions"));
    if (off == NULL || on == NULL)
        table->failed = true;
    else {
        table_row(table, "Suspended by:", off);
        table_row(table, "Resumed by:", on);
    }
}

void definitions_status_text(const json_t *structure, json_t *questions, bool colour,
                             struct strbuf *buf)
{
    const json_t *root = json_object_get(structure, "rootComponent");
    const json_t *children = json_object_get(structure, "childComponents");
    const json_t *status = json_object_get(root, "statusDefinition");
    statuses(status, questions, colour, buf);
    struct table table = {0};
    add_source(&table, "Phase from:", json_object_get(status, "phaseDefinition"));
    add_source(&table, "Conditions from:", json_object_get(status, "conditionsDefinition"));
    suspension(&table, root);
    for (size_t i = 0; i < json_array_size(children); i++)
        suspension(&table, json_array_get(children, i));
    strbuf_adds(buf, table.count > 0 ? "\n" : "");
    table_print(&table, false, buf);
    table_dispose(&table);
}
