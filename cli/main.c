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

static const struct command *const commands[] = {
    &describe_command, &get_command,         &mutate_command, &podgroups_command,
    &check_command,    &definitions_command, &version_command};
#define COMMANDS (sizeof commands / sizeof commands[0])

static int help(void)
{
    puts("kartactl shows and changes Kubernetes workloads of any kind that a definition covers.\n\n"
         "Usage: kartactl COMMAND [flags]\n\nCommands:");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    puts("\nkartactl COMMAND --help says more about one.\n\n"
         "Exit codes: 0 done; 1 failed; 2 usage; 3 not found; 4 no definition covers the kind;\n"
         "5 invalid or refused; 6 the server or cluster can't be reached or trusted.");
    return CLI_DONE;
}

static int command_help(const struct command *command)
{
    printf("%s\n\nUsage: kartactl %s\n\nFlags:\n", command->summary, command->usage);
    arguments_print_flags(command);
    printf("\nExamples:\n%s", command->example);
    return CLI_DONE;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 1] = {0};
    for (size_t i = 0; i < COMMANDS; i++)
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
    if (argc < 2)
        return cli_fail(CLI_USAGE, "give a command; see kartactl --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2))
        return help();
    bool asks = strcmp(argv[1], "help") == 0;
    const char *name = strcmp(argv[1], "--version") == 0 ? "version" : argv[asks ? 2 : 1];
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
