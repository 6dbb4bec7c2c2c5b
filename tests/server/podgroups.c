/* SPDX-License-Identifier: Apache-2.0 */
/* The real program beside the API server's double: it gangs what it will make pod groups for, makes
 * them, and another replica goes on where one is killed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "base/mem.h"
#include "podgroups_world.h"

static struct world world; /* without makers of its own */
static struct running one, two;

static void start(struct running *server)
{
    const char *const flags[] = {"--drain", "0",   "--kube-api", api_server_url(world.base.server),
                                 "--gang",  "all", NULL};
    running_init(server);
    running_start(server, flags);
}

static bool is_ready(const struct running *server)
{
    int status = 0;
    KARTA_AUTO_TEXT body = running_get(server, "/readyz", &status);
    return status == 200;
}

static int setup(void **state)
{
    (void)state;
    world_init(&world);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_dispose(&world);
    return 0;
}

/* What /mutate/workloads says of the example; new. */
static json_t *ask(const struct running *server)
{
    struct client client;
    struct answer answer;
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    running_connect(server, &client);
    assert_true(client_post(&client, "/mutate/workloads", review, &answer));
    json_auto_t *body = json_loads(answer.body, 0, NULL);
    answer_dispose(&answer);
    client_close(&client);
    return json_incref(json_object_get(body, "response"));
}

static bool is_ganged(const struct running *server)
{
    json_auto_t *response = ask(server);
    return json_object_get(response, "patch") != NULL;
}

static void server__gangs_only_what_it_may_watch(void **state)
{
    (void)state;
    api_server_fault(world.base.server, "list", "jobsets", API_FAULT_STATUS, 403, 0);
    start(&one);
    WAIT_FOR(is_ready(&one));
    json_auto_t *response = ask(&one);
    assert_null(json_object_get(response, "patch"));
    assert_string_equal(json_string_value(json_array_get(json_object_get(response, "warnings"), 0)),
                        "not ganged: what profile kai needs beside the pods can't be made: "
                        "JobSet.jobset.x-k8s.io isn't watched");
    WAIT_FOR(running_logs(&one, "the service account needs the verb", 0));
    assert_metric(&one, "\nkarta_podgroups_kinds{state=\"refused\"} 1\n");
    api_server_fault(world.base.server, "list", "jobsets", API_FAULT_NONE, 0, 0);
    WAIT_FOR(is_ganged(&one));
    assert_int_equal(running_stop(&one), 0);
}

static void server__that_leaves_them_to_others_gangs_all(void **state)
{
    (void)state;
    const char *const flags[] = {
        "--drain", "0", "--kube-api", api_server_url(world.base.server), "--no-podgroups", NULL};
    running_init(&one);
    running_start(&one, flags);
    WAIT_FOR(is_ready(&one));
    assert_true(is_ganged(&one));
    assert_int_equal(api_server_asked(world.base.server, "list", "jobsets"), 0);
    assert_int_equal(running_stop(&one), 0);
}

/* The Lease of who is killed runs out. */
static void server__goes_on_where_another_was_killed(void **state)
{
    (void)state;
    start(&one);
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-a"));
    start(&two);
    WAIT_FOR(is_ready(&two));
    kill(one.pid, SIGKILL);
    running_wait(&one);
    running_remove(&one);
    world_change(&world, "jobsets", "train", "/metadata/labels/kai.scheduler~1queue", "'team-b'");
    api_server_delete(world.base.server, "podgroups", "ml", name);
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-b"));
    assert_int_equal(running_stop(&two), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(server__gangs_only_what_it_may_watch),
        TEST(server__that_leaves_them_to_others_gangs_all),
        TEST(server__goes_on_where_another_was_killed),
    };
    return cmocka_run_group_tests_name("podgroups", tests, NULL, NULL);
}
