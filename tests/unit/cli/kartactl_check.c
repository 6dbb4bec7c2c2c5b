/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl check as users run it. */
#include <string.h>

#include "run.h"
#include "support.h"

#define EXAMPLE "manifests/examples/jobset.yaml"

static void check__says_who_denies_and_why(void **state)
{
    (void)state;
    assert_run("check --policy manifests/policies/gpu-limit.yaml -f " EXAMPLE, 5,
               "JobSet/train: denied, asked 1 policy\n"
               "  Deny gpu-limit: asks for 12 GPUs; 8 may be used in one workload\n",
               "");
    assert_run("check --policy manifests/policies/resources.yaml --policy "
               "manifests/policies/registry.yaml -f " EXAMPLE,
               0,
               "JobSet/train: allowed, asked 2 policies\n"
               "  Warn requests: pods without requests for cpu and memory: leader, workers\n",
               "");
    assert_run("check --policy manifests/policies/queue.yaml -f " EXAMPLE, 0,
               "JobSet/train: allowed, no policy concerns it\n", "");
}

static void check__sees_the_workload_as_it_is_ganged(void **state)
{
    (void)state;
    static const char policy[] =
        "apiVersion: workloadmap.dev/v1alpha1\nkind: WorkloadPolicy\nmetadata: {name: p}\n"
        "spec:\n"
        "  validations:\n"
        "  - expression: all(.components[].instances[]; .schedulerName == \"kai-scheduler\")\n";
    assert_run_with(policy, "check --definitions /dev/stdin -f " EXAMPLE, 0,
                    "JobSet/train: allowed, asked 1 policy\n", "");
}

static void check__prints_json(void **state)
{
    (void)state;
    struct run run =
        run_kartactl("check --policy manifests/policies/gpu-limit.yaml -o json -f " EXAMPLE);
    json_t *actual = json_loads(run.out, 0, NULL);
    json_t *expected = test_json(
        "{'workload': {'apiVersion': 'jobset.x-k8s.io/v1alpha2', 'kind': 'JobSet', 'namespace':"
        " 'ml', 'name': 'train'}, 'allowed': false, 'policies': ['gpu-limit'], 'findings': [{"
        "'policy': 'gpu-limit', 'actions': ['Deny'], 'failed': false, 'component': null, 'field':"
        " 'spec.validations[0].expression', 'message': 'asks for 12 GPUs; 8 may be used in one"
        " workload'}]}");
    assert_int_equal(run.code, 5);
    assert_json_equal(actual, expected);
    json_decref(actual);
    json_decref(expected);
    run_dispose(&run);
}

static void check__fails_on_a_broken_policy(void **state)
{
    (void)state;
    static const char policy[] = "apiVersion: workloadmap.dev/v1alpha1\nkind: WorkloadPolicy\n"
                                 "metadata: {name: p}\nspec: {validations: []}\n";
    assert_run_with(policy, "check --policy /dev/stdin -f " EXAMPLE, 5, "",
                    "warning: /dev/stdin: spec.validations: is empty: a policy says what it "
                    "checks\nkartactl: /dev/stdin: is refused\n");
}

static void check__is_asked_for_in_words_that_exist(void **state)
{
    (void)state;
    assert_run("check", 2, "", "kartactl: check: give a file with -f, or - for standard input\n");
    assert_run("check -f " EXAMPLE, 2, "",
               "kartactl: check: there are no policies: give a file with --policy\n");
    assert_run("check x -f -", 2, "", "kartactl: check: unexpected \"x\"; give files with -f\n");
    assert_run_with("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n",
                    "check --policy manifests/policies -f -", 4, "",
                    "kartactl: standard input: no definition covers v1 Service\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__says_who_denies_and_why),
        cmocka_unit_test(check__sees_the_workload_as_it_is_ganged),
        cmocka_unit_test(check__prints_json),
        cmocka_unit_test(check__fails_on_a_broken_policy),
        cmocka_unit_test(check__is_asked_for_in_words_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
