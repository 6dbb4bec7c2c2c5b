/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that need no cluster: suspend and audit of files, certs, webhook-config, completion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "run.h"
#include "support.h"

static char folder[] = "/tmp/kartactl-offline-XXXXXX";

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT clean = mem_format("rm -rf '%s'", folder);
    return system(clean);
}

static void assert_begins(const char *text, const char *begin)
{
    if (strncmp(text, begin, strlen(begin)) != 0)
        fail_msg("does not begin with \"%s\": %s", begin, text);
}

static void suspend__prints_patch_and_object(void **state)
{
    (void)state;
    assert_run("suspend -f manifests/examples/jobset.yaml -o patch", 0,
               "[\n  {\n    \"op\": \"add\",\n    \"path\": \"/spec/suspend\",\n    \"value\": "
               "true\n  }\n]\n",
               "");
    struct run run = run_kartactl("suspend -f manifests/examples/jobset.yaml");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\n  suspend: true\n"));
    struct run back = run_kartactl_with(run.out, "resume -f -");
    assert_non_null(strstr(back.out, "\n  suspend: false\n"));
    run_dispose(&back);
    back = run_kartactl_with(run.out, "suspend -f - -o patch");
    assert_string_equal(back.out, "[]\n");
    run_dispose(&back);
    run_dispose(&run);
}

static void suspend__says_who_has_no_way_to(void **state)
{
    (void)state;
    assert_run("suspend -f manifests/examples/deployment.yaml", 1, "",
               "kartactl: manifests/examples/deployment.yaml: definition apps-deployment-v1 says "
               "no way to suspend\n");
    assert_run_with("{apiVersion: v1, kind: Service}", "resume -f -", 4, "",
                    "kartactl: standard input: no definition covers v1 Service\n");
    assert_run("suspend", 2, "", "kartactl: suspend: give either TYPE/NAME or a file with -f\n");
    assert_run("resume job/x -f y", 2, "",
               "kartactl: resume: give either TYPE/NAME or a file with -f\n");
}

static void suspend__does_the_others_when_a_file_is_unreadable(void **state)
{
    (void)state;
    struct run run = run_kartactl("suspend -f nowhere.yaml -f manifests/examples/jobset.yaml");
    assert_int_equal(run.code, 1);
    assert_string_equal(run.err, "kartactl: cannot read nowhere.yaml: no such file or directory\n");
    assert_non_null(strstr(run.out, "suspend: true"));
    run_dispose(&run);
}

static void audit__judges_each_of_a_list(void **state)
{
    (void)state;
    struct run mutated = run_kartactl("mutate -f manifests/examples/jobset.yaml");
    KARTA_AUTO_TEXT input = mem_format(
        "%s---\n"
        "{apiVersion: v1, kind: Service, metadata: {name: s}}\n---\n"
        "{apiVersion: batch/v1, kind: Job, metadata: {name: late, namespace: ml, resourceVersion: "
        "\"1\", labels: "
        "{kai.scheduler/queue: q}}, spec: {parallelism: 2, completions: 2, template: {spec: "
        "{containers: [{name: c}]}}}}\n---\n"
        "{apiVersion: batch/v1, kind: Job, metadata: {name: one, namespace: ml, labels: "
        "{kai.scheduler/queue: q}}, spec: {template: {spec: {containers: [{name: c}]}}}}\n---\n"
        "{apiVersion: batch/v1, kind: Job, metadata: {name: out, labels: {workloadmap.dev/inject: "
        "\"false\"}}, spec: {template: {spec: {containers: [{name: c}]}}}}\n---\n"
        "{apiVersion: batch/v1, kind: Job, metadata: {name: sys, namespace: kube-system, labels: "
        "{kai.scheduler/queue: q}}, spec: {parallelism: 2, completions: 2, template: {spec: "
        "{containers: [{name: c}]}}}}\n",
        mutated.out);
    assert_run_with(
        input, "audit -f -", 5,
        "NAMESPACE  KIND    NAME   STATE         MENDED-BY  REASON\n"
        "ml         JobSet  train  ganged        -          by profile kai\n"
        "ml         Job     late   not ganged    re-create  the webhook was not asked when it was "
        "created; an update never gangs\n"
        "ml         Job     one    not ganged    no         pod group job starts with 1 pod; a "
        "gang "
        "is two or more\n"
        "default    Job     out    not opted in  -          it opted out: workloadmap.dev/inject "
        "is false\n"
        "\n"
        "A ganged workload that doesn't start waits for room: kartactl describe shows what its "
        "pods "
        "say.\n"
        "\n"
        "To opt in: label the workload with its queue, or with workloadmap.dev/inject=true, before "
        "it is created.\n"
        "\n"
        "re-create: delete it and create it again from its manifest; pods that run are lost.\n",
        "");
    run_dispose(&mutated);
}

static void audit__finds_keys_that_were_lost(void **state)
{
    (void)state;
    struct run mutated = run_kartactl("mutate -f manifests/examples/jobset.yaml");
    char *key = strstr(mutated.out, "pod-group-name: train");
    assert_non_null(key);
    memcpy(key, "xod-group-name", strlen("xod-group-name"));
    struct run run = run_kartactl_with(mutated.out, "audit -f - -o json");
    json_auto_t *list = json_loads(run.out, 0, NULL);
    json_t *item = json_array_get(json_object_get(list, "items"), 0);
    assert_int_equal(run.code, 5);
    assert_string_equal(json_string_value(json_object_get(item, "state")), "incomplete");
    assert_string_equal(json_string_value(json_object_get(item, "mended")), "re-create");
    run_dispose(&run);
    run_dispose(&mutated);
}

/* A list that holds PodGroups tells which are not there; one without says nothing of them. */
static void audit__finds_pod_groups_that_are_missing(void **state)
{
    (void)state;
    struct run mutated = run_kartactl("mutate -f manifests/examples/jobset.yaml");
    struct run made = run_kartactl_with(mutated.out, "podgroups -f -");
    const char *name = strstr(made.out, "name: train-jobset-");
    assert_non_null(name);
    KARTA_AUTO_TEXT group = strndup(name + strlen("name: "), strcspn(name, "\n") - 6);
    KARTA_AUTO_TEXT whole = mem_format("%s---\n%s", mutated.out, made.out);
    KARTA_AUTO_TEXT other = mem_format(
        "%s---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: other, "
        "namespace: ml}}\n",
        mutated.out);
    KARTA_AUTO_TEXT missing = mem_format(
        "NAMESPACE  KIND    NAME   STATE       MENDED-BY  REASON\n"
        "ml         JobSet  train  incomplete  no         its PodGroup %s is missing: its pods "
        "wait for it\n",
        group);
    struct run run = run_kartactl_with(whole, "audit -f - -o json");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "\"ganged\""));
    run_dispose(&run);
    assert_run_with(other, "audit -f -", 5, missing, "");
    run_dispose(&made);
    run_dispose(&mutated);
}

static void audit__of_what_is_in_order_is_done(void **state)
{
    (void)state;
    assert_run("audit -f manifests/examples/deployment.yaml", 0, "",
               "nothing here starts together\n");
    assert_run("audit -f x --all-types", 2, "",
               "kartactl: audit: give either files or what is in a cluster\n");
    assert_run("audit", 2, "", "kartactl: audit: give a type, such as jobs, or --all-types\n");
}

static void certs__are_made_shown_and_renewed(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT init = mem_format("certs init --dir %s/c --san a.b.svc --san 10.0.0.7", folder);
    KARTA_AUTO_TEXT made =
        mem_format("%s/c: ca.crt, ca.key, tls.crt and tls.key are made\n", folder);
    KARTA_AUTO_TEXT again = mem_format("%s/c: is good as it is; nothing was changed\n", folder);
    KARTA_AUTO_TEXT show = mem_format("certs show --dir %s/c -o json", folder);
    KARTA_AUTO_TEXT renew = mem_format("certs renew --dir %s/c", folder);
    KARTA_AUTO_TEXT renewed = mem_format("%s/c: tls.crt is renewed\n", folder);
    assert_run(init, 0, made, "");
    assert_run(init, 0, again, "");
    struct run first = run_kartactl(show);
    assert_run(renew, 0, renewed, "");
    struct run second = run_kartactl(show);
    json_auto_t *one = json_loads(first.out, 0, NULL), *two = json_loads(second.out, 0, NULL);
    const json_t *before = json_object_get(one, "items"), *after = json_object_get(two, "items");
    /* the CA stays, the certificate is new and is for the same names */
    assert_json_equal(json_object_get(json_array_get(after, 0), "serial"),
                      json_object_get(json_array_get(before, 0), "serial"));
    const json_t *old = json_array_get(before, 1), *new = json_array_get(after, 1);
    assert_json_equal(json_object_get(new, "names"), json_object_get(old, "names"));
    assert_false(json_equal(json_object_get(new, "serial"), json_object_get(old, "serial")));
    assert_non_null(strstr(first.out, "a.b.svc"));
    assert_non_null(strstr(first.out, "10.0.0.7"));
    run_dispose(&first);
    run_dispose(&second);
}

static void certs__says_what_is_missing(void **state)
{
    (void)state;
    assert_run("certs", 2, "", "kartactl: certs: give one of init, renew and show\n");
    assert_run("certs init", 2, "", "kartactl: certs init: give the folder with --dir\n");
    assert_run("certs renew --dir /nowhere", 3, "",
               "kartactl: /nowhere: holds no tls.crt; kartactl certs init makes one\n");
    assert_run("certs show --dir /nowhere", 3, "",
               "kartactl: cannot read /nowhere/ca.crt: no such file or directory\n"
               "kartactl: cannot read /nowhere/tls.crt: no such file or directory\n");
    KARTA_AUTO_TEXT bad = mem_format("certs init --dir %s/d --san 'a b'", folder);
    assert_run(bad, 2, "", "kartactl: san \"a b\" is neither a DNS name nor an IP address\n");
}

static void webhook_config__has_a_rule_for_each_ganged_kind(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT init = mem_format("certs init --dir %s/w", folder);
    KARTA_AUTO_TEXT command = mem_format(
        "webhook-config --ca-file %s/w/ca.crt --service karta-system/hook -o json", folder);
    struct run made = run_kartactl(init);
    run_dispose(&made);
    struct run run = run_kartactl(command);
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    json_auto_t *list = json_loads(run.out, 0, NULL);
    const json_t *items = json_object_get(list, "items");
    assert_int_equal(json_array_size(items), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(items, 0), "kind")),
                        "MutatingWebhookConfiguration");
    assert_string_equal(json_string_value(json_object_get(json_array_get(items, 1), "kind")),
                        "ValidatingWebhookConfiguration");
    assert_non_null(strstr(run.out, "\"jobsets\""));
    assert_null(strstr(run.out, "\"deployments\"")); /* it has no gang */
    assert_non_null(strstr(run.out, "\"name\": \"hook\""));
    run_dispose(&run);
}

static void webhook_config__checks_what_it_is_given(void **state)
{
    (void)state;
    assert_run("webhook-config --url https://a", 2, "",
               "kartactl: webhook-config: give the CA's certificate with --ca-file\n");
    assert_run("webhook-config --ca-file x", 2, "",
               "kartactl: webhook-config: give either --service or --url\n");
    assert_run("webhook-config --ca-file x --url http://a", 2, "",
               "kartactl: webhook-config: --url takes an https:// address, not \"http://a\"\n");
    assert_run("webhook-config --ca-file x --service a", 2, "",
               "kartactl: webhook-config: --service takes NAMESPACE/NAME, not \"a\"\n");
    assert_run("webhook-config --ca-file README.md --url https://a", 5, "",
               "kartactl: README.md: holds no PEM certificate\n");
    assert_run("webhook-config --ca-file /nowhere --url https://a", 1, "",
               "kartactl: cannot read /nowhere: no such file or directory\n");
}

/* The shell itself says what it makes of the script. */
static void completion__completes_in_bash(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reply;
    } cases[] = {
        {"kartactl desc", "describe"},
        {"kartactl get jobse", "jobsets"},
        {"kartactl get --all-n", "--all-namespaces"},
        {"kartactl mutate --profile volc", "volcano"},
        {"kartactl describe -o sv", "svg"},
        {"kartactl certs ren", "renew"},
        {"kartactl definitions show batch-j", "batch-job-v1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KARTA_AUTO_TEXT line =
            mem_format("'%s/bin/kartactl' completion bash > %s/bash && bash -c 'source %s/bash; "
                       "COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _kartactl; "
                       "echo \"${COMPREPLY[*]}\"'",
                       KARTA_BINARY_DIR, folder, folder, cases[i].line);
        KARTA_AUTO_TEXT expected = mem_format("%s\n", cases[i].reply);
        FILE *pipe = popen(line, "r");
        char out[256] = "";
        assert_non_null(pipe);
        size_t size = fread(out, 1, sizeof out - 1, pipe);
        out[size] = '\0';
        pclose(pipe);
        assert_string_equal(out, expected);
    }
}

static void completion__is_there_for_three_shells(void **state)
{
    (void)state;
    struct run run = run_kartactl("completion zsh");
    assert_begins(run.out, "#compdef kartactl\n");
    run_dispose(&run);
    run = run_kartactl("completion fish");
    assert_non_null(strstr(run.out, "complete -c kartactl -n __fish_use_subcommand -a audit -d "));
    assert_non_null(strstr(run.out, "-l profile -x -a 'coscheduling kai"));
    run_dispose(&run);
    assert_run("completion tcsh", 2, "", "kartactl: completion: give one of bash, zsh and fish\n");
}

/* The README shows this one. KARTA_FIXTURE_UPDATE=1 draws it anew. */
static void picture__in_docs_is_as_drawn(void **state)
{
    (void)state;
    assert_run_file("describe -f manifests/examples/jobset.yaml -o svg",
                    "../../../../docs/jobset.svg");
}

static void picture__is_drawn_of_one_workload(void **state)
{
    (void)state;
    struct run run = run_kartactl("describe -f manifests/examples/jobset.yaml -o svg");
    assert_int_equal(run.code, 0);
    assert_begins(run.out, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
    assert_non_null(strstr(run.out, ">gang: 3 of 3 pods start together<"));
    run_dispose(&run);
    assert_run("describe -f manifests/examples/job.yaml -f manifests/examples/jobset.yaml -o svg",
               2, "", "kartactl: describe: -o svg draws one workload, and there are 2\n");
}

static void input__may_be_a_fifo_or_a_million_lines(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT path = mem_format("%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    KARTA_AUTO_TEXT feed =
        mem_format("cat '%s/manifests/examples/deployment.yaml' > %s &", KARTA_SOURCE_DIR, path);
    assert_int_equal(system(feed), 0);
    KARTA_AUTO_TEXT read = mem_format("describe -f %s", path);
    struct run run = run_kartactl(read);
    assert_int_equal(run.code, 0);
    assert_begins(run.out, "Deployment/web\n");
    run_dispose(&run);
    KARTA_AUTO_TEXT many = mem_format("%s/many.yaml", folder);
    KARTA_AUTO_TEXT make = mem_format(
        "awk 'BEGIN{print \"a:\"; for (i = 0; i < 1100000; i++) print \"- x\"}' > %s", many);
    assert_int_equal(system(make), 0);
    KARTA_AUTO_TEXT command = mem_format("describe -f %s", many);
    run = run_kartactl(command);
    assert_int_equal(run.code, 5);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "more than 1000000 values"));
    run_dispose(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspend__prints_patch_and_object),
        cmocka_unit_test(suspend__says_who_has_no_way_to),
        cmocka_unit_test(suspend__does_the_others_when_a_file_is_unreadable),
        cmocka_unit_test(audit__judges_each_of_a_list),
        cmocka_unit_test(audit__finds_keys_that_were_lost),
        cmocka_unit_test(audit__finds_pod_groups_that_are_missing),
        cmocka_unit_test(audit__of_what_is_in_order_is_done),
        cmocka_unit_test(certs__are_made_shown_and_renewed),
        cmocka_unit_test(certs__says_what_is_missing),
        cmocka_unit_test(webhook_config__has_a_rule_for_each_ganged_kind),
        cmocka_unit_test(webhook_config__checks_what_it_is_given),
        cmocka_unit_test(completion__completes_in_bash),
        cmocka_unit_test(completion__is_there_for_three_shells),
        cmocka_unit_test(picture__in_docs_is_as_drawn),
        cmocka_unit_test(picture__is_drawn_of_one_workload),
        cmocka_unit_test(input__may_be_a_fifo_or_a_million_lines),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
