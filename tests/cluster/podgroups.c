/* SPDX-License-Identifier: Apache-2.0 */
/* Pod groups of workloads that come, change and go. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/mutate.h"
#include "podgroups_world.h"

static struct world world;

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

#define WORKERS "/spec/subGroups/1/minMember"

static void podgroups__are_made_for_workloads_there_and_to_come(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "first", 2);
    world_start(&world);
    KARTA_AUTO_TEXT first = world_group(&world, "jobsets", "first");
    WAIT_FOR(world_has(&world, first));
    world_create_jobset(&world, "u2", "second", 3);
    KARTA_AUTO_TEXT second = world_group(&world, "jobsets", "second");
    WAIT_FOR(world_has(&world, second));
    json_auto_t *group = world_podgroup(&world, second);
    json_auto_t *owner = api_server_get(world.base.server, "jobsets", "ml", "second");
    json_auto_t *spec = test_json("{'queue': 'team-a', 'subGroups': [{'name': 'leader', "
                                  "'minMember': 1}, {'name': 'workers', 'minMember': 3}]}");
    assert_json_equal(json_object_get(group, "spec"), spec);
    json_auto_t *owners = json_pack(
        "[{s:s, s:s, s:s, s:O, s:b}]", "apiVersion", "jobset.x-k8s.io/v1alpha2", "kind", "JobSet",
        "name", "second", "uid", json_object_get(json_object_get(owner, "metadata"), "uid"),
        "blockOwnerDeletion", 0);
    assert_json_equal(json_object_get(json_object_get(group, "metadata"), "ownerReferences"),
                      owners);
    assert_true(world_says(&world, second, "/metadata/managedFields/0/manager", "karta-webhook"));
    assert_true(world_says(&world, second, "/metadata/managedFields/0/operation", "Apply"));
    assert_int_equal(api_server_count(world.base.server, "podgroups"), 2);
}

static void podgroups__follow_the_scale(void **state)
{
    (void)state;
    static const char parallelism[] = "/spec/replicatedJobs/1/template/spec/parallelism";
    world_create_jobset(&world, "u1", "train", 3);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_number(&world, name, WORKERS) == 3);
    world_change(&world, "jobsets", "train", parallelism, "2");
    WAIT_FOR(world_number(&world, name, WORKERS) == 1); /* completions are above that now */
    world_change(&world, "jobsets", "train", "/spec/replicatedJobs/1/template/spec/completions",
                 "2");
    WAIT_FOR(world_number(&world, name, WORKERS) == 2);
    world_change(&world, "jobsets", "train", "/spec/suspend", "true");
    WAIT_FOR(world_number(&world, name, WORKERS) == 2);
    world_change(&world, "jobsets", "train", "/spec/suspend", "false");
    world_change(&world, "jobsets", "train", "/spec/replicatedJobs/1/template/spec/completions",
                 "5");
    world_change(&world, "jobsets", "train", parallelism, "5");
    WAIT_FOR(world_number(&world, name, WORKERS) == 5);
    assert_int_equal(api_server_count(world.base.server, "podgroups"), 1);
}

static void podgroups__follow_the_queue(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-a"));
    world_change(&world, "jobsets", "train", "/metadata/labels/kai.scheduler~1queue", "'team-b'");
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-b"));
}

static void podgroups__a_workload_created_again_gets_its_own(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT before = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_has(&world, before));
    api_server_delete(world.base.server, "jobsets", "ml", "train");
    world_create_jobset(&world, "u2", "train", 4);
    KARTA_AUTO_TEXT after = world_group(&world, "jobsets", "train");
    assert_string_not_equal(before, after);
    WAIT_FOR(world_number(&world, after, WORKERS) == 4);
    /* that of the one before is the garbage collector's */
    assert_int_equal(world_number(&world, before, WORKERS), 2);
}

static void podgroups__none_for_a_workload_that_leaves(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "going", 2);
    KARTA_AUTO_TEXT going = world_group(&world, "jobsets", "going");
    world_change(&world, "jobsets", "going", "/metadata/finalizers", "['x/y']");
    world_change(&world, "jobsets", "going", "/metadata/deletionTimestamp",
                 "'2030-01-01T00:00:00Z'");
    world_create_jobset(&world, "u2", "staying", 2);
    KARTA_AUTO_TEXT staying = world_group(&world, "jobsets", "staying");
    world_start(&world);
    WAIT_FOR(world_has(&world, staying));
    WAIT_FOR(world_counted(&world, "karta_podgroups_workloads{state=\"queued\"}") == 0);
    assert_false(world_has(&world, going));
}

static void podgroups__one_that_was_removed_comes_back(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_has(&world, name));
    json_auto_t *group = world_podgroup(&world, name);
    api_server_delete(world.base.server, "podgroups", "ml", name);
    WAIT_FOR(world_has(&world, name));
    json_auto_t *again = world_podgroup(&world, name);
    assert_false(json_equal(json_object_get(json_object_get(group, "metadata"), "uid"),
                            json_object_get(json_object_get(again, "metadata"), "uid")));
}

/* The watch may tell of its end before whoever wrote it has read the answer. */
static void podgroups__one_that_is_removed_at_once_comes_back(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start(&world);
    for (int i = 0; i < 50; i++) {
        WAIT_FOR(world_has(&world, name));
        api_server_delete(world.base.server, "podgroups", "ml", name);
        for (int spins = 0; spins < 1000 && !world_has(&world, name); spins++)
            ; /* no pause: to be there as soon as it is */
    }
    WAIT_FOR(world_has(&world, name));
}

/* A group that has no pods any more has no object, and gets one again. */
static void podgroups__are_removed_with_their_group(void **state)
{
    (void)state;
    world_create_lws(&world, "u1", "serve", 2);
    world_create_lws_pod(&world, "serve-0-1", "serve", 0);
    world_create_lws_pod(&world, "serve-0-2", "serve", 0);
    world_create_lws_pod(&world, "serve-1-1", "serve", 1);
    world_start(&world);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 2);
    api_server_delete(world.base.server, "pods", "ml", "serve-0-1");
    api_server_delete(world.base.server, "pods", "ml", "serve-1-1");
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 1);
    world_create_lws_pod(&world, "serve-1-1", "serve", 1);
    world_create_lws_pod(&world, "serve-2-1", "serve", 2);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 3);
    assert_true(world_counted(&world, "karta_podgroups_written_total{result=\"deleted\"}") >= 1);
}

static void podgroups__per_replica_know_workload_and_queue(void **state)
{
    (void)state;
    world_create_lws(&world, "u1", "serve", 1);
    world_create_lws_pod(&world, "serve-0-1", "serve", 0);
    world_start(&world);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 1);
    json_auto_t *pod = api_server_get(world.base.server, "pods", "ml", "serve-0-1");
    struct karta_mutation mutation = {0};
    const struct karta_mutate_options options = {.profile = "kai", .ns = "ml"};
    assert_int_equal(karta_mutate_pod(world.snapshot, pod, &options, &mutation, NULL), 0);
    KARTA_AUTO_TEXT name = strdup(json_string_value(json_object_get(mutation.audit, "pod-groups")));
    karta_mutation_dispose(&mutation);
    json_auto_t *group = world_podgroup(&world, name);
    json_auto_t *spec = test_json("{'queue': 'team-a', 'minMember': 3}");
    assert_json_equal(json_object_get(group, "spec"), spec);
    world_change(&world, "leaderworkersets", "serve", "/metadata/labels/kai.scheduler~1queue",
                 "'team-b'");
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-b"));
}

static void podgroups__a_restart_writes_nothing(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "first", 2);
    world_create_jobset(&world, "u2", "second", 2);
    world_create_lws(&world, "u3", "serve", 1);
    world_create_lws_pod(&world, "serve-0-1", "serve", 0);
    world_start(&world);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 3);
    world_stop(&world);
    size_t patches = api_server_asked(world.base.server, "patch", NULL);
    world_start(&world);
    WAIT_FOR(podgroups_follow(world.makers[0].groups, "jobset.x-k8s.io", "JobSet"));
    world_create_jobset(&world, "u4", "third", 2);
    KARTA_AUTO_TEXT third = world_group(&world, "jobsets", "third");
    WAIT_FOR(world_has(&world, third));
    WAIT_FOR(world_counted(&world, "karta_podgroups_workloads{state=\"queued\"}") == 0);
    assert_int_equal(api_server_asked(world.base.server, "patch", NULL), patches + 1);
}

/* Requests are few here: hundreds that were there before take long. */
static void podgroups__a_new_workload_does_not_wait_for_the_many(void **state)
{
    (void)state;
    world.config.per_second = 20;
    for (int i = 0; i < 200; i++) {
        KARTA_AUTO_TEXT name = mem_format("many-%d", i);
        world_create_jobset(&world, name, name, 2);
    }
    world_start(&world);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") > 0);
    world_create_jobset(&world, "u1", "new", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "new");
    WAIT_FOR(world_has(&world, name));
    assert_true(api_server_count(world.base.server, "podgroups") < 200);
}

static void made_under(const char *profile, const char *group, const char *version,
                       const char *expected)
{
    world.profile = profile;
    api_server_forget_kind(world.base.server, "scheduling.run.ai", "v2alpha2", "PodGroup");
    api_server_kind(world.base.server, group, version, "PodGroup", "podgroups", true, true);
    json_auto_t *spec = test_json(expected);
    world_create(&world, "u1",
                 "{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'train', "
                 "'namespace': 'ml', 'labels': {'workloadmap.dev/queue': 'team-a'}}, 'spec': "
                 "{'parallelism': 3, 'completions': 3, 'template': {'spec': {'containers': "
                 "[{'name': 'main', 'image': 'i', 'resources': {'requests': {'cpu': '2'}}}]}}}}");
    KARTA_AUTO_TEXT name = world_group(&world, "jobs", "train");
    world_start(&world);
    WAIT_FOR(world_has(&world, name));
    json_auto_t *made = world_podgroup(&world, name);
    assert_json_equal(json_object_get(made, "spec"), spec);
}

static void podgroups__of_volcano(void **state)
{
    (void)state;
    made_under("volcano", "scheduling.volcano.sh", "v1beta1",
               "{'minMember': 3, 'queue': 'team-a', 'minTaskMember': {'job': 3}, 'minResources': "
               "{'cpu': '6'}}");
}

static void podgroups__of_coscheduling(void **state)
{
    (void)state;
    made_under("coscheduling", "scheduling.x-k8s.io", "v1alpha1",
               "{'minMember': 3, 'minResources': {'cpu': '6'}}");
}

static void podgroups__of_kubernetes_itself(void **state)
{
    (void)state;
    made_under("native", "scheduling.k8s.io", "v1beta1",
               "{'schedulingPolicy': {'gang': {'minCount': 3}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(podgroups__are_made_for_workloads_there_and_to_come),
        TEST(podgroups__follow_the_scale),
        TEST(podgroups__follow_the_queue),
        TEST(podgroups__a_workload_created_again_gets_its_own),
        TEST(podgroups__none_for_a_workload_that_leaves),
        TEST(podgroups__one_that_was_removed_comes_back),
        TEST(podgroups__one_that_is_removed_at_once_comes_back),
        TEST(podgroups__are_removed_with_their_group),
        TEST(podgroups__per_replica_know_workload_and_queue),
        TEST(podgroups__a_restart_writes_nothing),
        TEST(podgroups__a_new_workload_does_not_wait_for_the_many),
        TEST(podgroups__of_volcano),
        TEST(podgroups__of_coscheduling),
        TEST(podgroups__of_kubernetes_itself),
    };
    return cmocka_run_group_tests_name("podgroups", tests, NULL, NULL);
}
