/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl definitions as users run it. */
#include <string.h>

#include "run.h"
#include "support.h"

static void definitions__are_listed(void **state)
{
    (void)state;
    assert_run_file("definitions", "definitions.txt");
}

/* Warnings are no refusals: each is a choice that the file's header tells. */
static void definitions__of_ours_are_valid(void **state)
{
    (void)state;
    assert_run_file("definitions validate definitions profiles", "definitions-validate.txt");
}

#define BROKEN_PROBLEM                                                                             \
    "spec.structureDefinition.rootComponent.scaleDefinition.replicasPath: the \"(\" that opens "   \
    "here is never closed, at column 1 of `(.spec.replicas // 1`"
#define BROKEN_EXAMPLE "manifests/examples/broken-definition.yaml: " BROKEN_PROBLEM

#define BROKEN                                                                                     \
    "apiVersion: run.ai/v1alpha1\nkind: Karta\nmetadata: {name: b, annotations: "                  \
    "{workloadmap.dev/plural: ts}}\n"                                                              \
    "spec: {structureDefinition: {rootComponent: {name: t, kind: {group: e, version: v1, kind: "   \
    "T},"                                                                                          \
    " specDefinition: {podTemplateSpecPath: .spec.template}, scaleDefinition: {replicasPath: "     \
    "env.X}, statusDefinition: {statusMappings: {}}}}}\n"

static void definitions__are_refused_with_path_and_reason(void **state)
{
    (void)state;
    struct run run = run_kartactl_with(BROKEN, "definitions validate -");
    const char *const start =
        "standard input: spec.structureDefinition.rootComponent.scaleDefinition.replicasPath: ";
    assert_int_equal(run.code, 5);
    assert_string_equal(run.err, "");
    assert_true(strncmp(run.out, start, strlen(start)) == 0);
    assert_non_null(strstr(run.out, "env"));
    assert_null(strstr(run.out, "valid\n"));
    run_dispose(&run);
}

static void definitions__problems_come_as_json_too(void **state)
{
    (void)state;
    struct run run = run_kartactl_with(BROKEN, "definitions validate - -o json");
    assert_int_equal(run.code, 5);
    json_t *list = json_loads(run.out, 0, NULL);
    const json_t *item = json_array_get(json_object_get(list, "items"), 0);
    assert_true(json_is_false(json_object_get(item, "valid")));
    const json_t *problem = json_array_get(json_object_get(item, "problems"), 0);
    assert_string_equal(json_string_value(json_object_get(problem, "path")),
                        "spec.structureDefinition.rootComponent.scaleDefinition.replicasPath");
    assert_string_equal(json_string_value(json_object_get(problem, "severity")), "refusal");
    json_decref(list);
    run_dispose(&run);
}

static void definitions__in_a_folder_win_over_ours(void **state)
{
    (void)state;
    struct run run = run_kartactl("definitions --definitions definitions");
    assert_int_equal(run.code, 0);
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "  yes   active    definitions/batch-job-v1.yaml\n"));
    assert_non_null(strstr(run.out, "  -     shadowed  built-in:batch-job-v1.yaml\n"));
    run_dispose(&run);
}

static void definitions__that_are_broken_spoil_nothing_else(void **state)
{
    (void)state;
    struct run run = run_kartactl("definitions --definitions "
                                  "manifests/examples/broken-definition.yaml");
    assert_int_equal(run.code, 0);
    assert_string_equal(run.err, "warning: " BROKEN_EXAMPLE "\n");
    assert_non_null(strstr(run.out, "  yes   active  built-in:batch-job-v1.yaml\n"));
    const char *line = strstr(run.out, "\nbroken ");
    assert_non_null(line);
    assert_non_null(strstr(line, " failed  manifests/examples/broken-definition.yaml\n"));
    run_dispose(&run);
    assert_run("definitions show broken --definitions manifests/examples/broken-definition.yaml", 3,
               "",
               "warning: " BROKEN_EXAMPLE "\n"
               "kartactl: definition \"broken\" is not in force: " BROKEN_PROBLEM "\n");
}

static void definitions__folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    assert_run("definitions --definitions nowhere", 1, "",
               "kartactl: cannot read nowhere: no such file or directory\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions__are_listed),
        cmocka_unit_test(definitions__of_ours_are_valid),
        cmocka_unit_test(definitions__are_refused_with_path_and_reason),
        cmocka_unit_test(definitions__problems_come_as_json_too),
        cmocka_unit_test(definitions__in_a_folder_win_over_ours),
        cmocka_unit_test(definitions__that_are_broken_spoil_nothing_else),
        cmocka_unit_test(definitions__folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
