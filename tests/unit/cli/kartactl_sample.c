/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl definitions validate --sample as users run it. */
#include <string.h>

#include "run.h"
#include "support.h"

#define CONVOY "tests/unit/cli/data/convoy-karta.yaml"
#define OTHER_JOB "tests/unit/cli/data/other-job-karta.yaml"

static void sample__shows_what_each_path_gave(void **state)
{
    (void)state;
    char *expected = test_read("tests/unit/cli/data/convoy-sample.txt", NULL);
    assert_run("definitions validate " CONVOY " --sample tests/unit/cli/data/convoy.yaml", 0,
               expected, "");
    free(expected);
}

static void sample__may_be_several_and_come_on_standard_input(void **state)
{
    (void)state;
    assert_run_with(
        "{apiVersion: other.example.com/v1, kind: Job, metadata: {name: one}}\n---\n"
        "{apiVersion: other.example.com/v1, kind: Job, metadata: {generateName: two-}}\n",
        "definitions validate " OTHER_JOB " --sample -", 0,
        OTHER_JOB ": valid\n"
                  "\n"
                  "Job/one of standard input: document 1, read through " OTHER_JOB "\n"
                  "\n"
                  "FIELD  RESULTS  WHAT IT GAVE\n"
                  "\n"
                  "job  0 pods\n"
                  "\n"
                  "Phase: Undefined\n"
                  "\n"
                  "Every path gave something.\n"
                  "\n"
                  "Job/two- of standard input: document 2, read through " OTHER_JOB "\n"
                  "\n"
                  "FIELD  RESULTS  WHAT IT GAVE\n"
                  "\n"
                  "job  0 pods\n"
                  "\n"
                  "Phase: Undefined\n"
                  "\n"
                  "Every path gave something.\n",
        "");
}

static void sample__that_no_karta_covers_is_code_4(void **state)
{
    (void)state;
    assert_run("definitions validate " OTHER_JOB " --sample tests/unit/cli/data/convoy.yaml", 4,
               OTHER_JOB ": valid\n",
               "kartactl: tests/unit/cli/data/convoy.yaml: no given Karta covers "
               "roads.example.com/v1 Convoy\n");
    /* another version or group is another kind */
    assert_run_with("{apiVersion: other.example.com/v2, kind: Job}",
                    "definitions validate " OTHER_JOB " --sample -", 4, OTHER_JOB ": valid\n",
                    "kartactl: standard input: no given Karta covers other.example.com/v2 Job\n");
}

static void sample__of_a_refused_karta_is_not_read(void **state)
{
    (void)state;
    struct run run = run_kartactl_with("{apiVersion: e/v1, kind: T}",
                                       "definitions validate "
                                       "manifests/examples/broken-definition.yaml --sample -");
    assert_int_equal(run.code, 5);
    assert_null(strstr(run.out, "RESULTS"));
    run_dispose(&run);
}

static void sample__that_is_no_object_is_invalid(void **state)
{
    (void)state;
    assert_run_with("[1]", "definitions validate " OTHER_JOB " --sample -", 5,
                    OTHER_JOB ": valid\n", "kartactl: standard input: is no Kubernetes object\n");
    assert_run("definitions validate " OTHER_JOB " --sample nowhere.yaml", 1, OTHER_JOB ": valid\n",
               "kartactl: cannot read nowhere.yaml: no such file or directory\n");
}

static void sample__that_is_hostile_is_described_all_the_same(void **state)
{
    (void)state;
    const char *const samples[] = {
        "{apiVersion: roads.example.com/v1, kind: Convoy}",
        "{apiVersion: roads.example.com/v1, kind: Convoy, spec: null, metadata: null}",
        "{apiVersion: roads.example.com/v1, kind: Convoy, spec: [1], status: 7, metadata: x}",
        "{apiVersion: roads.example.com/v1, kind: Convoy, spec: {trucks: {}, scout: [], fuel: 1}}",
        "{apiVersion: roads.example.com/v1, kind: Convoy, spec: {trucks: [null, 1, {plate: []}]}}",
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct run run =
            run_kartactl_with(samples[i], "definitions validate " CONVOY " --sample -");
        assert_int_equal(run.code, 0);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, "\nPhase: Undefined\n"));
        run_dispose(&run);
    }
}

static void sample__comes_as_json_with_whole_values(void **state)
{
    (void)state;
    struct run run = run_kartactl("definitions validate " CONVOY
                                  " --sample tests/unit/cli/data/convoy.yaml -o json");
    assert_int_equal(run.code, 0);
    json_t *list = json_loads(run.out, 0, NULL);
    const json_t *item = json_array_get(json_object_get(list, "items"), 0);
    const json_t *sample = json_array_get(json_object_get(item, "samples"), 0);
    const char *const keys[] = {"failed", "nothing", "partly", "workload"};
    json_t *summary = json_object();
    for (size_t i = 0; i < 4; i++)
        json_object_set(summary, keys[i], json_object_get(sample, keys[i]));
    json_t *expected = test_json(
        "{'failed': ['spec.structureDefinition.childComponents[1].scaleDefinition."
        "minReplicasPath'], 'nothing': ["
        "'metadata.annotations.workloadmap.dev/min-member-path.road', "
        "'spec.structureDefinition.rootComponent.statusDefinition.conditionsDefinition.path', "
        "'spec.structureDefinition.childComponents[0].specDefinition.metadataPath', "
        "'spec.structureDefinition.childComponents[0].scaleDefinition.maxReplicasPath', "
        "'spec.structureDefinition.childComponents[2].specDefinition.fragmentedPodSpecDefinition."
        "labelsPath', "
        "'spec.structureDefinition.childComponents[2].specDefinition.fragmentedPodSpecDefinition."
        "imagePath'], 'partly': [], 'workload': {'apiVersion': 'roads.example.com/v1', 'kind': "
        "'Convoy', 'name': 'south'}}");
    assert_json_equal(summary, expected);
    assert_true(json_is_object(json_object_get(sample, "view")));
    assert_int_equal(json_array_size(json_object_get(sample, "expressions")), 26);
    json_decref(expected);
    json_decref(summary);
    json_decref(list);
    run_dispose(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample__shows_what_each_path_gave),
        cmocka_unit_test(sample__may_be_several_and_come_on_standard_input),
        cmocka_unit_test(sample__that_no_karta_covers_is_code_4),
        cmocka_unit_test(sample__of_a_refused_karta_is_not_read),
        cmocka_unit_test(sample__that_is_no_object_is_invalid),
        cmocka_unit_test(sample__that_is_hostile_is_described_all_the_same),
        cmocka_unit_test(sample__comes_as_json_with_whole_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
