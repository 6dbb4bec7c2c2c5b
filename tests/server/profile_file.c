/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own profile, given as a file: what it says is what is written. */
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "base/mem.h"

static const char mine[] = "apiVersion: workloadmap.dev/v1alpha1\n"
                           "kind: GangProfile\n"
                           "metadata: {name: mine}\n"
                           "spec:\n"
                           "  schedulerName: my-scheduler\n"
                           "  podTemplate:\n"
                           "    labels: {example.com/gang: .podGroup.name}\n";

static void profile__of_a_file_is_what_is_written(void **state)
{
    (void)state;
    struct running server;
    struct client client;
    struct answer answer;
    running_init(&server);
    KARTA_AUTO_TEXT path = mem_format("%s/mine.yaml", server.dir);
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(mine, file) >= 0 && fclose(file) == 0);
    running_start(&server,
                  (const char *[]){"--drain", "0", "--profile", path, "--gang", "all", NULL});
    running_connect(&server, &client);
    assert_true(client_post(&client, "/mutate/workloads", review, &answer));
    assert_int_equal(answer.status, 200);
    answer_dispose(&answer);
    client_close(&client);
    assert_true(running_logs(&server, "verdict=patched", LOGGED_MS)); /* counted by then */
    assert_metric(&server, "karta_admission_patches_total{profile=\"mine\"} 1");
    assert_int_equal(running_stop(&server), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(profile__of_a_file_is_what_is_written)};
    return cmocka_run_group_tests_name("server.profile_file", tests, NULL, NULL);
}
