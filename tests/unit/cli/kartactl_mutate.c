/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl mutate, offline, as users run it. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support.h"

#define SERVICE "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n"

/* The lines of a diff that start with `sign`, without it, of which `text` is one. */
static int count_lines(const char *diff, char sign)
{
    int count = 0;
    for (const char *at = diff; at != NULL && *at != '\0';) {
        if (at[0] == sign && strncmp(at, sign == '+' ? "+++ " : "--- ", 4) != 0)
            count++;
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return count;
}

static void mutate__as_a_diff_only_adds(void **state)
{
    (void)state;
    struct run run = run_kartactl("mutate -o diff -f manifests/examples/jobset.yaml");
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    assert_memory_equal(run.out, "--- input\n+++ mutated\n@@ ", 25);
    assert_int_equal(count_lines(run.out, '-'), 0);
    assert_non_null(strstr(run.out, "\n+              kai.scheduler/queue: team-a\n"));
    assert_non_null(strstr(run.out, "\n+            schedulerName: kai-scheduler\n"));
    assert_non_null(strstr(run.out, "\n+    workloadmap.dev/profile: kai\n"));
    run_dispose(&run);
}

static void mutate__is_the_same_again_and_again(void **state)
{
    (void)state;
    struct run first = run_kartactl("mutate -f manifests/examples/jobset.yaml");
    assert_int_equal(first.code, 0);
    struct run again = run_kartactl_with(first.out, "mutate -f -");
    assert_int_equal(again.code, 0);
    assert_string_equal(again.err, "");
    assert_string_equal(again.out, first.out);
    run_dispose(&first);
    run_dispose(&again);
}

static void mutate__of_a_patched_object_is_an_empty_patch(void **state)
{
    (void)state;
    struct run first = run_kartactl("mutate -o json -f manifests/examples/jobset.yaml");
    assert_run_with(first.out, "mutate -o patch -f -", 0, "[]\n", "");
    assert_run_with(first.out, "mutate -o diff -f -", 0, "", "");
    run_dispose(&first);
}

static json_t *job(const char *queue_label)
{
    json_t *object = test_json("{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'j',"
                               "'labels': {}}, 'spec': {'parallelism': 2, 'completions': 2,"
                               "'template': {'spec': {'containers': []}}}}");
    if (queue_label != NULL)
        json_object_set_new(json_object_get(json_object_get(object, "metadata"), "labels"),
                            "kai.scheduler/queue", json_string(queue_label));
    return object;
}

static void assert_queue(const char *queue_label, const char *arguments, const char *expected)
{
    json_t *object = job(queue_label);
    char *input = json_dumps(object, 0);
    struct run run = run_kartactl_with(input, arguments);
    assert_int_equal(run.code, 0);
    json_t *result = json_loads(run.out, 0, NULL);
    const char *const path[] = {"spec", "template", "metadata", "labels", "kai.scheduler/queue"};
    const json_t *at = result;
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        at = json_object_get(at, path[i]);
    assert_string_equal(json_string_value(at), expected);
    json_decref(result);
    run_dispose(&run);
    free(input);
    json_decref(object);
}

static void mutate__takes_a_queue_for_workloads_that_name_none(void **state)
{
    (void)state;
    assert_queue(NULL, "mutate -o json -f - --queue b", "b");
    assert_queue("a", "mutate -o json -f - --queue b", "a");
}

static void mutate__writes_for_the_profile_that_is_named(void **state)
{
    (void)state;
    struct run run =
        run_kartactl("mutate -o patch --profile kai-native -f manifests/examples/job.yaml");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\"kai.scheduler/batch-min-member\": \"4\""));
    assert_null(strstr(run.out, "pod-group-name"));
    run_dispose(&run);
}

static void mutate__names_the_profiles_when_one_is_unknown(void **state)
{
    (void)state;
    assert_run("mutate --profile kia -f manifests/examples/job.yaml", 3, "",
               "kartactl: no profile \"kia\"; there are: coscheduling, "
               "kai-native, kai, kueue-pods, kueue, native, volcano, yunikorn\n");
}

static void mutate__passes_on_what_no_definition_covers(void **state)
{
    (void)state;
    struct run run = run_kartactl_with(SERVICE, "mutate -o json -f - -f "
                                                "manifests/examples/deployment.yaml");
    assert_int_equal(run.code, 0);
    json_t *list = json_loads(run.out, 0, NULL);
    json_t *service =
        test_json("{'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': 'x'}}");
    assert_string_equal(json_string_value(json_object_get(list, "kind")), "List");
    assert_json_equal(json_array_get(json_object_get(list, "items"), 0), service);
    json_decref(service);
    json_decref(list);
    run_dispose(&run);
}

static void mutate__fails_where_nothing_is_covered(void **state)
{
    (void)state;
    assert_run_with(SERVICE, "mutate -f -", 4, "",
                    "kartactl: standard input: no definition covers v1 Service\n");
}

static void mutate__says_that_a_server_is_not_there(void **state)
{
    (void)state;
    struct run run = run_kartactl(
        "mutate -f manifests/examples/job.yaml --server https://127.0.0.1:1/ --ca-file "
        "/etc/ssl/certs/ca-certificates.crt");
    assert_int_equal(run.code, 6);
    assert_string_equal(run.out, "");
    assert_memory_equal(run.err, "kartactl: https://127.0.0.1:1/mutate/workloads: ", 48);
    run_dispose(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutate__as_a_diff_only_adds),
        cmocka_unit_test(mutate__is_the_same_again_and_again),
        cmocka_unit_test(mutate__of_a_patched_object_is_an_empty_patch),
        cmocka_unit_test(mutate__takes_a_queue_for_workloads_that_name_none),
        cmocka_unit_test(mutate__writes_for_the_profile_that_is_named),
        cmocka_unit_test(mutate__names_the_profiles_when_one_is_unknown),
        cmocka_unit_test(mutate__passes_on_what_no_definition_covers),
        cmocka_unit_test(mutate__fails_where_nothing_is_covered),
        cmocka_unit_test(mutate__says_that_a_server_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
