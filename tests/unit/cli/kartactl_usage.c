/* SPDX-License-Identifier: Apache-2.0 */
/* What kartactl says to a wrong command line, and how it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support.h"

static void usage__is_asked_for_without_a_command(void **state)
{
    (void)state;
    assert_run("", 2, "", "kartactl: give a command; see kartactl --help\n");
}

static void usage__names_the_nearest_command(void **state)
{
    (void)state;
    assert_run("descrbe", 2, "", "kartactl: unknown command \"descrbe\"; did you mean describe?\n");
    assert_run("xyzzy", 2, "", "kartactl: unknown command \"xyzzy\"; see kartactl --help\n");
}

static void usage__names_the_nearest_flag(void **state)
{
    (void)state;
    assert_run("mutate --sever x", 2, "",
               "kartactl: mutate: unknown flag --sever; did you mean --server?\n");
    assert_run("describe -z", 2, "",
               "kartactl: describe: unknown flag -z; see kartactl describe --help\n");
    assert_run("describe --profile kai -f x", 2, "", "kartactl: describe: takes no --profile\n");
}

static void usage__says_what_is_missing(void **state)
{
    (void)state;
    assert_run("describe", 2, "",
               "kartactl: describe: give TYPE/NAME, or a file with -f (- for standard input)\n");
    assert_run("describe -f", 2, "", "kartactl: describe: --file needs a value: FILE\n");
    assert_run("describe -f x -o table", 2, "",
               "kartactl: describe: -o takes text|json|yaml|dot|svg, not \"table\"\n");
    assert_run("mutate -f x --ca-file y", 2, "",
               "kartactl: mutate: --ca-file goes with --server\n");
    assert_run("mutate -f x --server http://y", 2, "",
               "kartactl: mutate: --server takes an https:// address, not \"http://y\"\n");
    assert_run("mutate -f x --server https://y --queue q", 2, "",
               "kartactl: mutate: --queue is the server's to choose, not for --server\n");
    assert_run("definitions lst", 2, "",
               "kartactl: definitions: unknown \"lst\"; did you mean list?\n");
    assert_run("definitions show", 2, "", "kartactl: definitions show: give one name\n");
    assert_run("definitions validate", 2, "",
               "kartactl: definitions validate: give a file, or - for standard input\n");
    assert_run("definitions show x --sample y", 2, "",
               "kartactl: definitions show: --sample goes with validate\n");
    assert_run("definitions validate - --sample -", 2, "",
               "kartactl: definitions validate: standard input can't be both the Karta and the "
               "sample\n");
}

static void usage__help_has_an_example_for_every_command(void **state)
{
    (void)state;
    const char *const commands[] = {
        "describe", "get",         "audit", "suspend",        "resume",     "mutate", "podgroups",
        "check",    "definitions", "certs", "webhook-config", "completion", "version"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char arguments[64], example[64];
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        snprintf(example, sizeof example, "Examples:\n  kartactl %s", commands[i]);
        struct run run = run_kartactl(arguments);
        assert_int_equal(run.code, 0);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, example));
        run_dispose(&run);
    }
}

static void usage__help_lists_the_commands(void **state)
{
    (void)state;
    struct run run = run_kartactl("--help");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\n  describe        what a workload is made of"));
    run_dispose(&run);
}

/* kubectl runs it by another name; paths of files are no name of ours. */
static void usage__names_how_it_was_called(void **state)
{
    (void)state;
    char folder[] = "/tmp/kartactl-plugin-XXXXXX", command[512], out[4096] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && ln -s '%s/bin/kartactl' kubectl-karta && ./kubectl-karta completion --help; "
             "rm -r %s",
             folder, KARTA_BINARY_DIR, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(out, 1, sizeof out - 1, pipe);
    assert_true(size > 0);
    assert_int_equal(pclose(pipe), 0);
    assert_non_null(strstr(out, "\nUsage: kubectl karta completion bash|zsh|fish\n"));
    assert_non_null(strstr(out, "\n  kubectl karta completion zsh > ~/.zfunc/_kartactl\n"));
}

static void version__is_printed(void **state)
{
    (void)state;
    assert_run("version", 0, "kartactl 0.1.0\n", "");
    assert_run("--version", 0, "kartactl 0.1.0\n", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage__is_asked_for_without_a_command),
        cmocka_unit_test(usage__names_the_nearest_command),
        cmocka_unit_test(usage__names_the_nearest_flag),
        cmocka_unit_test(usage__says_what_is_missing),
        cmocka_unit_test(usage__help_has_an_example_for_every_command),
        cmocka_unit_test(usage__help_lists_the_commands),
        cmocka_unit_test(usage__names_how_it_was_called),
        cmocka_unit_test(version__is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
