/* SPDX-License-Identifier: Apache-2.0 */
/* Policies asked by many threads at once, while others take their place. Run it under sanitizers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inside.h"
#include "load.h"

static int set_up(void **state)
{
    struct inside *inside = calloc(1, sizeof *inside);
    assert_non_null(inside);
    inside_init(inside, WORKERS_STUCK_MS);
    inside->admission.deadline_ms = 60000; /* what a busy machine does is no part of an answer */
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

static void load_text(struct karta_snapshot *snapshot, const char *text, size_t size)
{
    struct karta_problems *problems = karta_problems_new();
    assert_int_equal(karta_snapshot_load(snapshot, text, size, "test", problems, NULL), 0);
    assert_int_equal(karta_problems_refusals(problems), 0);
    karta_problems_free(problems);
}

/* The example's definition and three policies that name `word`, one for each action. */
static struct karta_snapshot *make_snapshot(const char *word)
{
    static const char *const actions[] = {"Deny", "Warn", "Audit"};
    struct karta_snapshot *snapshot = karta_snapshot_new();
    size_t size;
    KARTA_AUTO_TEXT karta = test_read("definitions/jobset.x-k8s.io-jobset-v1alpha2.yaml", &size);
    load_text(snapshot, karta, size);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        KARTA_AUTO_TEXT policy = mem_format(
            "apiVersion: workloadmap.dev/v1alpha1\nkind: WorkloadPolicy\n"
            "metadata: {name: %s-%zu}\nspec:\n"
            "  matchConditions: [{name: uses-gpus, expression: .totals.gpus > 0}]\n"
            "  validations:\n"
            "  - expression: .totals.gpus <= 8\n"
            "    messageExpression: '\"%s: \\(.totals.gpus) GPUs of \\(.workload.name)\"'\n"
            "  - expression: all(.components[].instances[]; .images[0] == null)\n"
            "  validationActions: [%s]\n",
            word, i, word, actions[i]);
        load_text(snapshot, policy, strlen(policy));
    }
    return snapshot;
}

static char *ask(const struct load *load)
{
    struct client client;
    struct answer answer;
    struct client_tls tls = {.ca = load->ca};
    assert_true(client_open(&client, load->port, &tls));
    assert_true(client_post(&client, load->path, load->review, &answer));
    client_close(&client);
    assert_int_equal(answer.status, 200);
    return answer.body;
}

/* Every answer is, byte for byte, that of one set of policies or that of the other. */
static void policies__answer_many_threads_while_they_are_swapped(void **state)
{
    struct inside *inside = *state;
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    struct load load = {.port = inside->port,
                        .ca = inside->folder.ca,
                        .review = review,
                        .path = "/validate/workloads"};
    int swaps = count_of("KARTA_TEST_POLICY_SWAPS", 400);
    struct karta_snapshot *snapshots[2] = {make_snapshot("alpha"), make_snapshot("beta")};
    char *expected[2];
    for (size_t i = 0; i < 2; i++) {
        holder_put(&inside->holder, karta_snapshot_ref(snapshots[i]), NULL);
        expected[i] = ask(&load);
        assert_non_null(strstr(expected[i], i == 0 ? "alpha: 12 GPUs of train" : "beta: 12 GPUs"));
    }
    load.bodies[0] = expected[0];
    load.bodies[1] = expected[1];
    load_start(&load);
    for (int i = 0; i < swaps; i++) {
        holder_put(&inside->holder, karta_snapshot_ref(snapshots[i % 2]), NULL);
        if (i % 100 == 99) { /* not compiled yet, so that threads meet at that too */
            karta_snapshot_unref(snapshots[0]);
            snapshots[0] = make_snapshot("alpha");
        }
        pause_ms(2);
    }
    load_stop(&load, "policies", swaps);
    for (size_t i = 0; i < 2; i++) {
        karta_snapshot_unref(snapshots[i]);
        free(expected[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies__answer_many_threads_while_they_are_swapped),
    };
    return cmocka_run_group_tests_name("server.policies_swap", tests, set_up, tear_down);
}
