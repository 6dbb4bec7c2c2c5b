/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, read once: which flags exist, which a command takes, and what they hold. */
#ifndef KARTA_CLI_ARGUMENTS_H
#define KARTA_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

enum flag_id {
    FLAG_FILE,
    FLAG_NAMESPACE,
    FLAG_OUTPUT,
    FLAG_PROFILE,
    FLAG_QUEUE,
    FLAG_SERVER,
    FLAG_CA_FILE,
    FLAG_DEFINITIONS,
    FLAG_SAMPLE,
    FLAG_POLICY,
    FLAG_CONTEXT,
    FLAG_KUBECONFIG,
    FLAG_ALL_NAMESPACES,
    FLAG_SELECTOR,
    FLAG_ALL_TYPES,
    FLAG_PHASE,
    FLAG_POD_LIMIT,
    FLAG_DRY_RUN,
    FLAG_DIR,
    FLAG_SAN,
    FLAG_SERVICE,
    FLAG_URL,
    FLAG_HELP,
    FLAG_COUNT
};

struct text_list {
    const char **items; /* the items are argv's */
    size_t count;
};

struct arguments {
    const char *value[FLAG_COUNT]; /* NULL: not given; "" for a switch that is */
    const char *format;            /* of -o, the command's default where it isn't given */
    struct text_list files, definitions, policies, sans, words;
};

/*
 * Reads argv[0..argc) (without the program and the command) into *arguments, which the caller
 * disposes in any case. CLI_DONE, or CLI_USAGE and one line on standard error.
 */
int arguments_parse(const struct command *command, int argc, char **argv,
                    struct arguments *arguments);
void arguments_dispose(struct arguments *arguments);

/* The flags of every command that reads a cluster. */
#define FLAGS_LIVE (1U << FLAG_CONTEXT | 1U << FLAG_KUBECONFIG | 1U << FLAG_NAMESPACE)

/* Calls visit for each flag that `command` takes, in the order of help. */
struct flag_text {
    char letter;              /* '\0': none */
    const char *name, *value; /* value: what stands for it; NULL: a switch */
    const char *help;         /* of -o: the formats */
};
void arguments_each_flag(const struct command *command,
                         void (*visit)(const struct flag_text *flag, void *state), void *state);

/* Prints the flags that `command` takes, one a line. */
void arguments_print_flags(const struct command *command);

#endif
