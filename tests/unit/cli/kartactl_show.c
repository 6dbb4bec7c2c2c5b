/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl definitions show as users run it. */
#include <string.h>

#include "run.h"
#include "support.h"

#define CONVOY " --definitions tests/unit/cli/data/convoy-karta.yaml"

static void show__has_tree_statuses_gang_and_expressions(void **state)
{
    (void)state;
    assert_run_file("definitions show jobset-x-k8s-io-jobset-v1alpha2", "jobset-show.txt");
}

static void show__has_every_form_of_every_field(void **state)
{
    (void)state;
    assert_run_file("definitions show convoy" CONVOY, "convoy-show.txt");
}

static void show__is_readable_in_100_columns(void **state)
{
    (void)state;
    const char *const names[] = {"jobset", "pytorchjob", "batch/job", "deployment", "convoy"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "definitions show %s" CONVOY, names[i]);
        struct run run = run_kartactl(arguments);
        assert_int_equal(run.code, 0);
        for (const char *line = run.out; *line != '\0'; line += strcspn(line, "\n") + 1)
            assert_true(strcspn(line, "\n") <= 100);
        run_dispose(&run);
    }
}

static void show__takes_a_kind_as_kubectl_does(void **state)
{
    (void)state;
    const char *const words[] = {"JobSet", "jobset", "jobsets", "jobset.x-k8s.io/JobSet"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "definitions show %s", words[i]);
        assert_run_file(arguments, "jobset-show.txt");
    }
}

static void show__asks_which_where_a_kind_has_several(void **state)
{
    (void)state;
    assert_run("definitions show Job --definitions tests/unit/cli/data/other-job-karta.yaml", 3, "",
               "kartactl: several definitions are for \"Job\": batch-job-v1, "
               "batch-volcano-sh-job-v1alpha1, other-job; give one's name\n");
    struct run run = run_kartactl("definitions show other.example.com/job --definitions "
                                  "tests/unit/cli/data/other-job-karta.yaml");
    const char *const begin = "other-job\nKind:      other.example.com/v1 Job\n";
    assert_int_equal(run.code, 0);
    assert_true(strncmp(run.out, begin, strlen(begin)) == 0);
    assert_non_null(strstr(run.out, "\nUndefined  always: no status is mapped\n"));
    assert_non_null(strstr(run.out, "\nPod groups: none\n"));
    run_dispose(&run);
}

static void show__names_the_nearest_to_one_that_is_not_there(void **state)
{
    (void)state;
    assert_run("definitions show batch-jobs-v1", 3, "",
               "kartactl: no definition \"batch-jobs-v1\"; did you mean batch-job-v1?\n");
    assert_run("definitions show PytorchJop", 3, "",
               "kartactl: no definition \"PytorchJop\"; did you mean PyTorchJob?\n");
    assert_run("definitions show x", 3, "",
               "kartactl: no definition \"x\"; kartactl definitions lists them\n");
}

static void show__gives_the_document_as_json(void **state)
{
    (void)state;
    struct run run = run_kartactl("definitions show convoy -o json" CONVOY);
    json_t *document = json_loads(run.out, 0, NULL);
    assert_int_equal(run.code, 0);
    assert_string_equal(json_string_value(json_object_get(document, "kind")), "Karta");
    json_decref(document);
    run_dispose(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(show__has_tree_statuses_gang_and_expressions),
        cmocka_unit_test(show__has_every_form_of_every_field),
        cmocka_unit_test(show__is_readable_in_100_columns),
        cmocka_unit_test(show__takes_a_kind_as_kubectl_does),
        cmocka_unit_test(show__asks_which_where_a_kind_has_several),
        cmocka_unit_test(show__names_the_nearest_to_one_that_is_not_there),
        cmocka_unit_test(show__gives_the_document_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
