/* SPDX-License-Identifier: Apache-2.0 */
/* kartactl check as users run it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "run.h"
#include "support.h"

#define EXAMPLE "manifests/examples/jobset.yaml"

#define HEAD "apiVersion: workloadmap.dev/v1alpha1\nkind: WorkloadPolicy\n"
#define DEPLOYMENT(name)                                                                           \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " name "}\n"                          \
    "spec: {template: {spec: {containers: [{name: main, image: x}]}}}\n"

static void check__says_what_each_rule_says(void **state)
{
    (void)state;
    assert_run("check --policy manifests/policies/gpu-limit.yaml -f " EXAMPLE, 5,
               "JobSet/train: denied, asked 1 policy\n"
               "  Deny gpu-limit: asks for 12 GPUs; 8 may be used in one workload\n",
               "");
    assert_run("check --policy manifests/policies/pod-security.yaml --policy "
               "manifests/policies/registry.yaml --policy manifests/policies/spot.yaml "
               "-f manifests/examples/deployment.yaml -f " EXAMPLE,
               0,
               "Deployment/web: allowed, asked 3 policies\n"
               "  pass pod-security[0]\n"
               "  pass pod-security[1]\n"
               "  pass registry\n"
               "  skipped spot: match condition does-not-serve is false\n"
               "JobSet/train: allowed, asked 3 policies\n"
               "  pass pod-security[0]\n"
               "  pass pod-security[1]\n"
               "  pass registry\n"
               "  pass spot\n",
               "");
    assert_run("check --policy manifests/policies/queue.yaml -f " EXAMPLE, 0,
               "JobSet/train: allowed, no policy concerns it\n", "");
}

static void check__takes_a_folder_of_policies(void **state)
{
    (void)state;
    assert_run_with("apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: night}\nspec:\n"
                    "  jobTemplate: {spec: {template: {spec: {containers: [{name: main}]}}}}\n",
                    "check --policy manifests/policies -f -", 5,
                    "CronJob/night: denied, asked 9 policies\n"
                    "  skipped gpu-limit: match condition uses-gpus is false\n"
                    "  pass image-tags\n"
                    "  Deny max-run-time: says no maximum run time: set activeDeadlineSeconds, to "
                    "604800 (seven days) at most\n"
                    "  pass pod-security[0]\n"
                    "  pass pod-security[1]\n"
                    "  pass priority-classes\n"
                    "  skipped queue-required: match condition uses-gpus is false\n"
                    "  pass registry\n"
                    "  Deny resources: no requests and limits for cpu and memory: main of pod\n"
                    "  pass spot\n",
                    "");
}

static void check__tells_what_failed_from_what_is_false(void **state)
{
    (void)state;
    assert_run_with(HEAD "metadata: {name: loose}\nspec:\n  failurePolicy: Ignore\n"
                         "  validationActions: [Warn, Audit]\n  validations:\n"
                         "  - expression: .workload.name + 1 == 2\n"
                         "  - {expression: .totals.pods == 1, message: is alone}\n"
                         "---\n" HEAD "metadata: {name: strict}\nspec:\n"
                         "  matchConditions: [{name: odd, expression: .workload.name + 1}]\n"
                         "  validations: [{expression: 'true'}]\n",
                    "check --definitions /dev/stdin -f " EXAMPLE, 5,
                    "JobSet/train: denied, asked 2 policies\n"
                    "  ignored loose[0]: string and number cannot be added, in expression "
                    ".workload.name + 1 == 2\n"
                    "  Warn,Audit loose[1]: is alone\n"
                    "  Deny strict: match condition odd: string and number cannot be added\n",
                    "");
}

static void check__names_the_component_that_cannot_be_read(void **state)
{
    (void)state;
    assert_run_with(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
        "metadata: {generateName: train-}\nspec:\n"
        "  replicatedJobs: [{name: a, replicas: two, template: {spec: {template: {}}}}]\n",
        "check --policy manifests/policies/gpu-limit.yaml -f -", 5,
        "JobSet/train-*: denied, asked 1 policy\n"
        "  Deny gpu-limit: component replicatedjob: replicasPath: string where a number "
        "belongs\n",
        "");
}

static void check__leaves_the_cluster_s_own_namespaces_alone(void **state)
{
    (void)state;
    assert_run_with(DEPLOYMENT("x"),
                    "check --policy manifests/policies/registry.yaml -n kube-system -f -", 0,
                    "Deployment/x: allowed, no policy concerns it\n", "");
    assert_run_with(DEPLOYMENT("x"),
                    "check --policy manifests/policies/registry.yaml -n other -f -", 5,
                    "Deployment/x: denied, asked 1 policy\n"
                    "  Deny registry: images from elsewhere than registry.example.com/ and "
                    "nvcr.io/nvidia/: x\n",
                    "");
}

static void check__annotates_the_lines_of_files(void **state)
{
    (void)state;
    char path[] = "/tmp/karta-check,100%:XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char text[] = "# first\n\n" DEPLOYMENT("a") "---\n---\n# b\n" DEPLOYMENT(
        "b") "---\n"
             "apiVersion: v1\nkind: List\nitems:\n"
             "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: c}}\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    char arguments[128];
    snprintf(arguments, sizeof arguments, "check -o github --definitions /dev/stdin -f %s", path);
    KARTA_AUTO_TEXT out =
        mem_format("::error file=/tmp/karta-check%%2C100%%25%%3A%s,line=3,title=policy "
                   "all::Deployment/a: 100%%25 no\n"
                   "::error file=/tmp/karta-check%%2C100%%25%%3A%s,line=10,title=policy "
                   "all::Deployment/b: 100%%25 no\n"
                   "::error file=/tmp/karta-check%%2C100%%25%%3A%s,line=15,title=policy "
                   "all::Deployment/c: 100%%25 no\n",
                   path + strlen(path) - 6, path + strlen(path) - 6, path + strlen(path) - 6);
    assert_run_with(HEAD "metadata: {name: all}\nspec:\n"
                         "  validations: [{expression: 'false', message: 100% no}]\n",
                    arguments, 5, out, "");
    unlink(path);
}

static void check__annotates_by_what_is_done(void **state)
{
    (void)state;
#define DOES(name, action)                                                                         \
    HEAD "metadata: {name: " name "}\nspec:\n  validationActions: [" action "]\n"                  \
         "  validations: [{expression: 'false', message: not so}]\n---\n"
    assert_run_with(
        DOES("a", "Audit") DOES("b", "Warn, Audit") DOES("c", "Deny"),
        "check -o github --definitions /dev/stdin -f ./manifests/examples/deployment.yaml", 5,
        "::notice file=manifests/examples/deployment.yaml,line=3,title=policy a::Deployment/web: "
        "not so\n"
        "::warning file=manifests/examples/deployment.yaml,line=3,title=policy b::Deployment/web: "
        "not so\n"
        "::error file=manifests/examples/deployment.yaml,line=3,title=policy c::Deployment/web: "
        "not so\n",
        "");
    assert_run_with("{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\",\n"
                    "\"metadata\": {\"name\": \"x\"}}",
                    "check -o github --policy manifests/policies/gpu-limit.yaml -f -", 0, "", "");
    assert_run_with(DEPLOYMENT("x"),
                    "check -o github --policy manifests/policies/registry.yaml -f -", 5,
                    "::error title=policy registry::Deployment/x: images from elsewhere than "
                    "registry.example.com/ and nvcr.io/nvidia/: x\n",
                    "");
}

static void check__counts_what_no_definition_covers(void **state)
{
    (void)state;
    assert_run_with("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n---\n" DEPLOYMENT("a"),
                    "check --policy manifests/policies/spot.yaml -f -", 0,
                    "Deployment/a: allowed, asked 1 policy\n"
                    "  skipped spot: match condition does-not-serve is false\n"
                    "not asked about: 1 of kinds that no definition covers\n",
                    "");
}

static void check__shows_defaults_that_differ(void **state)
{
    (void)state;
    assert_run_with(
        HEAD
        "metadata: {name: b}\nspec: {defaults: {queue: late}}\n---\n" HEAD
        "metadata: {name: a}\nspec: {defaults: {queue: early}}\n---\n" HEAD
        "metadata: {name: c}\nspec:\n  validations:\n"
        "  - expression: .object.spec.template.metadata.labels[\"kai.scheduler/queue\"]"
        " == \"early\"\n---\n"
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\n"
        "  annotations: {workloadmap.dev/inject: 'true'}\n"
        "spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: a}]}}}\n",
        "check --definitions /dev/stdin -f /dev/stdin", 0,
        "Job/train: allowed, asked 1 policy\n  pass c\nnot asked about: 3 of kinds that no "
        "definition covers\n",
        "warning: /dev/stdin: kind: batch/v1 Job is no Karta (run.ai/v1alpha1), GangProfile or "
        "WorkloadPolicy (workloadmap.dev/v1alpha1)\nwarning: /dev/stdin: document 4: policies a "
        "and b default different queues: early of the first by name is used\n");
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
                    "JobSet/train: allowed, asked 1 policy\n  pass p\n", "");
}

static void check__prints_json(void **state)
{
    (void)state;
    struct run run =
        run_kartactl("check --policy manifests/policies/gpu-limit.yaml -o json -f " EXAMPLE);
    json_t *actual = json_loads(run.out, 0, NULL);
    json_t *expected = test_json(
        "{'workload': {'apiVersion': 'jobset.x-k8s.io/v1alpha2', 'kind': 'JobSet', 'namespace':"
        " 'ml', 'name': 'train'}, 'file': 'manifests/examples/jobset.yaml', 'line': 3, 'allowed':"
        " false, 'policies': [{'name': 'gpu-limit', 'result': 'fail', 'actions': ['Deny'],"
        " 'skippedBy': null, 'messages': [], 'rules': [{'expression': '.totals.gpus <= 8', "
        "'result':"
        " 'fail', 'messages': ['asks for 12 GPUs; 8 may be used in one workload']}]}], 'findings': "
        "[{"
        "'policy': 'gpu-limit', 'actions': ['Deny'], 'failed': false, 'component': null, 'field':"
        " 'spec.validations[0].expression', 'message': 'asks for 12 GPUs; 8 may be used in one"
        " workload'}], 'ignored': [], 'leftOut': 0}");
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

static void check__shows_what_a_policy_is_warned_of(void **state)
{
    (void)state;
    assert_run_with(
        HEAD "metadata: {name: p}\nspec: {validations: [{expression: .totals.gpu <= 8}]}\n",
        "check --policy /dev/stdin -f " EXAMPLE, 0,
        "JobSet/train: allowed, asked 1 policy\n  pass p\n",
        "warning: /dev/stdin: spec.validations[0].expression: reads .totals.gpu, which no "
        "view has (did you mean gpus?)\n");
}

static void check__is_asked_for_in_words_that_exist(void **state)
{
    (void)state;
    assert_run("check", 2, "", "kartactl: check: give a file with -f, or - for standard input\n");
    assert_run("check -f " EXAMPLE, 2, "",
               "kartactl: check: there are no policies: give a file with --policy\n");
    assert_run("check --policy manifests/policies -f /nowhere.yaml", 1, "",
               "kartactl: cannot read /nowhere.yaml: no such file or directory\n");
    assert_run("check --policy /nowhere.yaml -f " EXAMPLE, 1, "",
               "kartactl: cannot read /nowhere.yaml: no such file or directory\n");
    assert_run("check --policy manifests/policies -o xml -f -", 2, "",
               "kartactl: check: -o takes text|json|yaml|github, not \"xml\"\n");
    assert_run("check x -f -", 2, "", "kartactl: check: unexpected \"x\"; give files with -f\n");
    assert_run_with("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n",
                    "check --policy manifests/policies -f -", 4, "",
                    "kartactl: standard input: no definition covers v1 Service\n");
}

static void check__explains_itself(void **state)
{
    (void)state;
    assert_run_file("check --help", "check-help.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__says_what_each_rule_says),
        cmocka_unit_test(check__takes_a_folder_of_policies),
        cmocka_unit_test(check__tells_what_failed_from_what_is_false),
        cmocka_unit_test(check__names_the_component_that_cannot_be_read),
        cmocka_unit_test(check__leaves_the_cluster_s_own_namespaces_alone),
        cmocka_unit_test(check__annotates_the_lines_of_files),
        cmocka_unit_test(check__annotates_by_what_is_done),
        cmocka_unit_test(check__counts_what_no_definition_covers),
        cmocka_unit_test(check__shows_defaults_that_differ),
        cmocka_unit_test(check__sees_the_workload_as_it_is_ganged),
        cmocka_unit_test(check__prints_json),
        cmocka_unit_test(check__fails_on_a_broken_policy),
        cmocka_unit_test(check__shows_what_a_policy_is_warned_of),
        cmocka_unit_test(check__is_asked_for_in_words_that_exist),
        cmocka_unit_test(check__explains_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
