/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flags as kubectl has them: -f FILE, -fFILE, --file FILE, --file=FILE, and "--" before words that
 * start with a dash. One table says what exists, so help and reading can't differ.
 */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "exit_code.h"
#include "message.h"
#include "schema.h"

struct flag {
    char letter; /* '\0': none */
    const char *name;
    const char *value; /* what stands for its value in help; NULL: a switch */
    const char *help;
};

static const struct flag flags[FLAG_COUNT] = {
    [FLAG_FILE] = {'f', "file", "FILE",
                   "a file or folder of YAML or JSON, - for standard input; repeatable"},
    [FLAG_NAMESPACE] = {'n', "namespace", "NS",
                        "the namespace; of files, where objects belong that name none"},
    [FLAG_OUTPUT] = {'o', "output", "FORMAT", NULL},
    [FLAG_PROFILE] = {'\0', "profile", "NAME", "the gang scheduler to write for (default kai)"},
    [FLAG_QUEUE] = {'\0', "queue", "NAME", "the queue of workloads that name none"},
    [FLAG_SERVER] = {'\0', "server", "URL", "ask the karta-webhook at this https:// address"},
    [FLAG_CA_FILE] = {'\0', "ca-file", "FILE",
                      "the CA certificates that the server is checked against"},
    [FLAG_DEFINITIONS] = {'\0', "definitions", "DIR", "more definitions and profiles; repeatable"},
    [FLAG_SAMPLE] = {'\0', "sample", "WORKLOAD",
                     "validate: show what each path gives on the workloads in this file, or -"},
    [FLAG_POLICY] = {'\0', "policy", "FILE", "a file or folder of policies; repeatable"},
    [FLAG_CONTEXT] = {'\0', "context", "NAME", "the context of the kubeconfig, for kubectl"},
    [FLAG_KUBECONFIG] = {'\0', "kubeconfig", "FILE", "the kubeconfig, for kubectl"},
    [FLAG_ALL_NAMESPACES] = {'A', "all-namespaces", NULL, "in every namespace"},
    [FLAG_SELECTOR] = {'l', "selector", "SELECTOR", "only those with these labels, as kubectl -l"},
    [FLAG_ALL_TYPES] = {'\0', "all-types", NULL, "every kind that a definition covers"},
    [FLAG_PHASE] = {'\0', "phase", "PHASE", "only those in this phase: Running, Failed, ..."},
    [FLAG_POD_LIMIT] = {'\0', "pod-limit", "N",
                        "live pods shown of each instance, unhealthy ones first (default 10)"},
    [FLAG_DRY_RUN] = {'\0', "dry-run", NULL, "let the server check it, change nothing"},
    [FLAG_DIR] = {'\0', "dir", "DIR", "the folder of ca.crt, ca.key, tls.crt and tls.key"},
    [FLAG_SAN] = {'\0', "san", "NAME",
                  "a DNS name or address that the certificate is for; repeatable"},
    [FLAG_SERVICE] = {'\0', "service", "NS/NAME", "the Service that the API server calls"},
    [FLAG_URL] = {'\0', "url", "URL", "or the https:// address that it calls"},
    [FLAG_HELP] = {'h', "help", NULL, "this text"},
};

static bool takes(const struct command *command, size_t id)
{
    return id == FLAG_HELP || (command->flags & (1U << id)) != 0;
}

static size_t find_name(const char *name, size_t size)
{
    for (size_t id = 0; id < FLAG_COUNT; id++)
        if (strlen(flags[id].name) == size && strncmp(flags[id].name, name, size) == 0)
            return id;
    return FLAG_COUNT;
}

static size_t find_letter(char letter)
{
    for (size_t id = 0; id < FLAG_COUNT; id++)
        if (flags[id].letter == letter && letter != '\0')
            return id;
    return FLAG_COUNT;
}

static int unknown_flag(const struct command *command, const char *word)
{
    const char *names[FLAG_COUNT + 1] = {0};
    size_t count = 0;
    for (size_t id = 0; id < FLAG_COUNT; id++)
        if (takes(command, id))
            names[count++] = flags[id].name;
    const char *near = strncmp(word, "--", 2) == 0 ? nearest_name(word + 2, names) : NULL;
    if (near != NULL)
        return cli_fail(CLI_USAGE, "%s: unknown flag %s; did you mean --%s?", command->name, word,
                        near);
    return cli_fail(CLI_USAGE, "%s: unknown flag %s; see kartactl %s --help", command->name, word,
                    command->name);
}

static void list_add(struct text_list *list, const char *item)
{
    list->items[list->count++] = item;
}

static void store(struct arguments *arguments, size_t id, const char *value)
{
    arguments->value[id] = value;
    if (id == FLAG_FILE)
        list_add(&arguments->files, value);
    if (id == FLAG_DEFINITIONS)
        list_add(&arguments->definitions, value);
    if (id == FLAG_POLICY)
        list_add(&arguments->policies, value);
    if (id == FLAG_SAN)
        list_add(&arguments->sans, value);
}

/* Reads the flag in argv[*index], and its value there or in the next word. */
static int read_flag(const struct command *command, int argc, char **argv, int *index,
                     struct arguments *arguments)
{
    const char *word = argv[*index];
    bool is_long = word[1] == '-';
    const char *value = is_long ? strchr(word, '=') : NULL;
    size_t size = value != NULL ? (size_t)(value - word) : strlen(word);
    size_t id = is_long ? find_name(word + 2, size - 2) : find_letter(word[1]);
    if (id == FLAG_COUNT)
        return unknown_flag(command, word);
    if (!takes(command, id))
        return cli_fail(CLI_USAGE, "%s: takes no --%s", command->name, flags[id].name);
    if (value != NULL)
        value++;
    else if (!is_long && word[2] != '\0')
        value = word + (word[2] == '=' ? 3 : 2);
    if (flags[id].value == NULL) {
        if (value != NULL)
            return cli_fail(CLI_USAGE, "%s: --%s takes no value", command->name, flags[id].name);
        store(arguments, id, "");
        return CLI_DONE;
    }
    if (value == NULL && *index + 1 < argc)
        value = argv[++*index];
    if (value == NULL || *value == '\0')
        return cli_fail(CLI_USAGE, "%s: --%s needs a value: %s", command->name, flags[id].name,
                        flags[id].value);
    store(arguments, id, value);
    return CLI_DONE;
}

static bool offers(const char *formats, const char *format)
{
    size_t size = strlen(format);
    for (const char *at = formats; at != NULL; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, format, size) == 0 && (at[size] == '|' || at[size] == '\0'))
            return size > 0;
    return false;
}

static const char *const known_formats[] = {"text", "table", "wide", "json",   "yaml", "patch",
                                            "diff", "dot",   "svg",  "github", NULL};

static int check_format(const struct command *command, struct arguments *arguments)
{
    const char *wanted = arguments->value[FLAG_OUTPUT];
    if (command->formats == NULL)
        return CLI_DONE;
    if (wanted != NULL && !offers(command->formats, wanted))
        return cli_fail(CLI_USAGE, "%s: -o takes %s, not \"%s\"", command->name, command->formats,
                        wanted);
    for (size_t i = 0; known_formats[i] != NULL; i++) {
        size_t size = strlen(known_formats[i]);
        if (wanted != NULL ? strcmp(known_formats[i], wanted) == 0
                           : strncmp(command->formats, known_formats[i], size) == 0)
            arguments->format = known_formats[i];
    }
    return CLI_DONE;
}

static int make_lists(struct arguments *arguments, int argc)
{
    size_t room = (size_t)argc + 1;
    arguments->files.items = mem_array(room, sizeof(char *));
    arguments->definitions.items = mem_array(room, sizeof(char *));
    arguments->policies.items = mem_array(room, sizeof(char *));
    arguments->sans.items = mem_array(room, sizeof(char *));
    arguments->words.items = mem_array(room, sizeof(char *));
    if (arguments->files.items == NULL || arguments->definitions.items == NULL ||
        arguments->policies.items == NULL || arguments->sans.items == NULL ||
        arguments->words.items == NULL)
        return cli_fail(CLI_FAILED, "out of memory");
    return CLI_DONE;
}

int arguments_parse(const struct command *command, int argc, char **argv,
                    struct arguments *arguments)
{
    *arguments = (struct arguments){0};
    int code = make_lists(arguments, argc);
    bool only_words = false;
    for (int i = 0; i < argc && code == CLI_DONE; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (only_words || argv[i][0] != '-' || argv[i][1] == '\0')
            list_add(&arguments->words, argv[i]);
        else
            code = read_flag(command, argc, argv, &i, arguments);
    }
    return code != CLI_DONE ? code : check_format(command, arguments);
}

void arguments_dispose(struct arguments *arguments)
{
    free(arguments->files.items);
    free(arguments->definitions.items);
    free(arguments->policies.items);
    free(arguments->sans.items);
    free(arguments->words.items);
    *arguments = (struct arguments){0};
}

void arguments_each_flag(const struct command *command,
                         void (*visit)(const struct flag_text *flag, void *state), void *state)
{
    for (size_t id = 0; id < FLAG_COUNT; id++) {
        const struct flag_text flag = {flags[id].letter, flags[id].name, flags[id].value,
                                       id == FLAG_OUTPUT ? command->formats : flags[id].help};
        if (takes(command, id))
            visit(&flag, state);
    }
}

static void print_flag(const struct flag_text *flag, void *state)
{
    (void)state;
    char left[64], letter[8] = "    ";
    if (flag->letter != '\0')
        snprintf(letter, sizeof letter, "-%c, ", flag->letter);
    snprintf(left, sizeof left, "%s--%s %s", letter, flag->name,
             flag->value != NULL ? flag->value : "");
    printf("  %-26s %s\n", left, flag->help);
}

void arguments_print_flags(const struct command *command)
{
    arguments_each_flag(command, print_flag, NULL);
}
