/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl: finds the command in a table, reads its flags, runs it, and says how it ended. */
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "exit_code.h"
#include "karta/engine.h"
#include "kubectl.h"
#include "message.h"
#include "output.h"
#include "schema.h"

/* as it was called: kubectl runs a plugin by the name kubectl-karta */
static const char *program = "kartactl";

/* Prints a text in which "kartactl" stands for the program. */
static void print_named(const char *text)
{
    static const char name[] = "kartactl";
    for (const char *at, *from = text; (at = strstr(text, name)) != NULL;
         text = at + sizeof name - 1) {
        bool path = at > from && strchr("/_", at[-1]) != NULL; /* a file that is called so */
        fwrite(text, 1, (size_t)(at - text), stdout);
        fputs(path ? name : program, stdout);
    }
    fputs(text, stdout);
}

static int help(void)
{
    print_named(
        "kartactl shows and changes Kubernetes workloads of any kind that a definition covers.\n\n"
        "Usage: kartactl COMMAND [flags]\n\nCommands:\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        printf("  %-15s %s\n", commands[i]->name, commands[i]->summary);
    print_named(
        "\nWhere to begin:\n"
        "  what is this file going to start?          kartactl describe -f FILE\n"
        "  what runs in this cluster?                 kartactl get --all-types -A\n"
        "  why does my job not start?                 kartactl describe jobset/train -n ml\n"
        "  why does it not start together?            kartactl audit jobset/train -n ml\n"
        "  what would the webhook change?             kartactl mutate -f FILE -o diff\n"
        "\nkartactl COMMAND --help says more about one, with examples.\n\n"
        "Exit codes: 0 done; 1 failed; 2 usage; 3 not found; 4 no definition covers the kind;\n"
        "5 invalid or refused; 6 the server or cluster can't be reached or trusted.\n");
    return CLI_DONE;
}

static int command_help(const struct command *command)
{
    printf("%s\n\nUsage: %s %s\n\n", command->summary, program, command->usage);
    if (command->about != NULL) {
        print_named(command->about);
        putchar('\n');
    }
    puts("Flags:");
    arguments_print_flags(command);
    puts("\nExamples:");
    print_named(command->example);
    return CLI_DONE;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[32] = {0};
    for (size_t i = 0; commands[i] != NULL && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = commands[i]->name;
    const char *near = nearest_name(name, names);
    if (near != NULL)
        return cli_fail(CLI_USAGE, "unknown command \"%s\"; did you mean %s?", name, near);
    return cli_fail(CLI_USAGE, "unknown command \"%s\"; see kartactl --help", name);
}

static int run_command(const struct command *command, const struct arguments *arguments)
{
    struct karta_error err = {0};
    if (karta_engine_init(&err) != 0)
        return cli_fail(CLI_FAILED, "%s", err.message);
    int code = command->run(arguments);
    karta_engine_shutdown();
    return code;
}

static int run(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";
    if (strcmp(name, "kubectl-karta") == 0)
        program = "kubectl karta";
    if (argc < 2)
        return cli_fail(CLI_USAGE, "give a command; see kartactl --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2))
        return help();
    bool asks = strcmp(argv[1], "help") == 0;
    name = strcmp(argv[1], "--version") == 0 ? "version" : argv[asks ? 2 : 1];
    const struct command *command = find_command(name);
    if (command == NULL)
        return unknown_command(name);
    if (asks)
        return command_help(command);
    struct arguments arguments;
    int code = arguments_parse(command, argc - 2, argv + 2, &arguments);
    if (code == CLI_DONE && arguments.value[FLAG_HELP] != NULL)
        code = command_help(command);
    else if (code == CLI_DONE)
        code = run_command(command, &arguments);
    arguments_dispose(&arguments);
    return code;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is an error of write */
    kubectl_init();
    int code = run(argc, argv);
    kubectl_shutdown();
    return cli_first(code, output_end());
}
