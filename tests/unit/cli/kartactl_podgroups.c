/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl podgroups as users run it. */
#include <string.h>

#include "run.h"
#include "support.h"

#define NOT_YET                                                                                    \
    "warning: manifests/examples/jobset.yaml: not ganged yet; the names of its pod groups are "    \
    "given at its creation\n"

static void podgroups__of_a_manifest_have_the_names_that_mutate_gives(void **state)
{
    (void)state;
    assert_run("podgroups --profile native -f manifests/examples/jobset.yaml", 0,
               "apiVersion: scheduling.k8s.io/v1beta1\n"
               "kind: PodGroup\n"
               "metadata:\n"
               "  name: train-jobset-0f349089\n"
               "  namespace: ml\n"
               "spec:\n"
               "  schedulingPolicy:\n"
               "    gang:\n"
               "      minCount: 3\n",
               NOT_YET);
    struct run mutated = run_kartactl("mutate --profile native -f manifests/examples/jobset.yaml");
    assert_non_null(strstr(mutated.out, "podGroupName: train-jobset-0f349089\n"));
    run_dispose(&mutated);
}

static void podgroups__of_a_stored_object_are_those_of_its_annotation(void **state)
{
    (void)state;
    struct run stored = run_kartactl("mutate --profile kai -f manifests/examples/jobset.yaml");
    struct run groups = run_kartactl_with(stored.out, "podgroups -o json -f -");
    json_t *object = json_loads(groups.out, 0, NULL);
    json_t *expected = test_json(
        "{'apiVersion': 'scheduling.run.ai/v2alpha2', 'kind': 'PodGroup', 'metadata': {'name': "
        "'train-jobset-0f349089', 'namespace': 'ml'}, 'spec': {'queue': 'team-a', 'subGroups': "
        "[{'name': 'leader', 'minMember': 1}, {'name': 'workers', 'minMember': 2}]}}");
    assert_string_equal(groups.err, "");
    assert_json_equal(object, expected);
    json_decref(object);
    json_decref(expected);
    assert_run_with(stored.out, "podgroups --profile yunikorn -o json -f -", 0, groups.out,
                    "warning: standard input: it is ganged by profile kai already\n");
    run_dispose(&groups);
    run_dispose(&stored);
}

static void podgroups__that_only_pods_name_are_said(void **state)
{
    (void)state;
    assert_run("podgroups -f tests/fixtures/schedulers/kai-leaderworkerset/object.yaml", 0, "",
               "warning: tests/fixtures/schedulers/kai-leaderworkerset/object.yaml: not ganged "
               "yet; the names of its pod groups are given at its creation\n"
               "warning: tests/fixtures/schedulers/kai-leaderworkerset/object.yaml: pod group "
               "replica: 2 of them, each named by its pods when they are created\n");
}

static void podgroups__of_what_is_no_gang_are_none(void **state)
{
    (void)state;
    assert_run("podgroups -f manifests/examples/deployment.yaml", 0, "",
               "warning: not ganged: definition apps-deployment-v1 has no gang instructions\n");
    assert_run("podgroups --profile yunikorn -f manifests/examples/jobset.yaml", 0, "", NOT_YET);
}

static void podgroups__are_asked_for_in_words_that_exist(void **state)
{
    (void)state;
    assert_run("podgroups", 2, "",
               "kartactl: podgroups: give a file with -f, or - for standard input\n");
    assert_run("podgroups x -f -", 2, "",
               "kartactl: podgroups: unexpected \"x\"; give files with -f\n");
    assert_run("podgroups --profile nope -f manifests/examples/jobset.yaml", 3, "",
               "kartactl: no profile \"nope\"; there are: coscheduling, kai-native, kai, "
               "kueue-pods, kueue, native, volcano, yunikorn\n");
    assert_run_with("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n", "podgroups -f -", 4, "",
                    "kartactl: standard input: no definition covers v1 Service\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(podgroups__of_a_manifest_have_the_names_that_mutate_gives),
        cmocka_unit_test(podgroups__of_a_stored_object_are_those_of_its_annotation),
        cmocka_unit_test(podgroups__that_only_pods_name_are_said),
        cmocka_unit_test(podgroups__of_what_is_no_gang_are_none),
        cmocka_unit_test(podgroups__are_asked_for_in_words_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
