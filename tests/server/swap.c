/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates and snapshots swapped far faster than files change, under handshakes and requests.
 * Run it under sanitizers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inside.h"
#include "tls_pair.h"

#define CLIENTS 4

struct swap_test {
    struct inside inside;
    char *answers[2]; /* what either snapshot answers; NULL: any review will do */
    const char *review;
    atomic_bool done;
    atomic_int answered, failed, handshakes;
};

static int set_up(void **state)
{
    struct swap_test *test = calloc(1, sizeof *test);
    assert_non_null(test);
    inside_init(&test->inside, WORKERS_STUCK_MS);
    inside_start(&test->inside);
    test->review = test_review;
    *state = test;
    return 0;
}

static int tear_down(void **state)
{
    struct swap_test *test = *state;
    inside_dispose(&test->inside);
    free(test);
    return 0;
}

static bool is_right(const struct swap_test *test, const struct answer *answer)
{
    if (answer->status != 200)
        return false;
    return test->answers[0] == NULL || strcmp(answer->body, test->answers[0]) == 0 ||
           strcmp(answer->body, test->answers[1]) == 0;
}

/* One handshake for every three requests. */
static void *run_client(void *arg)
{
    struct swap_test *test = arg;
    while (!atomic_load(&test->done)) {
        struct client client;
        struct client_tls tls = {.ca = test->inside.folder.ca};
        if (!client_open(&client, test->inside.port, &tls)) {
            atomic_fetch_add(&test->failed, 1);
            continue;
        }
        atomic_fetch_add(&test->handshakes, 1);
        for (int i = 0; i < 3; i++) {
            struct answer answer;
            bool good = client_post(&client, "/mutate/workloads", test->review, &answer) &&
                        is_right(test, &answer);
            atomic_fetch_add(good ? &test->answered : &test->failed, 1);
            answer_dispose(&answer);
        }
        client_close(&client);
    }
    return NULL;
}

static void start_clients(struct swap_test *test, pthread_t *threads)
{
    atomic_store(&test->done, false);
    atomic_store(&test->answered, 0);
    atomic_store(&test->failed, 0);
    atomic_store(&test->handshakes, 0);
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, test), 0);
}

static void stop_clients(struct swap_test *test, pthread_t *threads, const char *what, int swaps)
{
    atomic_store(&test->done, true);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    print_message("%d swaps of %s: %d handshakes, %d requests answered, %d failed\n", swaps, what,
                  atomic_load(&test->handshakes), atomic_load(&test->answered),
                  atomic_load(&test->failed));
    assert_int_equal(atomic_load(&test->failed), 0);
    assert_true(atomic_load(&test->answered) >= CLIENTS);
}

/* Goes on until there were both enough swaps and enough handshakes. */
static void swap__certificates_under_handshakes(void **state)
{
    struct swap_test *test = *state;
    pthread_t threads[CLIENTS];
    int least_swaps = count_of("KARTA_TEST_SWAPS", 500);
    int least_handshakes = count_of("KARTA_TEST_HANDSHAKES", 300);
    uint64_t before = tls_store_handshakes();
    start_clients(test, threads);
    int swaps = 0;
    while (swaps < least_swaps || atomic_load(&test->handshakes) < least_handshakes) {
        inside_put_pair(&test->inside, (size_t)swaps % 2);
        swaps++;
        pause_ms(2);
    }
    stop_clients(test, threads, "the certificate", swaps);
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
static char *ask(const struct swap_test *test)
{
    struct client client;
    struct answer answer;
    struct client_tls tls = {.ca = test->inside.folder.ca};
    assert_true(client_open(&client, test->inside.port, &tls));
    assert_true(client_post(&client, "/mutate/workloads", test->review, &answer));
    client_close(&client);
    assert_int_equal(answer.status, 200);
    return answer.body;
}

/* Every answer is, byte for byte, that of one snapshot or that of the other. */
static void swap__snapshots_under_requests(void **state)
{
    struct swap_test *test = *state;
    pthread_t threads[CLIENTS];
    int swaps = count_of("KARTA_TEST_SNAPSHOT_SWAPS", 2000);
    struct karta_snapshot *snapshots[2] = {make_snapshot("alpha"), make_snapshot("beta")};
    test->review = thing_review;
    char *expected[2];
    for (size_t i = 0; i < 2; i++) {
        holder_put(&test->inside.holder, karta_snapshot_ref(snapshots[i]), NULL);
        expected[i] = ask(test);
    }
    assert_string_not_equal(expected[0], expected[1]);
    memcpy(test->answers, expected, sizeof expected);
    start_clients(test, threads);
    for (int i = 0; i < swaps; i++) {
        holder_put(&test->inside.holder, karta_snapshot_ref(snapshots[i % 2]), NULL);
        if (i % 200 == 199) { /* new ones now and then, so that old ones die under their requests */
            karta_snapshot_unref(snapshots[0]);
            snapshots[0] = make_snapshot("alpha");
        }
        pause_ms(1);
    }
    stop_clients(test, threads, "the definitions", swaps);
    for (size_t i = 0; i < 2; i++) {
        karta_snapshot_unref(snapshots[i]);
        free(expected[i]);
        test->answers[i] = NULL;
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
