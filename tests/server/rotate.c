/* SPDX-License-Identifier: Apache-2.0 */
/* Files replaced again and again under load, with the program that is shipped. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "load.h"
#include "pairs.h"

/* How often `what` was read with success. */
static int count_reloads(const struct running *server, const char *what)
{
    KARTA_AUTO_TEXT text = running_get(server, "/metrics", NULL);
    KARTA_AUTO_TEXT line =
        mem_format("\nkarta_reload_total{what=\"%s\",result=\"success\"} ", what);
    const char *at = strstr(text, line);
    return at != NULL ? atoi(at + strlen(line)) : 0;
}

static bool reload_comes(const struct running *server, const char *what, int before)
{
    for (int64_t limit = clock_ms() + 60000; clock_ms() < limit; pause_ms(5))
        if (count_reloads(server, what) > before)
            return true;
    return false;
}

static void certificate__swapped_under_load(void **state)
{
    (void)state;
    struct running server;
    struct load load = {.ca = server.ca, .review = test_review};
    int swaps = count_of("KARTA_TEST_FILE_SWAPS", 20);
    start_with_files(&server);
    KARTA_AUTO_TEXT a = read_below(&server, "a/ca.crt");
    KARTA_AUTO_TEXT b = read_below(&server, "b/ca.crt");
    KARTA_AUTO_TEXT both = mem_format("%s%s", a, b);
    write_below(&server, "both", both);
    snprintf(server.ca, sizeof server.ca, "%s/both", server.dir);
    load.port = server.https;
    load_start(&load);
    for (int i = 0; i < swaps; i++) {
        int before = count_reloads(&server, "certificate");
        install(&server, i % 2 == 0 ? "b/tls.key" : "a/tls.key", "tls.key");
        install(&server, i % 2 == 0 ? "b/tls.crt" : "a/tls.crt", "tls.crt");
        assert_true(reload_comes(&server, "certificate", before));
    }
    load_stop(&load, "the certificate's files", swaps);
    assert_int_equal(count_warnings(&server), 0);
    assert_int_equal(running_stop(&server), 0);
}

static void write_definition(const struct running *server, const char *word)
{
    KARTA_AUTO_TEXT text =
        mem_format("apiVersion: run.ai/v1alpha1\nkind: Karta\nmetadata:\n"
                   "  name: thing-%s\n  annotations: {workloadmap.dev/plural: things}\nspec:\n"
                   "  structureDefinition:\n    rootComponent:\n      name: %s\n"
                   "      kind: {group: example.org, version: v1, kind: Thing}\n"
                   "      specDefinition: {podTemplateSpecPath: .spec.template}\n"
                   "      scaleDefinition: {replicasPath: .spec.replicas // 1}\n"
                   "      statusDefinition:\n"
                   "        phaseDefinition: {path: .status.phase // \"\"}\n"
                   "        statusMappings:\n          running: [{byPhase: Running}]\n",
                   word, word);
    write_below(server, "definitions/thing.yaml", text);
}

static void definitions__swapped_under_load(void **state)
{
    (void)state;
    struct running server;
    struct load load = {.ca = server.ca};
    int swaps = count_of("KARTA_TEST_HANGUPS", 4);
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    load.review = review;
    running_init(&server);
    KARTA_AUTO_TEXT folder = mem_format("%s/definitions", server.dir);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_definition(&server, "alpha");
    running_start(
        &server, (const char *[]){"--drain", "0", "--threads", "2", "--definitions", folder, NULL});
    load.port = server.https;
    load_start(&load);
    for (int i = 0; i < swaps; i++) {
        int before = count_reloads(&server, "definitions");
        write_definition(&server, i % 2 == 0 ? "beta" : "alpha");
        kill(server.pid, SIGHUP);
        assert_true(reload_comes(&server, "definitions", before));
    }
    load_stop(&load, "the definitions' files", swaps);
    assert_int_equal(count_warnings(&server), 0);
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificate__swapped_under_load),
        cmocka_unit_test(definitions__swapped_under_load),
    };
    return cmocka_run_group_tests_name("server.rotate", tests, NULL, NULL);
}
