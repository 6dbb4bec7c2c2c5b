/* SPDX-License-Identifier: Apache-2.0 */
/* Live pods and gang members by the definitions that we ship. */
#include "karta/pods.h"

#include "karta/engine.h"
#include "karta/members.h"
#include "support.h"

static struct karta_snapshot *catalog;

static int setup(void **state)
{
    (void)state;
    assert_int_equal(karta_engine_init(NULL), 0);
    catalog = test_snapshot();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    karta_snapshot_unref(catalog);
    karta_engine_shutdown();
    return 0;
}

static void assert_matches(const char *name, const char *pods_text, const char *expected_text)
{
    const struct karta_definition *definition = karta_snapshot_find_name(catalog, name);
    json_auto_t *pods = test_json(pods_text), *expected = test_json(expected_text);
    json_auto_t *matches = NULL;
    assert_non_null(definition);
    assert_int_equal(karta_pods_match(definition, pods, 0, &matches, NULL), 0);
    assert_json_equal(matches, expected);
}

static void pods__are_told_apart_by_instance(void **state)
{
    (void)state;
    assert_matches("jobset-x-k8s-io-jobset-v1alpha2",
                   "[{'metadata': {'labels': {'jobset.sigs.k8s.io/replicatedjob-name': 'w'}}},"
                   " {'metadata': {'labels': {'app': 'x'}}}, {}]",
                   "[{'component': 'replicatedjob', 'instance': 'w', 'replica': null},"
                   " {'component': null, 'instance': null, 'replica': null},"
                   " {'component': null, 'instance': null, 'replica': null}]");
}

static void pods__have_the_replica_of_what_stands_above(void **state)
{
    (void)state;
    assert_matches("leaderworkerset-x-k8s-io-leaderworkerset-v1",
                   "[{'metadata': {'labels': {'leaderworkerset.sigs.k8s.io/group-index': '2',"
                   "   'leaderworkerset.sigs.k8s.io/worker-index': '0'}}},"
                   " {'metadata': {'labels': {'leaderworkerset.sigs.k8s.io/group-index': '0',"
                   "   'leaderworkerset.sigs.k8s.io/worker-index': '3'},"
                   "   'annotations': {'leaderworkerset.sigs.k8s.io/leader-name': 'l-0'}}}]",
                   "[{'component': 'leader', 'instance': null, 'replica': '2'},"
                   " {'component': 'worker', 'instance': null, 'replica': '0'}]");
}

static void pods__without_a_selector_are_of_the_only_component(void **state)
{
    (void)state;
    assert_matches("batch-job-v1", "[{'metadata': {'name': 'p'}}]",
                   "[{'component': 'job', 'instance': null, 'replica': null}]");
    assert_matches("batch-job-v1", "[]", "[]");
}

/* RayJob's submitter states labels too: both must hold. */
static void pods__meet_key_and_labels(void **state)
{
    (void)state;
    assert_matches(
        "ray-io-rayjob-v1",
        "[{'metadata': {'labels': {'batch.kubernetes.io/job-name': 'j',"
        "   'ray.io/originated-from-crd': 'RayJob'}}},"
        " {'metadata': {'labels': {'batch.kubernetes.io/job-name': 'j'}}},"
        " {'metadata': {'labels': {'ray.io/node-type': 'worker', 'ray.io/group': 'g'}}}]",
        "[{'component': 'submitter', 'instance': null, 'replica': null},"
        " {'component': null, 'instance': null, 'replica': null},"
        " {'component': 'worker', 'instance': 'g', 'replica': null}]");
}

/* Every definition's selectors compile and run on a pod that has nothing. */
static void pods__of_every_definition_can_be_matched(void **state)
{
    (void)state;
    json_auto_t *pods = test_json("[{}, {'metadata': {'labels': null, 'annotations': {}}}]");
    for (size_t i = 0; i < karta_snapshot_definitions(catalog); i++) {
        json_auto_t *matches = NULL;
        assert_int_equal(
            karta_pods_match(karta_snapshot_definition(catalog, i), pods, 0, &matches, NULL), 0);
        assert_int_equal(json_array_size(matches), 2);
    }
}

static void members__leave_out_what_starts_later(void **state)
{
    (void)state;
    json_auto_t *object = test_json(
        "{'apiVersion': 'jobset.x-k8s.io/v1alpha2', 'kind': 'JobSet', 'metadata': {'name': 'x'},"
        " 'spec': {'replicatedJobs': [{'name': 'a', 'template': {'spec': {'template': {}}}},"
        "  {'name': 'b', 'template': {'spec': {'template': {}}}},"
        "  {'name': 'c', 'dependsOn': [{'name': 'a'}], 'template': {'spec': {'template': {}}}}]}}");
    json_auto_t *expected = test_json("[[{'component': 'replicatedjob', 'instance': 'a'},"
                                      "  {'component': 'replicatedjob', 'instance': 'b'}]]");
    json_auto_t *members = NULL;
    assert_int_equal(karta_members(catalog, object, NULL, 0, &members, NULL), 0);
    assert_json_equal(members, expected);
}

static void members__of_an_unknown_kind_are_not_found(void **state)
{
    (void)state;
    json_auto_t *object = test_json("{'apiVersion': 'v1', 'kind': 'Service'}");
    json_t *members = NULL;
    assert_int_equal(karta_members(catalog, object, NULL, 0, &members, NULL), KARTA_ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods__are_told_apart_by_instance),
        cmocka_unit_test(pods__have_the_replica_of_what_stands_above),
        cmocka_unit_test(pods__without_a_selector_are_of_the_only_component),
        cmocka_unit_test(pods__meet_key_and_labels),
        cmocka_unit_test(pods__of_every_definition_can_be_matched),
        cmocka_unit_test(members__leave_out_what_starts_later),
        cmocka_unit_test(members__of_an_unknown_kind_are_not_found),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
