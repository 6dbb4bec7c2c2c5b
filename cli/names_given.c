/* SPDX-License-Identifier: Apache-2.0 */
/* Names of objects on the command line. */
#include "names_given.h"

#include <string.h>

#include "base/mem.h"
#include "exit_code.h"
#include "message.h"

static int add(struct names_given *names, const char *type, size_t size, const char *name)
{
    struct name_given *given = &names->items[names->count++];
    *given = (struct name_given){strndup(type, size), strdup(name)};
    return given->type != NULL && given->name != NULL ? CLI_DONE
                                                      : cli_fail(CLI_FAILED, "out of memory");
}

/* A word that kubectl would take for a flag, or that names nothing. */
static int check(const char *command, const char *word, const char *slash)
{
    if (word[0] == '-' || slash == word || (slash != NULL && (slash[1] == '\0' || slash[1] == '-')))
        return cli_fail(CLI_USAGE, "%s: \"%s\" is not TYPE/NAME", command, word);
    return CLI_DONE;
}

int names_read(const char *command, const struct text_list *words, struct names_given *names)
{
    names->items = mem_array(words->count + 1, sizeof *names->items);
    if (names->items == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    const char *type = strchr(words->items[0], '/') == NULL ? words->items[0] : NULL;
    if (type != NULL && words->count == 1)
        return cli_fail(CLI_USAGE, "%s: give a name too: %s/NAME", command, type);
    int code = CLI_DONE;
    for (size_t i = type != NULL ? 1 : 0; i < words->count && code == CLI_DONE; i++) {
        const char *word = words->items[i], *slash = strchr(word, '/');
        code = check(command, word, slash);
        if (code == CLI_DONE && (slash == NULL) != (type != NULL))
            code = cli_fail(CLI_USAGE, "%s: \"%s\": give either TYPE NAME or TYPE/NAME", command,
                            word);
        else if (code == CLI_DONE && type != NULL)
            code = add(names, type, strlen(type), word);
        else if (code == CLI_DONE)
            code = add(names, word, (size_t)(slash - word), slash + 1);
    }
    return code == CLI_DONE && type != NULL ? check(command, type, NULL) : code;
}

void names_dispose(struct names_given *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i].type);
        free(names->items[i].name);
    }
    free(names->items);
    *names = (struct names_given){0};
}
