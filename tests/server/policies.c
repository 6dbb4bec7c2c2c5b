/* SPDX-License-Identifier: Apache-2.0 */
/* Policies from a folder: asked, counted, and in force as soon as their file is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"

/* a slow machine compiles everything that it was started with before it looks at a file again */
#define WAIT_MS 60000

static struct running server;
static char folder[80];

static void write_policy(const char *name, const char *most)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s.yaml", folder, name);
    KARTA_AUTO_TEXT whole = mem_format("%s.new", path);
    KARTA_AUTO_TEXT text =
        mem_format("apiVersion: workloadmap.dev/v1alpha1\n"
                   "kind: WorkloadPolicy\n"
                   "metadata: {name: %s}\n"
                   "spec:\n"
                   "  validations:\n"
                   "  - expression: .totals.gpus <= %s\n"
                   "    messageExpression: '\"asks for \\(.totals.gpus) GPUs\"'\n",
                   name, most);
    write_text(whole, text);
    assert_int_equal(rename(whole, path), 0);
}

static int start(void **state)
{
    (void)state;
    running_init(&server);
    snprintf(folder, sizeof folder, "%s/policies", server.dir);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_policy("team-a", "8");
    running_start(&server, (const char *[]){"--drain", "0", "--definitions", folder, NULL});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return running_stop(&server);
}

/* What /validate/workloads says of the example; new. */
static json_t *ask(void)
{
    struct client client;
    struct answer answer;
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    running_connect(&server, &client);
    assert_true(client_post(&client, "/validate/workloads", review, &answer));
    assert_int_equal(answer.status, 200);
    json_error_t ignored;
    json_t *body = json_loads(answer.body, 0, &ignored);
    json_t *response = json_incref(json_object_get(body, "response"));
    json_decref(body);
    answer_dispose(&answer);
    client_close(&client);
    return response;
}

static bool is_allowed(void)
{
    json_t *response = ask();
    bool allowed = json_is_true(json_object_get(response, "allowed"));
    json_decref(response);
    return allowed;
}

static void policy__denies_and_is_counted(void **state)
{
    (void)state;
    json_t *response = ask();
    const json_t *status = json_object_get(response, "status");
    assert_true(json_is_false(json_object_get(response, "allowed")));
    assert_int_equal(json_integer_value(json_object_get(status, "code")), 403);
    assert_string_equal(json_string_value(json_object_get(status, "message")),
                        "policy team-a: asks for 12 GPUs");
    json_decref(response);
    assert_metric(&server, "\nkarta_policies 1\n");
    assert_metric(&server, "\nkarta_policy_decisions_total{policy=\"team-a\",action=\"deny\"} 1\n");
    assert_metric(&server, "\nkarta_admission_requests_total{endpoint=\"/validate/workloads\","
                           "kind=\"JobSet\",allowed=\"false\"} 1\n");
    assert_true(running_logs(&server, "verdict=denied", WAIT_MS));
}

static void policy__is_in_force_once_its_file_is(void **state)
{
    (void)state;
    write_policy("team-a", "64");
    write_policy("pods", "32");
    for (int64_t until = clock_ms() + WAIT_MS; !is_allowed();) {
        assert_true(clock_ms() < until);
        pause_ms(50);
    }
    assert_metric(&server, "\nkarta_policy_decisions_total{policy=\"team-a\",action=\"allow\"} ");
}

static void policy__that_is_broken_leaves_the_last_good_one(void **state)
{
    (void)state;
    write_policy("team-a", "");
    assert_true(running_logs(&server, "ends where a value is expected", WAIT_MS));
    assert_true(is_allowed());
    write_policy("team-a", "1");
    for (int64_t until = clock_ms() + WAIT_MS; is_allowed();) {
        assert_true(clock_ms() < until);
        pause_ms(50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy__denies_and_is_counted),
        cmocka_unit_test(policy__is_in_force_once_its_file_is),
        cmocka_unit_test(policy__that_is_broken_leaves_the_last_good_one)};
    return cmocka_run_group_tests_name("policies", tests, start, stop);
}
