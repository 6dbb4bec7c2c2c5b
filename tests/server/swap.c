/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates and snapshots swapped far faster than files change, under handshakes and requests.
 * Run it under sanitizers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inside.h"
#include "load.h"
#include "tls_pair.h"

static int set_up(void **state)
{
    struct inside *inside = calloc(1, sizeof *inside);
    assert_non_null(inside);
    inside_init(inside, WORKERS_STUCK_MS);
    inside_start(inside);
    *state = inside;
    return 0;
}

static int tear_down(void **state)
{
    struct inside *inside = *state;
    inside_dispose(inside);
    free(inside);
    return 0;
}

/* Goes on until there were both enough swaps and enough handshakes. */
static void swap__certificates_under_handshakes(void **state)
{
    struct inside *inside = *state;
    struct load load = {.port = inside->port, .ca = inside->folder.ca, .review = test_review};
    int least_swaps = count_of("KARTA_TEST_SWAPS", 500);
    int least_handshakes = count_of("KARTA_TEST_HANDSHAKES", 300);
    uint64_t before = tls_store_handshakes();
    load_start(&load);
    int swaps = 0;
    while (swaps < least_swaps || atomic_load(&load.handshakes) < least_handshakes) {
        inside_put_pair(inside, (size_t)swaps % 2);
        swaps++;
        pause_ms(2);
    }
    load_stop(&load, "the certificate", swaps);
    assert_true(tls_store_handshakes() >= before + (uint64_t)least_handshakes);
}

/* One profile, and a definition whose name and component are `word`. */
static struct karta_snapshot *make_snapshot(const char *word)
{
    char text[1024];
    struct karta_error err = {0};
    int size =
        snprintf(text, sizeof text,
                 "apiVersion: run.ai/v1alpha1\nkind: Karta\nmetadata: {name: thing-%s}\nspec:\n"
                 "  structureDefinition:\n    rootComponent:\n      name: %s\n"
                 "      kind: {group: example.org, version: v1, kind: Thing}\n"
                 "      specDefinition: {podTemplateSpecPath: .spec.template}\n"
                 "      scaleDefinition: {replicasPath: .spec.replicas // 1}\n"
                 "      statusDefinition:\n"
                 "        phaseDefinition: {path: .status.phase // \"\"}\n"
                 "        statusMappings:\n          running: [{byPhase: Running}]\n",
                 word, word);
    struct karta_snapshot *snapshot = karta_snapshot_new();
    struct karta_problems *problems = karta_problems_new();
    size_t profile_size;
    KARTA_AUTO_TEXT profile = test_read("profiles/kai.yaml", &profile_size);
    assert_int_equal(karta_snapshot_load(snapshot, profile, profile_size, "kai", problems, &err),
                     0);
    assert_int_equal(karta_snapshot_load(snapshot, text, (size_t)size, "test", problems, &err), 0);
    assert_int_equal(karta_problems_refusals(problems), 0);
    karta_problems_free(problems);
    assert_int_equal(karta_snapshot_warm(snapshot, &err), 0);
    return snapshot;
}

static const char thing_review[] =
    "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": {"
    "\"uid\": \"u-1\", \"kind\": {\"group\": \"example.org\", \"version\": \"v1\", \"kind\": "
    "\"Thing\"}, \"resource\": {\"group\": \"example.org\", \"version\": \"v1\", \"resource\": "
    "\"things\"}, \"namespace\": \"ml\", \"name\": \"one\", \"operation\": \"CREATE\", "
    "\"userInfo\": {\"username\": \"alice\"}, \"object\": {\"apiVersion\": \"example.org/v1\", "
    "\"kind\": \"Thing\", \"metadata\": {\"name\": \"one\", \"namespace\": \"ml\", \"labels\": "
    "{\"kai.scheduler/queue\": \"q\"}}, \"spec\": {\"replicas\": 2, \"template\": {\"spec\": "
    "{\"containers\": [{\"name\": \"a\", \"image\": \"b\"}]}}}}, \"oldObject\": null, "
    "\"dryRun\": false}}";

/* What the snapshot in force answers. */
static char *ask(const struct load *load)
{
    struct client client;
    struct answer answer;
    struct client_tls tls = {.ca = load->ca};
    assert_true(client_open(&client, load->port, &tls));
    assert_true(client_post(&client, "/mutate/workloads", load->review, &answer));
    client_close(&client);
    assert_int_equal(answer.status, 200);
    return answer.body;
}

/* Every answer is, byte for byte, that of one snapshot or that of the other. */
static void swap__snapshots_under_requests(void **state)
{
    struct inside *inside = *state;
    struct load load = {.port = inside->port, .ca = inside->folder.ca, .review = thing_review};
    int swaps = count_of("KARTA_TEST_SNAPSHOT_SWAPS", 2000);
    struct karta_snapshot *snapshots[2] = {make_snapshot("alpha"), make_snapshot("beta")};
    char *expected[2];
    for (size_t i = 0; i < 2; i++) {
        holder_put(&inside->holder, karta_snapshot_ref(snapshots[i]), NULL);
        expected[i] = ask(&load);
    }
    assert_string_not_equal(expected[0], expected[1]);
    load.bodies[0] = expected[0];
    load.bodies[1] = expected[1];
    load_start(&load);
    for (int i = 0; i < swaps; i++) {
        holder_put(&inside->holder, karta_snapshot_ref(snapshots[i % 2]), NULL);
        if (i % 200 == 199) { /* new ones now and then, so that old ones die under their requests */
            karta_snapshot_unref(snapshots[0]);
            snapshots[0] = make_snapshot("alpha");
        }
        pause_ms(1);
    }
    load_stop(&load, "the definitions", swaps);
    for (size_t i = 0; i < 2; i++) {
        karta_snapshot_unref(snapshots[i]);
        free(expected[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swap__certificates_under_handshakes),
        cmocka_unit_test(swap__snapshots_under_requests),
    };
    return cmocka_run_group_tests_name("server.swap", tests, set_up, tear_down);
}
