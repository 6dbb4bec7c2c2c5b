/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kartactl completion: scripts for three shells. The one idea: one table of words (commands, their
 * flags and what those take, types, profiles, definitions) is written down in each shell's words.
 */
#include "completion.h"

#include <ctype.h>
#include <string.h>

#include "arguments.h"
#include "base/mem.h"
#include "catalog.h"
#include "exit_code.h"
#include "input.h"
#include "message.h"
#include "output.h"

static void add_word(struct strbuf *buf, const char *word)
{
    strbuf_addf(buf, "%s%s", buf->size > 0 ? " " : "", word);
}

static void add_types(const struct karta_snapshot *catalog, struct strbuf *buf)
{
    json_auto_t *seen = json_object();
    for (size_t i = 0; i < karta_snapshot_definitions(catalog); i++) {
        const struct karta_definition *definition = karta_snapshot_definition(catalog, i);
        const char *plural = karta_definition_plural(definition);
        if (plural == NULL || json_object_get(seen, plural) != NULL)
            continue;
        json_object_set_new(seen, plural, json_true());
        add_word(buf, plural);
    }
}

static void add_names(const struct karta_snapshot *catalog, struct completion *completion)
{
    json_auto_t *list = karta_snapshot_list(catalog);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(input_text(entry, "state"), "active") != 0)
            continue;
        if (strcmp(input_text(entry, "kind"), "GangProfile") == 0)
            add_word(&completion->profiles, input_text(entry, "name"));
        else if (strcmp(input_text(entry, "kind"), "Karta") == 0)
            add_word(&completion->definitions, input_text(entry, "name"));
    }
}

static int print(const struct completion *completion,
                 void (*write)(const struct completion *completion, struct strbuf *buf))
{
    KARTA_AUTO_STRBUF buf;
    strbuf_init(&buf, OUTPUT_BYTES);
    write(completion, &buf);
    return output_text(&buf);
}

static int completion(const struct arguments *arguments)
{
    static const struct {
        const char *name;
        void (*write)(const struct completion *completion, struct strbuf *buf);
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    const char *wanted = arguments->words.count == 1 ? arguments->words.items[0] : "";
    size_t shell = 0;
    while (shell < 3 && strcmp(shells[shell].name, wanted) != 0)
        shell++;
    if (shell == 3)
        return cli_fail(CLI_USAGE, "completion: give one of bash, zsh and fish");
    struct karta_snapshot *catalog = NULL;
    struct completion words;
    strbuf_init(&words.types, OUTPUT_BYTES);
    strbuf_init(&words.profiles, OUTPUT_BYTES);
    strbuf_init(&words.definitions, OUTPUT_BYTES);
    int code = catalog_load(&arguments->definitions, &catalog);
    if (code == CLI_DONE) {
        add_types(catalog, &words.types);
        add_names(catalog, &words);
        code = print(&words, shells[shell].write);
    }
    strbuf_dispose(&words.types);
    strbuf_dispose(&words.profiles);
    strbuf_dispose(&words.definitions);
    karta_snapshot_unref(catalog);
    return code;
}

const struct command completion_command = {
    .name = "completion",
    .run = completion,
    .summary = "what the shell needs to complete commands, flags, types and names",
    .usage = "completion bash|zsh|fish",
    .example = "  kartactl completion bash > ~/.local/share/bash-completion/completions/kartactl\n"
               "  kartactl completion zsh > ~/.zfunc/_kartactl\n"
               "  kartactl completion fish > ~/.config/fish/completions/kartactl.fish\n",
    .flags = 1U << FLAG_DEFINITIONS,
};
