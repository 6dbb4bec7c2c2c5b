/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions of a definition, below the component that each speaks of. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "definitions.h"
#include "karta/explain.h"

/* one-line expressions stand beside their field while field and text stay below 100 columns */
#define FIELD_COLUMNS 33
#define EXPRESSION_BYTES 62
/* longer lines are broken at a blank that stands in no text */
#define LINE_BYTES 90

/* How much of `text` fits a line: up to its last blank outside of quotes, or all of it. */
static size_t line_size(const char *text, size_t size)
{
    bool quoted = false;
    size_t fits = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\' && quoted && i + 1 < size)
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == ' ' && !quoted && i > 0 && text[i - 1] != ' ' &&
                 (i <= LINE_BYTES || fits == 0))
            fits = i;
    }
    return size <= LINE_BYTES || fits == 0 ? size : fits;
}

static void add_line(struct strbuf *buf, const char *indent, const char *text, size_t size)
{
    KARTA_AUTO_TEXT line = mem_format("%s%.*s", indent, (int)size, text);
    if (line == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return;
    }
    text_clean(line);
    strbuf_addf(buf, "%s\n", line);
}

static void add_lines(struct strbuf *buf, const char *text)
{
    bool goes_on = false;
    while (*text != '\0') {
        size_t whole = strcspn(text, "\n"), size = line_size(text, whole);
        add_line(buf, goes_on ? "        " : "      ", text, size);
        goes_on = size < whole;
        text += size + (text[size] != '\0' ? 1 : 0);
    }
}

static void add_expression(struct strbuf *buf, const char *field, const char *text)
{
    bool short_one = strchr(text, '\n') == NULL && strlen(text) <= EXPRESSION_BYTES &&
                     strlen(field) <= FIELD_COLUMNS;
    strbuf_addf(buf, short_one ? "  %-*s  " : "  %-*s\n", short_one ? FIELD_COLUMNS : 0, field);
    if (short_one)
        add_line(buf, "", text, strlen(text));
    else
        add_lines(buf, text);
}

/* Questions of statuses stand by themselves, since several statuses ask each; what a gang asks
 * stands in its own table. */
static bool is_elsewhere(const json_t *entry)
{
    return json_object_get(entry, "expected") != NULL ||
           strcmp(definitions_section(entry), "gang scheduling") == 0;
}

static void add_entry(struct strbuf *buf, const json_t *entry)
{
    bool pod = json_object_get(entry, "pod") != NULL;
    KARTA_AUTO_TEXT field = definitions_short_field(input_text(entry, "field"));
    KARTA_AUTO_TEXT text =
        pod ? definitions_pod_text(entry) : mem_format("%s", input_text(entry, "expression"));
    if (field == NULL || text == NULL)
        buf->failed = KARTA_ERR_NOMEM;
    else
        add_expression(buf, field, text);
}

/* Labels that its pods carry stand with its expressions, though they are none. */
static void add_match_labels(struct strbuf *buf, const json_t *component)
{
    const json_t *selector =
        json_object_get(json_object_get(component, "podSelector"), "componentTypeSelector");
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(selector, "matchLabels"), key, value)
    {
        KARTA_AUTO_TEXT text = mem_format("pod label %s = %s", key, json_string_value(value));
        if (text == NULL)
            buf->failed = KARTA_ERR_NOMEM;
        else
            add_expression(buf, "componentTypeSelector.matchLabels", text);
    }
}

static void section_text(const json_t *structure, const json_t *entries, const char *section,
                         struct strbuf *buf)
{
    bool headed = false;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (is_elsewhere(entry) || strcmp(definitions_section(entry), section) != 0)
            continue;
        if (!headed)
            add_line(buf, "", section, strlen(section));
        headed = true;
        add_entry(buf, entry);
    }
    add_match_labels(buf, definitions_component(structure, section));
}

void definitions_expressions_text(const struct karta_definition *definition,
                                  const json_t *questions, bool colour, struct strbuf *buf)
{
    const json_t *spec = json_object_get(karta_definition_document(definition), "spec");
    const json_t *structure = json_object_get(spec, "structureDefinition");
    struct karta_error err = {0};
    json_auto_t *entries = NULL;
    if (karta_explain(definition, NULL, 0, &entries, &err) != 0) {
        buf->failed = err.code;
        return;
    }
    strbuf_adds(buf, colour ? "\033[1mEXPRESSIONS\033[0m\n" : "EXPRESSIONS\n");
    json_auto_t *sections = definitions_sections(entries);
    for (size_t s = 0; s < json_array_size(sections); s++)
        section_text(structure, entries, json_string_value(json_array_get(sections, s)), buf);
    for (size_t i = 0; i < json_array_size(questions); i++) {
        strbuf_addf(buf, "%s  question %zu\n", i == 0 ? "status\n" : "", i + 1);
        add_lines(buf, json_string_value(json_array_get(questions, i)));
    }
}
