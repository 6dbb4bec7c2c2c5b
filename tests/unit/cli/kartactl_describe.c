/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl describe as users run it. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "support.h"

#define JOBSET_TEXT                                                                                \
    "JobSet/train\n"                                                                               \
    "Namespace:   ml\n"                                                                            \
    "Definition:  jobset-x-k8s-io-jobset-v1alpha2 "                                                \
    "(built-in:jobset.x-k8s.io-jobset-v1alpha2.yaml)\n"                                            \
    "Queue:       team-a\n"                                                                        \
    "\n"                                                                                           \
    "jobset             3 pods  12 GPUs\n"                                                         \
    "`-- replicatedjob\n"                                                                          \
    "    |-- leader     1 pod   4 GPUs\n"                                                          \
    "    `-- workers    2 pods  8 GPUs\n"                                                          \
    "\n"                                                                                           \
    "Phase: Initializing\n"                                                                        \
    "\n"                                                                                           \
    "POD GROUP              MIN-MEMBER  PODS  SUBGROUPS\n"                                         \
    "train-jobset-????????  3           3     1 leader, 2 workers\n"                               \
    "\n"                                                                                           \
    "COMPONENT              REPLICAS  GPU  CPU  MEMORY\n"                                          \
    "replicatedjob/leader   1         4    -    -\n"                                               \
    "replicatedjob/workers  2         8    -    -\n"                                               \
    "TOTAL                  3         12   -    -\n"

#define DEPLOYMENT_TEXT                                                                            \
    "Deployment/web\n"                                                                             \
    "Namespace:   shop\n"                                                                          \
    "Definition:  apps-deployment-v1 (built-in:apps-deployment-v1.yaml)\n"                         \
    "\n"                                                                                           \
    "deployment  3 pods\n"                                                                         \
    "\n"                                                                                           \
    "Phase: Initializing\n"                                                                        \
    "\n"                                                                                           \
    "Pod groups: none\n"                                                                           \
    "\n"                                                                                           \
    "COMPONENT   REPLICAS  GPU  CPU   MEMORY\n"                                                    \
    "deployment  3         0    750m  384Mi\n"                                                     \
    "TOTAL       3         0    750m  384Mi\n"

static void describe__shows_the_jobset(void **state)
{
    (void)state;
    assert_run("describe -f manifests/examples/jobset.yaml", 0, JOBSET_TEXT, "");
}

static void describe__reads_json_from_standard_input(void **state)
{
    (void)state;
    char *review_text = test_read("manifests/examples/jobset-review.json", NULL);
    json_t *review = json_loads(review_text, 0, NULL);
    json_t *object = json_object_get(json_object_get(review, "request"), "object");
    json_object_del(json_object_get(object, "metadata"), "creationTimestamp"); /* no age */
    char *input = json_dumps(object, 0);
    assert_run_with(input, "describe -f -", 0, JOBSET_TEXT, "");
    free(input);
    json_decref(review);
    free(review_text);
}

static void describe__shows_the_pytorchjob(void **state)
{
    (void)state;
    assert_run(
        "describe -f manifests/examples/pytorchjob.yaml", 0,
        "PyTorchJob/bert\n"
        "Namespace:   ml\n"
        "Definition:  kubeflow-org-pytorchjob-v1 (built-in:kubeflow.org-pytorchjob-v1.yaml)\n"
        "Queue:       team-a\n"
        "\n"
        "pytorchjob  5 pods  4 GPUs\n"
        "|-- master  1 pod\n"
        "`-- worker  4 pods  4 GPUs\n"
        "\n"
        "Phase: Initializing\n"
        "\n"
        "POD GROUP                 MIN-MEMBER  PODS  SUBGROUPS\n"
        "bert-pytorchjob-????????  3           5     1 master, 2 worker  worker: minReplicas 2 of "
        "4\n"
        "\n"
        "COMPONENT  REPLICAS  GPU  CPU  MEMORY\n"
        "master     1         0    2    8Gi\n"
        "worker     4         4    32   256Gi\n"
        "TOTAL      5         4    34   264Gi\n",
        "");
}

static void describe__shows_the_job(void **state)
{
    (void)state;
    assert_run("describe -f manifests/examples/job.yaml", 0,
               "Job/allreduce\n"
               "Namespace:   ml\n"
               "Definition:  batch-job-v1 (built-in:batch-job-v1.yaml)\n"
               "Queue:       team-a\n"
               "\n"
               "job  4 pods  4 GPUs\n"
               "\n"
               "Phase: Initializing\n"
               "\n"
               "POD GROUP               MIN-MEMBER  PODS  SUBGROUPS\n"
               "allreduce-job-????????  4           4     4 job\n"
               "\n"
               "COMPONENT  REPLICAS  GPU  CPU  MEMORY\n"
               "job        4         4    2    4Gi\n"
               "TOTAL      4         4    2    4Gi\n",
               "");
}

static void describe__shows_every_document_in_order(void **state)
{
    (void)state;
    assert_run("describe -f manifests/examples/deployment.yaml -f manifests/examples/jobset.yaml",
               0, DEPLOYMENT_TEXT "\n" JOBSET_TEXT, "");
}

static void describe__shows_the_name_that_a_ganged_workload_has(void **state)
{
    (void)state;
    struct run mutated = run_kartactl("mutate -f manifests/examples/jobset.yaml");
    const char *at = strstr(mutated.out, "pod-group-name: train-jobset-");
    assert_non_null(at);
    char row[] = "\ntrain-jobset-????????  3 ";
    memcpy(row + 1, at + strlen("pod-group-name: "), strlen("train-jobset-????????"));
    struct run run = run_kartactl_with(mutated.out, "describe -f -");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, row));
    assert_null(strstr(run.out, "????????"));
    run_dispose(&run);
    run_dispose(&mutated);
}

static json_t *run_json(const char *arguments)
{
    struct run run = run_kartactl(arguments);
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    json_t *value = json_loads(run.out, 0, NULL);
    assert_non_null(value);
    run_dispose(&run);
    return value;
}

static void describe__of_one_in_json_is_its_view(void **state)
{
    (void)state;
    json_t *view = run_json("describe -o json -f manifests/examples/jobset.yaml");
    json_t *totals = test_json("{'pods': 3, 'gpus': 12, 'requests': {'nvidia.com/gpu': '12'}}");
    assert_json_equal(json_object_get(view, "totals"), totals);
    json_decref(totals);
    json_decref(view);
}

static void describe__of_several_in_json_is_a_list_in_input_order(void **state)
{
    (void)state;
    json_t *list = run_json("describe -o json -f manifests/examples/jobset.yaml "
                            "-f manifests/examples/deployment.yaml");
    json_t *items = json_object_get(list, "items");
    assert_int_equal(json_array_size(items), 2);
    json_t *first = run_json("describe -o json -f manifests/examples/jobset.yaml");
    assert_json_equal(json_array_get(items, 0), first);
    json_t *second = run_json("describe -o json -f manifests/examples/deployment.yaml");
    assert_json_equal(json_array_get(items, 1), second);
    json_decref(first);
    json_decref(second);
    json_decref(list);
}

static void describe__fills_in_the_namespace_of_objects_that_name_none(void **state)
{
    (void)state;
    struct run run =
        run_kartactl_with("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
                          "spec: {template: {spec: {containers: [{name: c, image: i}]}}}\n",
                          "describe -n shop -f -");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "Namespace:   shop\n"));
    run_dispose(&run);
}

/* An object may be written in a version that the catalog has no definition for. */
static void describe__reads_another_version_and_says_so(void **state)
{
    (void)state;
    struct run run = run_kartactl_with(
        "{apiVersion: apps/v1beta2, kind: Deployment, metadata: {name: web, namespace: shop}}",
        "describe -f -");
    const char *const begin = "Deployment/web\nNamespace:   shop\nDefinition:  apps-deployment-v1 ";
    assert_int_equal(run.code, 0);
    assert_string_equal(run.err, "warning: standard input: no definition is for apps/v1beta2; it "
                                 "is read as apps/v1\n");
    assert_true(strncmp(run.out, begin, strlen(begin)) == 0);
    run_dispose(&run);
    assert_run_with("{apiVersion: apps.example.com/v1, kind: Deployment, metadata: {name: web}}",
                    "describe -f -", 4, "",
                    "kartactl: standard input: no definition covers apps.example.com/v1 "
                    "Deployment\n");
}

static void describe__names_a_kind_without_a_definition(void **state)
{
    (void)state;
    assert_run_with("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n", "describe -f -", 4, "",
                    "kartactl: standard input: no definition covers v1 Service\n");
}

static void describe__does_the_others_when_a_file_is_unreadable(void **state)
{
    (void)state;
    assert_run("describe -f nowhere.yaml -f manifests/examples/deployment.yaml", 1, DEPLOYMENT_TEXT,
               "kartactl: cannot read nowhere.yaml: no such file or directory\n");
}

static void describe__names_documents_that_are_no_objects(void **state)
{
    (void)state;
    assert_run_with("[1]\n---\nkind: Job\n---\n7\n", "describe -f -", 5, "",
                    "kartactl: standard input: document 1: is no Kubernetes object\n"
                    "kartactl: standard input: document 2: is no Kubernetes object: apiVersion and "
                    "kind are needed\n"
                    "kartactl: standard input: document 3: is no Kubernetes object\n");
}

static void describe__refuses_an_empty_input(void **state)
{
    (void)state;
    assert_run_with("", "describe -f -", 5, "", "kartactl: standard input: holds no document\n");
}

static void describe__says_where_yaml_is_broken(void **state)
{
    (void)state;
    struct run run = run_kartactl_with("a: 1\nb: [\n", "describe -f -");
    assert_int_equal(run.code, 5);
    assert_string_equal(run.out, "");
    assert_memory_equal(run.err, "kartactl: standard input:3:1: ", 30);
    run_dispose(&run);
}

static void describe__is_silent_about_a_closed_pipe(void **state)
{
    (void)state;
    struct run run = run_kartactl("describe -f manifests/examples/jobset.yaml | true");
    assert_string_equal(run.err, "");
    run_dispose(&run);
    run = run_kartactl("describe -f manifests/examples/jobset.yaml >/dev/full");
    assert_string_equal(run.err, "kartactl: cannot write output: No space left on device\n");
    assert_int_equal(run.code, 1);
    run_dispose(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describe__shows_the_jobset),
        cmocka_unit_test(describe__reads_json_from_standard_input),
        cmocka_unit_test(describe__shows_the_pytorchjob),
        cmocka_unit_test(describe__shows_the_job),
        cmocka_unit_test(describe__shows_every_document_in_order),
        cmocka_unit_test(describe__shows_the_name_that_a_ganged_workload_has),
        cmocka_unit_test(describe__of_one_in_json_is_its_view),
        cmocka_unit_test(describe__of_several_in_json_is_a_list_in_input_order),
        cmocka_unit_test(describe__fills_in_the_namespace_of_objects_that_name_none),
        cmocka_unit_test(describe__reads_another_version_and_says_so),
        cmocka_unit_test(describe__names_a_kind_without_a_definition),
        cmocka_unit_test(describe__does_the_others_when_a_file_is_unreadable),
        cmocka_unit_test(describe__names_documents_that_are_no_objects),
        cmocka_unit_test(describe__refuses_an_empty_input),
        cmocka_unit_test(describe__says_where_yaml_is_broken),
        cmocka_unit_test(describe__is_silent_about_a_closed_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
