/* SPDX-License-Identifier: Apache-2.0 */
/* Which definition a word means: its name, or a kind that only one definition is for. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "definitions.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"
#include "output.h"
#include "schema.h"

bool definitions_is_one(const json_t *entry)
{
    const char *kind = input_text(entry, "kind");
    return strcmp(kind, "GangProfile") != 0 && strcmp(kind, "WorkloadPolicy") != 0;
}

/* True for Kind, group/Kind and the resource's name, in any case, as kubectl takes them. */
static bool means(const struct karta_definition *definition, const json_t *kind, const char *word)
{
    const char *plural = karta_definition_plural(definition), *slash = strchr(word, '/');
    const char *group = input_text(kind, "group"), *name = input_text(kind, "kind");
    if (slash == NULL)
        return strcasecmp(name, word) == 0 || (plural != NULL && strcasecmp(plural, word) == 0);
    return strlen(group) == (size_t)(slash - word) &&
           strncasecmp(group, word, strlen(group)) == 0 && strcasecmp(name, slash + 1) == 0;
}

static const struct karta_definition *of_entry(const struct karta_snapshot *catalog,
                                               const json_t *entry)
{
    const json_t *kind = json_object_get(entry, "for");
    if (!definitions_is_one(entry) || strcmp(input_text(entry, "state"), "active") != 0)
        return NULL;
    return karta_snapshot_find(catalog, input_text(kind, "group"), input_text(kind, "version"),
                               input_text(kind, "kind"));
}

/* The only one that is for that kind; where there are several, their names come in `names`. */
static const struct karta_definition *find_kind(const struct karta_snapshot *catalog,
                                                const json_t *entries, const char *word,
                                                struct strbuf *names)
{
    const struct karta_definition *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const struct karta_definition *definition = of_entry(catalog, entry);
        if (definition == NULL || !means(definition, json_object_get(entry, "for"), word))
            continue;
        strbuf_addf(names, "%s%s", count > 0 ? ", " : "", karta_definition_name(definition));
        found = definition;
        count++;
    }
    return count == 1 ? found : NULL;
}

/* Why a definition of that name isn't in force, NULL where there is none. Borrowed. */
static const char *first_problem(const json_t *entries, const char *name)
{
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const json_t *problem = json_array_get(json_object_get(entry, "problems"), 0);
        if (definitions_is_one(entry) && strcmp(input_text(entry, "name"), name) == 0)
            return json_is_string(problem) ? json_string_value(problem) : "shadowed";
    }
    return NULL;
}

static int not_found(const json_t *entries, const char *word)
{
    const char *problem = first_problem(entries, word);
    if (problem != NULL)
        return cli_fail(CLI_NOT_FOUND, "definition \"%s\" is not in force: %s", word, problem);
    size_t count = json_array_size(entries), used = 0;
    const char **names = mem_array(2 * count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++) {
        const json_t *entry = json_array_get(entries, i);
        if (!definitions_is_one(entry))
            continue;
        names[used++] = input_text(entry, "name");
        names[used++] = input_text(json_object_get(entry, "for"), "kind");
    }
    const char *near = names != NULL ? nearest_name(word, names) : NULL;
    int code = near != NULL
                   ? cli_fail(CLI_NOT_FOUND, "no definition \"%s\"; did you mean %s?", word, near)
                   : cli_fail(CLI_NOT_FOUND,
                              "no definition \"%s\"; kartactl definitions lists them", word);
    free(names);
    return code;
}

int definitions_find(const struct karta_snapshot *catalog, const char *word,
                     const struct karta_definition **definition)
{
    *definition = karta_snapshot_find_name(catalog, word);
    if (*definition != NULL)
        return CLI_DONE;
    json_auto_t *entries = karta_snapshot_list(catalog);
    KARTA_AUTO_STRBUF names;
    strbuf_init(&names, OUTPUT_BYTES);
    *definition = find_kind(catalog, entries, word, &names);
    if (*definition != NULL)
        return CLI_DONE;
    if (names.size > 0)
        return cli_fail(CLI_NOT_FOUND, "several definitions are for \"%s\": %s; give one's name",
                        word, names.text);
    return not_found(entries, word);
}
