/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl definitions: what is known of which kinds, and whether a definition is right. */
#include "definitions.h"

#include <string.h>

#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"
#include "output.h"
#include "schema.h"
#include "table.h"

char *definitions_api_version(const json_t *kind)
{
    const char *group = input_text(kind, "group");
    return mem_format("%s%s%s", group, *group != '\0' ? "/" : "", input_text(kind, "version"));
}

static bool gangs(const struct karta_snapshot *catalog, const json_t *kind)
{
    const struct karta_definition *definition = karta_snapshot_find(
        catalog, input_text(kind, "group"), input_text(kind, "version"), input_text(kind, "kind"));
    return definition != NULL && karta_definition_gangs(definition) != 0;
}

static json_t *list_item(const struct karta_snapshot *catalog, const json_t *entry)
{
    const json_t *kind = json_object_get(entry, "for");
    bool active = strcmp(input_text(entry, "state"), "active") == 0;
    KARTA_AUTO_TEXT version = definitions_api_version(kind);
    if (version == NULL)
        return NULL;
    const json_t *problems = json_object_get(entry, "problems");
    json_t *gang = active ? json_boolean(gangs(catalog, kind)) : json_null();
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:O?}", "name", input_text(entry, "name"),
                     "apiVersion", version, "kind", input_text(kind, "kind"), "gang", gang, "state",
                     input_text(entry, "state"), "origin", input_text(entry, "origin"), "problems",
                     (json_t *)problems);
}

static const char *or_dash(const json_t *item, const char *key)
{
    const char *text = input_text(item, key);
    return *text != '\0' ? text : "-";
}

static void list_row(struct table *table, const json_t *item)
{
    const json_t *gang = json_object_get(item, "gang");
    table_row(table, or_dash(item, "name"), or_dash(item, "apiVersion"), or_dash(item, "kind"),
              json_is_null(gang)   ? "-"
              : json_is_true(gang) ? "yes"
                                   : "no",
              input_text(item, "state"), input_text(item, "origin"));
}

static int list_table(const json_t *items)
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    struct table table = {.width = output_width()};
    table_row(&table, "NAME", "APIVERSION", "KIND", "GANG", "STATE", "ORIGIN");
    for (size_t i = 0; i < json_array_size(items); i++)
        list_row(&table, json_array_get(items, i));
    table_print(&table, output_colour(), &buf);
    table_dispose(&table);
    return output_text(&buf);
}

int definitions_list(const struct karta_snapshot *catalog, const struct arguments *arguments)
{
    json_auto_t *entries = karta_snapshot_list(catalog);
    json_auto_t *items = json_array();
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (definitions_is_one(entry) &&
            json_array_append_new(items, list_item(catalog, entry)) != 0)
            return cli_fail(CLI_FAILED, "out of memory");
    }
    if (strcmp(arguments->format, "table") == 0)
        return list_table(items);
    json_auto_t *list = json_pack("{s:O}", "items", items);
    return list != NULL ? output_value(arguments->format, list)
                        : cli_fail(CLI_FAILED, "out of memory");
}

int definitions_show(const struct karta_snapshot *catalog, const struct arguments *arguments)
{
    if (arguments->words.count != 2)
        return cli_fail(CLI_USAGE, "definitions show: give one name");
    const struct karta_definition *definition = NULL;
    int code = definitions_find(catalog, arguments->words.items[1], &definition);
    if (code != CLI_DONE)
        return code;
    if (strcmp(arguments->format, "table") != 0)
        return output_value(arguments->format, karta_definition_document(definition));
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    definitions_text(definition, output_terminal(), output_colour(), &buf);
    return output_text(&buf);
}

static int definitions(const struct arguments *arguments)
{
    const struct text_list *words = &arguments->words;
    const char *what = words->count > 0 ? words->items[0] : "list";
    static const char *const known[] = {"list", "show", "validate", NULL};
    if (strcmp(what, "validate") == 0)
        return definitions_validate(arguments);
    if (strcmp(what, "list") != 0 && strcmp(what, "show") != 0) {
        const char *near = nearest_name(what, known);
        return cli_fail(CLI_USAGE, "definitions: unknown \"%s\"; %s%s%s", what,
                        near != NULL ? "did you mean " : "there are list, show and validate",
                        near != NULL ? near : "", near != NULL ? "?" : "");
    }
    if (arguments->value[FLAG_SAMPLE] != NULL)
        return cli_fail(CLI_USAGE, "definitions %s: --sample goes with validate", what);
    if (strcmp(what, "list") == 0 && words->count > 1)
        return cli_fail(CLI_USAGE, "definitions list: unexpected \"%s\"", words->items[1]);
    struct karta_snapshot *catalog = NULL;
    int code = catalog_load(&arguments->definitions, &catalog);
    if (code == CLI_DONE)
        code = strcmp(what, "show") == 0 ? definitions_show(catalog, arguments)
                                         : definitions_list(catalog, arguments);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command definitions_command = {
    .name = "definitions",
    .run = definitions,
    .summary = "the definitions in force: list them, show one, validate files",
    .usage = "definitions [list | show NAME | validate FILE... [--sample WORKLOAD]] "
             "[-o table|json|yaml]",
    .example = "  kartactl definitions\n"
               "  kartactl definitions show batch-job-v1\n"
               "  kartactl definitions validate my-kind.yaml\n"
               "  kartactl definitions validate my-kind.yaml --sample workload.yaml\n",
    .flags = 1U << FLAG_OUTPUT | 1U << FLAG_DEFINITIONS | 1U << FLAG_SAMPLE,
    .formats = "table|json|yaml",
};
