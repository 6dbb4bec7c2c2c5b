/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each path gave, for eyes: a heading per component, a line per result, long values shown by
 * their shape. Results of one component stand below each other, so that lists which are zipped by
 * position can be compared.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "definitions.h"
#include "describe_text.h"
#include "output.h"

#define VALUE_BYTES 56
#define RESULTS_SHOWN 6

/* Cuts `text` to `size` bytes with dots at its end. */
static void cut(char *text, size_t size)
{
    if (strlen(text) <= size)
        return;
    text[size - 3] = '\0';
    text_clean(text);
    strcat(text, "...");
}

static char *keys_of(const json_t *object)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    const char *key;
    json_t *value;
    strbuf_addc(&buf, '{');
    json_object_foreach((json_t *)object, key, value)
        strbuf_addf(&buf, "%s%s", buf.size > 1 ? ", " : "", key);
    strbuf_addc(&buf, '}');
    return strbuf_take(&buf);
}

/* New: a value as JSON where it is short, else what it has inside. */
static char *value_text(const json_t *value, size_t size)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (text == NULL || strlen(text) <= size)
        return text;
    if (json_is_object(value) || json_is_array(value)) {
        free(text);
        text = json_is_object(value) ? keys_of(value)
                                     : mem_format("a list of %zu", json_array_size(value));
    }
    if (text != NULL)
        cut(text, size);
    return text;
}

static char *place_text(const json_t *place)
{
    const char *pointer = input_text(place, "pointer");
    const json_t *value = json_object_get(place, "value");
    const char *name = *pointer != '\0' ? pointer : "the object";
    if (json_is_null(value))
        return mem_format("%s: nothing there", name);
    size_t used = strlen(name) + 2;
    KARTA_AUTO_TEXT text = value_text(value, used + 20 < VALUE_BYTES ? VALUE_BYTES - used : 20);
    return mem_format("%s: %s", name, text != NULL ? text : "");
}

/* New: one result, with the verdict where a status asks for it. */
static char *result_text(const json_t *entry, const json_t *result, bool first)
{
    const json_t *expected = json_object_get(entry, "expected");
    if (json_object_get(result, "pointer") != NULL)
        return place_text(result);
    KARTA_AUTO_TEXT text = value_text(result, VALUE_BYTES);
    if (expected == NULL || !first || text == NULL)
        return mem_format("%s%s", json_is_null(result) ? "nothing: " : "", text);
    if (json_is_true(json_object_get(entry, "matches")))
        return mem_format("%s: holds", text);
    KARTA_AUTO_TEXT wanted = value_text(expected, VALUE_BYTES);
    return mem_format("%s, not %s", text, wanted != NULL ? wanted : "");
}

static void add_row(struct table *table, const char *field, const char *count, const char *text)
{
    KARTA_AUTO_TEXT indented = mem_format("%s%s", *field != '\0' ? "  " : "", field);
    if (indented == NULL || text == NULL)
        table->failed = true;
    else
        table_row(table, indented, count, text);
}

static char *more_text(size_t more)
{
    return mem_format("... and %zu more", more);
}

static void result_rows(struct table *table, const char *field, const json_t *entry)
{
    const json_t *results = json_object_get(entry, "results");
    size_t size = json_array_size(results);
    char count[32];
    snprintf(count, sizeof count, "%zu", size);
    if (size == 0)
        add_row(table, field, count, "nothing");
    for (size_t i = 0; i < size; i++) {
        bool last = i + 1 == RESULTS_SHOWN && size > RESULTS_SHOWN;
        KARTA_AUTO_TEXT text =
            last ? more_text(size - i) : result_text(entry, json_array_get(results, i), i == 0);
        add_row(table, i == 0 ? field : "", i == 0 ? count : "", text);
        if (last)
            break;
    }
}

static void entry_rows(struct table *table, const json_t *entry)
{
    const char *error = json_string_value(json_object_get(entry, "error"));
    KARTA_AUTO_TEXT field = definitions_short_field(input_text(entry, "field"));
    if (field == NULL)
        table->failed = true;
    else if (json_object_get(entry, "pod") != NULL) {
        KARTA_AUTO_TEXT text = definitions_pod_text(entry);
        if (text != NULL)
            cut(text, VALUE_BYTES);
        add_row(table, field, "-", text);
    } else if (error != NULL)
        add_row(table, field, "error", error);
    else
        result_rows(table, field, entry);
}

static void paths(const json_t *entries, bool colour, struct strbuf *buf)
{
    json_auto_t *sections = definitions_sections(entries);
    struct table table = {0};
    table_row(&table, "FIELD", "RESULTS", "WHAT IT GAVE");
    for (size_t s = 0; s < json_array_size(sections); s++) {
        const char *section = json_string_value(json_array_get(sections, s));
        table_row(&table, section);
        for (size_t i = 0; i < json_array_size(entries); i++)
            if (strcmp(definitions_section(json_array_get(entries, i)), section) == 0)
                entry_rows(&table, json_array_get(entries, i));
    }
    table_print(&table, colour, buf);
    table_dispose(&table);
}

static const json_t *entry_of(const json_t *entries, const char *field)
{
    size_t i = 0;
    while (strcmp(input_text(json_array_get(entries, i), "field"), field) != 0)
        i++;
    return json_array_get(entries, i);
}

/* "Gave nothing: jobset phaseDefinition.path, worker replicasPath" */
static void fields_line(const char *start, const json_t *fields, const json_t *entries,
                        struct strbuf *buf)
{
    if (json_array_size(fields) == 0)
        return;
    KARTA_AUTO_STRBUF names;
    strbuf_init(&names, OUTPUT_BYTES);
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const char *field = json_string_value(json_array_get(fields, i));
        KARTA_AUTO_TEXT name = definitions_short_field(field);
        if (name == NULL)
            buf->failed = KARTA_ERR_NOMEM;
        else
            strbuf_addf(&names, "%s%s %s", i > 0 ? ", " : "",
                        definitions_section(entry_of(entries, field)), name);
    }
    KARTA_AUTO_TEXT line = strbuf_take(&names);
    if (line == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return;
    }
    text_clean(line);
    strbuf_addf(buf, "%s%s\n", start, line);
}

static void closing(const json_t *result, struct strbuf *buf)
{
    const json_t *entries = json_object_get(result, "expressions");
    const json_t *failed = json_object_get(result, "failed");
    const json_t *nothing = json_object_get(result, "nothing");
    const json_t *partly = json_object_get(result, "partly");
    fields_line("Failed: ", failed, entries, buf);
    fields_line("Gave nothing: ", nothing, entries, buf);
    fields_line("Gave nothing for some: ", partly, entries, buf);
    if (json_array_size(failed) + json_array_size(nothing) + json_array_size(partly) == 0)
        strbuf_adds(buf, "Every path gave something.\n");
}

static void title(const json_t *result, const char *file, bool colour, struct strbuf *buf)
{
    const json_t *workload = json_object_get(result, "workload");
    const char *name = input_text(workload, "name");
    KARTA_AUTO_TEXT text =
        mem_format("%s%s%s of %s, read through %s", input_text(workload, "kind"),
                   *name != '\0' ? "/" : "", name, input_text(result, "sample"), file);
    if (text == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return;
    }
    text_clean(text);
    strbuf_addf(buf, colour ? "\033[1m%s\033[0m\n\n" : "%s\n\n", text);
}

static void resolved(const json_t *view, const struct describe_style *style, struct strbuf *buf)
{
    describe_tree(view, style, buf);
    strbuf_addc(buf, '\n');
    describe_phase(view, buf);
    if (json_array_size(json_object_get(view, "podGroups")) == 0)
        return;
    strbuf_addc(buf, '\n');
    describe_groups(view, style, buf);
}

void definitions_sample_text(const json_t *result, const char *file, bool boxes, bool colour,
                             struct strbuf *buf)
{
    const struct describe_style style = {boxes, colour, 0, 0, 0};
    const json_t *view = json_object_get(result, "view");
    title(result, file, colour, buf);
    paths(json_object_get(result, "expressions"), colour, buf);
    strbuf_addc(buf, '\n');
    if (view != NULL)
        resolved(view, &style, buf);
    else
        strbuf_addf(buf, "Not resolved: %s\n", input_text(result, "error"));
    strbuf_addc(buf, '\n');
    closing(result, buf);
}
