/* SPDX-License-Identifier: Apache-2.0 */
/* Live commands against what the real kubectl said, replayed by a stand-in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "run.h"
#include "support.h"

static int setup(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT path = mem_format("%s/tests/support/kubectl:/usr/bin:/bin", KARTA_SOURCE_DIR);
    KARTA_AUTO_TEXT replay = mem_format("%s/tests/unit/cli/live", KARTA_SOURCE_DIR);
    setenv("PATH", path, 1);
    setenv("KUBECTL_REPLAY", replay, 1);
    setenv("SOURCE_DATE_EPOCH", "1796050800", 1);
    unsetenv("KUBECONFIG");
    unsetenv("KUBECTL_REAL");
    return 0;
}

/* Runs it with another PATH or kubeconfig, and puts the old one back. */
static void assert_run_env(const char *name, const char *value, const char *arguments, int code,
                           const char *err)
{
    const char *old = getenv(name);
    KARTA_AUTO_TEXT kept = old != NULL ? mem_format("%s", old) : NULL;
    setenv(name, value, 1);
    assert_run(arguments, code, "", err);
    if (kept != NULL)
        setenv(name, kept, 1);
    else
        unsetenv(name);
}

/* A kubectl that is this shell script, in a new folder on PATH. */
static void assert_run_script(const char *script, const char *arguments, int code, const char *out,
                              const char *err)
{
    char folder[] = "/tmp/karta-kubectl-XXXXXX";
    assert_non_null(mkdtemp(folder));
    KARTA_AUTO_TEXT file = mem_format("%s/kubectl", folder);
    KARTA_AUTO_TEXT text = mem_format("#!/bin/sh\n%s\n", script);
    KARTA_AUTO_TEXT path = mem_format("%s:/usr/bin:/bin", folder);
    KARTA_AUTO_TEXT kept = mem_format("%s", getenv("PATH"));
    assert_int_equal(file_write(file, text, strlen(text), 0755, NULL), 0);
    setenv("PATH", path, 1);
    struct run run = run_kartactl(arguments);
    setenv("PATH", kept, 1);
    unlink(file);
    rmdir(folder);
    assert_string_equal(run.err, err);
    assert_string_equal(run.out, out);
    assert_int_equal(run.code, code);
    run_dispose(&run);
}

static void describe__shows_live_pods_below_their_instances(void **state)
{
    (void)state;
    assert_run_file("describe jobset/train -n ml", "live-jobset.txt");
    assert_run_file("describe jobset train -n ml", "live-jobset.txt");
    assert_run_file("describe job.batch/solo -n ml", "live-job.txt");
}

static void describe__json_has_the_pods(void **state)
{
    (void)state;
    struct run run = run_kartactl("describe jobset/train -n ml -o json");
    assert_int_equal(run.code, 0);
    json_auto_t *view = json_loads(run.out, 0, NULL);
    json_t *pods = json_object_get(view, "pods");
    assert_int_equal(json_array_size(pods), 3);
    json_auto_t *pending = test_json(
        "{'name': 'train-workers-0-0-x0kq0', 'component': 'replicatedjob', 'instance': 'workers',"
        " 'replica': null, 'status': 'Pending', 'ready': false, 'healthy': false, 'node': null,"
        " 'message': '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'}");
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(pods); i++)
        found += (size_t)json_equal(json_array_get(pods, i), pending);
    assert_int_equal(found, 1);
    run_dispose(&run);
}

static void describe__counts_what_the_limit_hides(void **state)
{
    (void)state;
    struct run run = run_kartactl("describe jobset/train -n ml --pod-limit 1");
    assert_non_null(strstr(run.out, "|-- train-workers-0-0-x0kq0  Pending"));
    assert_non_null(strstr(run.out, "`-- and 1 more               1/1 ready"));
    assert_null(strstr(run.out, "train-workers-0-1"));
    run_dispose(&run);
    assert_run("describe jobset/train --pod-limit many", 2, "",
               "kartactl: describe: --pod-limit takes a number, not \"many\"\n");
}

static void describe__tells_what_is_missing_apart(void **state)
{
    (void)state;
    assert_run("describe job/solo -n ml", 2, "",
               "kartactl: job/solo: there are several: batch/v1 Job, batch.volcano.sh/v1alpha1 "
               "Job; give the type with its group, as in jobs.batch/NAME\n");
    assert_run("describe jobsets nothere -n ml", 3, "",
               "kartactl: kubectl: jobsets.jobset.x-k8s.io \"nothere\" not found\n");
    assert_run("describe jobsts/train -n ml", 3, "",
               "kartactl: the cluster has no type \"jobsts\"; did you mean jobsets?\n");
    assert_run("describe svc/kubernetes -n default", 4, "",
               "kartactl: svc/kubernetes: no definition covers v1 Service\n");
    assert_run("describe jobset/train -n ml --context nobody", 6, "",
               "kartactl: kubectl: jobsets.jobset.x-k8s.io \"train\" is forbidden: User \"nobody\" "
               "cannot get resource \"jobsets\" in API group \"jobset.x-k8s.io\" in the namespace "
               "\"ml\"\n");
}

static void describe__checks_how_names_are_given(void **state)
{
    (void)state;
    assert_run("describe jobset", 2, "", "kartactl: describe: give a name too: jobset/NAME\n");
    assert_run("describe jobset/", 2, "", "kartactl: describe: \"jobset/\" is not TYPE/NAME\n");
    assert_run("describe jobset/-x", 2, "", "kartactl: describe: \"jobset/-x\" is not TYPE/NAME\n");
    assert_run("describe jobset/a b", 2, "",
               "kartactl: describe: \"b\": give either TYPE NAME or TYPE/NAME\n");
    assert_run("describe -f x jobset/a", 2, "",
               "kartactl: describe: give either a file or \"jobset/a\", not both\n");
}

static void describe__without_pods_that_may_be_listed_counts_none(void **state)
{
    (void)state;
    struct run run = run_kartactl("describe job.batch/solo -n ml --context partial");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\njob  1 pod  4 GPUs\n"));
    assert_string_equal(run.err,
                        "warning: kubectl: pods is forbidden: User \"partial\" cannot list "
                        "resource \"pods\" in API group \"\" in the namespace \"ml\"\n");
    run_dispose(&run);
}

static void get__lists_top_level_workloads_of_every_kind(void **state)
{
    (void)state;
    assert_run_file("get --all-types -n ml", "live-get.txt");
    assert_run_file("get job -A -o wide", "live-get-wide.txt");
}

static void get__keeps_those_in_a_phase(void **state)
{
    (void)state;
    assert_run("get --all-types -n ml --phase running", 0,
               "KIND  NAME   PHASE    PODS  GPUS  QUEUE  AGE\n"
               "Pod   loose  Running  1     4     -      48m\n",
               "");
    assert_run("get --all-types --phase Runing", 2, "",
               "kartactl: get: no phase \"Runing\"; did you mean Running?\n");
}

static void get__json_is_always_a_list(void **state)
{
    (void)state;
    struct run run = run_kartactl("get --all-types -n ml --phase running -o json");
    json_auto_t *list = json_loads(run.out, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(list, "items")), 1);
    run_dispose(&run);
    assert_run("get jobs.batch -n ml -l app=none", 0, "", "no workloads found in namespace ml\n");
    run = run_kartactl("get jobs.batch -n ml -l app=none -o json");
    assert_string_equal(run.out, "{\n  \"items\": []\n}\n");
    run_dispose(&run);
}

static void get__keeps_a_partial_list_with_warnings(void **state)
{
    (void)state;
    struct run run = run_kartactl("get --all-types -n ml --context partial");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\nPyTorchJob  bert "));
    assert_non_null(strstr(run.err, "warning: kubectl: jobsets.jobset.x-k8s.io is forbidden: User "
                                    "\"partial\" cannot list resource"));
    run_dispose(&run);
}

static void get__tells_clusters_apart_that_do_not_answer(void **state)
{
    (void)state;
    assert_run("get jobs --context wrong", 6, "",
               "kartactl: kubectl: You must be logged in to the server (the server has asked for "
               "the client to provide credentials)\n");
    assert_run("get jobs --context refused", 6, "",
               "kartactl: kubectl: The connection to the server 127.0.0.1:1 was refused - did you "
               "specify the right host or port?\n");
    assert_run("get jobs --context nope", 6, "",
               "kartactl: kubectl: context \"nope\" does not exist\n");
    struct run run = run_kartactl("get --all-types -n ml --context nobody");
    assert_int_equal(run.code, 6);
    assert_string_equal(run.out, "");
    run_dispose(&run);
}

static void live__needs_kubectl_and_the_kubeconfig_that_is_named(void **state)
{
    (void)state;
    assert_run_env("PATH", "/nowhere", "get jobs", 6,
                   "kartactl: there is no kubectl on PATH, and live reads go through it; files are "
                   "read with -f\n");
    assert_run("get jobs --kubeconfig /nowhere", 6, "",
               "kartactl: --kubeconfig /nowhere: no such file\n");
    assert_run_env("KUBECONFIG", "/nowhere:/no/more", "get jobs", 6,
                   "kartactl: KUBECONFIG=/nowhere:/no/more: no such file\n");
}

static void live__gives_kubectl_the_users_home_and_no_shell(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT err = mem_format("kartactl: kubectl: home %s\n", getenv("HOME"));
    assert_run_script("echo \"error: home $HOME\" >&2; exit 1", "get jobs", 1, "", err);
    /* the word would be two commands for a shell */
    assert_run_script(
        "case \"$1\" in api-resources) echo 'jobs batch/v1 true Job';; *) echo \"error: $*\" "
        ">&2; exit 1;; esac",
        "get jobs -n 'a; touch b'", 1, "",
        "kartactl: kubectl: get jobs.v1.batch -o json -n a; touch b\n");
}

static void live__survives_a_kubectl_that_talks_nonsense(void **state)
{
    (void)state;
    assert_run_script("exit 3", "get jobs", 1, "",
                      "kartactl: kubectl failed and does not say why\n");
    assert_run_script("echo hello", "get jobs", 3, "",
                      "kartactl: the cluster has no type \"jobs\"\n");
    assert_run_script(
        "case $1 in api-resources) echo 'jobs batch/v1 true Job';; *) echo '{]';; esac", "get jobs",
        1, "",
        "kartactl: kubectl get jobs.v1.batch: not JSON: string or '}' expected near "
        "']'\n");
    /* what it leaves behind holds its pipes open */
    KARTA_AUTO_TEXT leave = mem_format("sleep 300 & echo $! >/tmp/kartactl-left-%d; "
                                       "echo 'error: gone' >&2; exit 1",
                                       (int)getpid());
    KARTA_AUTO_TEXT clean =
        mem_format("kill $(cat /tmp/kartactl-left-%d); rm /tmp/kartactl-left-%d", (int)getpid(),
                   (int)getpid());
    assert_run_script(leave, "get jobs", 1, "", "kartactl: kubectl: gone\n");
    assert_int_equal(system(clean), 0);
    assert_run_script("kill -9 $$", "get jobs", 1, "",
                      "kartactl: kubectl failed and does not say why\n");
}

#define WIDGET_KARTA                                                                               \
    "{\"apiVersion\":\"run.ai/v1alpha1\",\"kind\":\"Karta\",\"metadata\":{\"name\":\"%s\"},"       \
    "\"spec\":{\"structureDefinition\":{\"rootComponent\":{\"name\":\"%s\",\"kind\":{\"group\":"   \
    "\"%s\",\"version\":\"v1\",\"kind\":\"%s\"},\"specDefinition\":{\"podTemplateSpecPath\":"      \
    "\".spec.template\"},\"scaleDefinition\":{\"replicasPath\":\".spec | (.size // 1)\"},"         \
    "\"statusDefinition\":{\"phaseDefinition\":{\"path\":\".status.phase\"},\"statusMappings\":"   \
    "{\"running\":[{\"byPhase\":\"Up\"}]}}}}}}"

/* A kind that only the cluster knows, and a definition that the cluster has of a kind of ours. */
static void live__takes_the_definitions_of_the_cluster(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT widget = mem_format(WIDGET_KARTA, "widgets", "widget", "x.io", "Widget");
    KARTA_AUTO_TEXT job = mem_format(WIDGET_KARTA, "jobs", "ours", "batch", "Job");
    KARTA_AUTO_TEXT script = mem_format(
        "case \"$*\" in\n"
        "api-resources*) echo 'kartas krt run.ai/v1alpha1 false Karta'\n"
        "  echo 'widgets x.io/v1 true Widget'; echo 'jobs batch/v1 true Job';;\n"
        "*kartas*) echo '{\"items\":[%s,%s]}';;\n"
        "*widgets.v1.x.io,jobs.v1.batch*|*widgets.v1.x.io\\ *) echo "
        "'{\"items\":[{\"apiVersion\":\"x.io/"
        "v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\",\"uid\":"
        "\"1\"},\"spec\":{\"size\":7,\"template\":{}},\"status\":{\"phase\":\"Up\"}},"
        "{\"apiVersion\":\"batch/"
        "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"of-w\",\"uid\":\"2\","
        "\"ownerReferences\":[{\"apiVersion\":\"x.io/"
        "v1\",\"kind\":\"Widget\",\"name\":\"w\",\"uid\":"
        "\"1\"}]}},"
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"uid\":\"3\"},"
        "\"spec\":{\"size\":2,\"template\":{}}}]}';;\n"
        "*) echo \"error: $*\" >&2; exit 1;;\nesac",
        widget, job);
    assert_run_script(script, "get --all-types", 0,
                      "KIND    NAME  PHASE      PODS  GPUS  QUEUE  AGE\n"
                      "Job     j     Undefined  2     0     -      -\n"
                      "Widget  w     Running    7     0     -      -\n",
                      "");
}

/* Through a terminal of its own, of 100 columns: what it shows there, lines ended by CR LF. */
static void assert_shows(const char *script, const char *arguments, const char *text,
                         const char *never)
{
    char folder[] = "/tmp/karta-kubectl-XXXXXX";
    assert_non_null(mkdtemp(folder));
    KARTA_AUTO_TEXT file = mem_format("%s/kubectl", folder);
    assert_int_equal(file_write(file, script, strlen(script), 0755, NULL), 0);
    KARTA_AUTO_TEXT command = mem_format(
        "cd '%s' && PATH=%s:$PATH COLUMNS=100 script -qec '%s/bin/kartactl %s' /dev/null "
        "</dev/null",
        KARTA_SOURCE_DIR, folder, KARTA_BINARY_DIR, arguments);
    FILE *pipe = popen(command, "r");
    static char out[65536];
    assert_non_null(pipe);
    size_t size = fread(out, 1, sizeof out - 1, pipe);
    out[size] = '\0';
    pclose(pipe);
    unlink(file);
    rmdir(folder);
    if (strstr(out, text) == NULL)
        fail_msg("no \"%s\" in: %s", text, out);
    assert_null(strstr(out, never));
}

#define REPLAY "#!/bin/sh\nexec tests/support/kubectl/kubectl \"$@\"\n"

static void live__says_on_a_terminal_that_it_waits(void **state)
{
    (void)state;
    assert_shows("#!/bin/sh\nsleep 3\necho 'error: late' >&2\nexit 1\n", "get jobs",
                 "\rwaiting for the cluster, 1 s ", "\n\rwaiting");
}

static void describe__on_a_terminal_has_boxes_and_cut_lines(void **state)
{
    (void)state;
    assert_shows(REPLAY, "describe jobset/train -n ml", "\u2514\u2500\u2500 replicatedjob",
                 "Insufficient nvidia.com/gpu");
    assert_shows(REPLAY, "describe jobset/train -n ml", "\033[1mJobSet/train\033[0m", "`--");
    setenv("NO_COLOR", "1", 1);
    assert_shows(REPLAY, "describe jobset/train -n ml", "JobSet/train\r\n", "\033[1m");
    unsetenv("NO_COLOR");
}

static void suspend__patches_what_is_in_the_cluster(void **state)
{
    (void)state;
    assert_run("suspend jobset/train -n ml --dry-run", 0,
               "jobset/train suspended (server dry run)\n", "");
    assert_run("suspend jobset/train -n ml", 0, "jobset/train suspended\n", "");
    assert_run("resume jobset/train -n ml", 0, "jobset/train is running already\n", "");
}

static void audit__finds_who_should_start_together(void **state)
{
    (void)state;
    struct run run = run_kartactl("audit --all-types -n ml");
    assert_int_equal(run.code, 5);
    assert_string_equal(run.err, "");
    assert_string_equal(
        run.out,
        "NAMESPACE  KIND        NAME   STATE         MENDED-BY  REASON\n"
        "ml         Job         quiet  not opted in  re-create  it names no queue (label "
        "kai.scheduler/queue), and has no label "
        "workloadmap.dev/inject=true\n"
        "ml         JobSet      train  not ganged    re-create  the webhook was not asked when it "
        "was created; an update never gangs\n"
        "ml         PyTorchJob  bert   not ganged    re-create  the webhook was not asked when it "
        "was created; an update never gangs\n"
        "\n"
        "To opt in: label the workload with its queue, or with workloadmap.dev/inject=true, before "
        "it is created.\n"
        "\n"
        "re-create: delete it and create it again from its manifest; pods that run are lost.\n");
    run_dispose(&run);
    assert_run("audit pod/loose -n ml", 0,
               "NAMESPACE  KIND  NAME   STATE    MENDED-BY  REASON\n"
               "ml         Pod   loose  no gang  -          definition core-pod-v1 has no gang "
               "instructions\n"
               "\n"
               "Where there is no gang of its own, it may be that of an object that it makes: "
               "kartactl audit --all-types lists those too.\n",
               "");
    run = run_kartactl("audit jobset/train -n ml -o json");
    assert_int_equal(run.code, 5);
    json_auto_t *list = json_loads(run.out, 0, NULL);
    json_t *item = json_array_get(json_object_get(list, "items"), 0);
    assert_string_equal(json_string_value(json_object_get(item, "mended")), "re-create");
    run_dispose(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describe__shows_live_pods_below_their_instances),
        cmocka_unit_test(describe__json_has_the_pods),
        cmocka_unit_test(describe__counts_what_the_limit_hides),
        cmocka_unit_test(describe__tells_what_is_missing_apart),
        cmocka_unit_test(describe__checks_how_names_are_given),
        cmocka_unit_test(describe__without_pods_that_may_be_listed_counts_none),
        cmocka_unit_test(get__lists_top_level_workloads_of_every_kind),
        cmocka_unit_test(get__keeps_those_in_a_phase),
        cmocka_unit_test(get__json_is_always_a_list),
        cmocka_unit_test(get__keeps_a_partial_list_with_warnings),
        cmocka_unit_test(get__tells_clusters_apart_that_do_not_answer),
        cmocka_unit_test(live__needs_kubectl_and_the_kubeconfig_that_is_named),
        cmocka_unit_test(live__gives_kubectl_the_users_home_and_no_shell),
        cmocka_unit_test(live__survives_a_kubectl_that_talks_nonsense),
        cmocka_unit_test(live__takes_the_definitions_of_the_cluster),
        cmocka_unit_test(live__says_on_a_terminal_that_it_waits),
        cmocka_unit_test(describe__on_a_terminal_has_boxes_and_cut_lines),
        cmocka_unit_test(suspend__patches_what_is_in_the_cluster),
        cmocka_unit_test(audit__finds_who_should_start_together),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
