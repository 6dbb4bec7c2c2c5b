/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admission.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "support.h"

static const char *const excluded[] = {"kube-system"};
static const struct admission_config config = {.profile = "kai",
                                               .excluded_namespaces = excluded,
                                               .excluded_namespace_count = 1,
                                               .deadline_ms = 60000};

struct call {
    struct karta_snapshot *snapshot;
    struct admission_answer answer;
    struct admission_record record;
    json_t *response;
};

static void load(struct karta_snapshot *snapshot, const char *name, const char *spec)
{
    json_t *document =
        json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "workloadmap.dev/v1alpha1", "kind",
                  "WorkloadPolicy", "metadata", "name", name, "spec", test_json(spec));
    char *text = json_dumps(document, 0);
    struct karta_problems *problems = karta_problems_new();
    assert_int_equal(karta_snapshot_load(snapshot, text, strlen(text), "test", problems, NULL), 0);
    assert_int_equal(karta_problems_refusals(problems), 0);
    karta_problems_free(problems);
    free(text);
    json_decref(document);
}

/* Sends the example, its request changed so; takes the snapshot. */
static struct call post(struct karta_snapshot *snapshot, const char *change)
{
    struct call call = {.snapshot = snapshot};
    char *bytes = test_read("manifests/examples/jobset-review.json", NULL);
    json_t *review = json_loads(bytes, 0, NULL), *update = test_json(change);
    json_object_update_recursive(json_object_get(review, "request"), update);
    char *text = json_dumps(review, 0);
    admission_handle(ADMISSION_VALIDATE_WORKLOADS, snapshot, &config, text, strlen(text),
                     &call.answer, &call.record);
    json_t *body = json_loadb(call.answer.body, call.answer.size, 0, NULL);
    assert_int_equal(call.answer.status, 200);
    call.response = json_incref(json_object_get(body, "response"));
    assert_string_equal(json_string_value(json_object_get(call.response, "uid")),
                        "3f1c9d1e-52b7-4d7c-8b0e-6d2f5a7c9e10");
    json_decref(body);
    free(text);
    json_decref(update);
    json_decref(review);
    free(bytes);
    return call;
}

static void call_dispose(struct call *call)
{
    admission_answer_dispose(&call->answer);
    json_decref(call->response);
    karta_snapshot_unref(call->snapshot);
}

static void assert_response(struct call *call, const char *expected)
{
    json_t *wanted = test_json(expected);
    json_object_set(wanted, "uid", json_object_get(call->response, "uid"));
    assert_json_equal(call->response, wanted);
    json_decref(wanted);
}

#define GPUS                                                                                       \
    "'validations': [{'expression': '.totals.gpus <= 8', 'messageExpression':"                     \
    " '\\\"asks for \\\\(.totals.gpus) GPUs\\\"'}]"

static void deny__is_a_403_with_every_message(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    load(snapshot, "b", "{" GPUS "}");
    load(snapshot, "a",
         "{'validations': [{'expression': 'false', 'message': 'no'},"
         " {'expression': '.totals.pods == 1'}]}");
    load(snapshot, "c", "{'validations': [{'expression': 'true'}]}");
    struct call call = post(snapshot, "{}");
    assert_response(
        &call,
        "{'allowed': false, 'status': {'status': 'Failure', 'code': 403, 'reason': 'Forbidden',"
        " 'message': 'policy a: no; policy a: failed expression: .totals.pods == 1; policy b: asks"
        " for 12 GPUs', 'details': {'causes': ["
        "{'reason': 'FieldValueForbidden', 'message': 'policy a: no'},"
        "{'reason': 'FieldValueForbidden', 'message': 'policy a: failed expression: .totals.pods =="
        " 1'},"
        "{'reason': 'FieldValueForbidden', 'message': 'policy b: asks for 12 GPUs'}]}}}");
    assert_string_equal(call.record.verdict, "denied");
    assert_memory_equal(call.record.detail, "policy a: no;", 13);
    assert_int_equal(call.answer.decision_count, 3);
    assert_int_equal(call.answer.decisions[0].actions, KARTA_POLICY_DENY);
    assert_string_equal(karta_policy_name(call.answer.decisions[2].policy), "c");
    assert_int_equal(call.answer.decisions[2].actions, 0);
    call_dispose(&call);
}

static void warn_and_audit__let_pass(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    load(snapshot, "gpus", "{" GPUS ", 'validationActions': ['Warn', 'Audit']}");
    struct call call = post(snapshot, "{}");
    assert_response(&call, "{'allowed': true, 'warnings': ['policy gpus: asks for 12 GPUs'],"
                           " 'auditAnnotations': {'policy-failures':"
                           " '[{\\'policy\\':\\'gpus\\',\\'message\\':\\'asks for 12 GPUs\\'}]'}}");
    assert_string_equal(call.record.verdict, "allowed");
    call_dispose(&call);
}

static void component__that_cannot_be_read_is_named(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    load(snapshot, "gpus", "{" GPUS "}");
    struct call call =
        post(snapshot, "{'object': {'spec': {'replicatedJobs': [{'name': 'x', 'replicas': -1,"
                       " 'template': {'spec': {'template': {'spec': {}}}}}]}}}");
    const json_t *status = json_object_get(call.response, "status");
    const json_t *causes = json_object_get(json_object_get(status, "details"), "causes");
    assert_string_equal(json_string_value(json_object_get(json_array_get(causes, 0), "field")),
                        "replicatedjob");
    const char *message = json_string_value(json_object_get(status, "message"));
    assert_memory_equal(message, "policy gpus: component replicatedjob: ", 38);
    call_dispose(&call);
}

static void others__are_allowed(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "{'operation': 'DELETE', 'object': null}",
        "{'operation': 'CONNECT'}",
        "{'subResource': 'status'}",
        "{'subResource': 'scale', 'object': {'apiVersion': 'autoscaling/v1', 'kind': 'Scale'}}",
        "{'namespace': 'kube-system'}",
        "{'object': {'kind': 'Unknown'}}",
        "{'object': {'apiVersion': 7}}",
        "{'object': {'metadata': {'deletionTimestamp': '2026-11-30T08:00:00Z'}}}",
        "{'userInfo': {'username': 'system:serviceaccount:kube-system:job-controller'}}"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct karta_snapshot *snapshot = test_snapshot();
        load(snapshot, "never", "{'validations': [{'expression': 'false'}]}");
        struct call call = post(snapshot, changes[i]);
        assert_response(&call, "{'allowed': true}");
        assert_int_equal(call.answer.decision_count, 0);
        call_dispose(&call);
    }
}

/* A policy of so many validations that fail, each with a message of 200 letters. */
static struct karta_snapshot *talkative(const char *action, int validations)
{
    struct karta_snapshot *snapshot = test_snapshot();
    KARTA_AUTO_TEXT spec = mem_format("{'validationActions': ['%s'], 'validations': [", action);
    for (int i = 0; i < validations; i++) {
        char *longer = mem_format("%s%s{'expression': 'false', 'message': '%0400d'}", spec,
                                  i > 0 ? ", " : "", i);
        free(spec);
        spec = longer;
    }
    char *whole = mem_format("%s]}", spec);
    load(snapshot, "talks", whole);
    free(whole);
    return snapshot;
}

static void answers__are_bounded(void **state)
{
    (void)state;
    struct call denied = post(talkative("Deny", 50), "{}");
    struct call warned = post(talkative("Warn", 50), "{}");
    struct call audited = post(talkative("Audit", 50), "{}");
    const char *message =
        json_string_value(json_object_get(json_object_get(denied.response, "status"), "message"));
    assert_true(strlen(message) < 4200);
    assert_string_equal(message + strlen(message) - 13, "; and 41 more");
    const json_t *warnings = json_object_get(warned.response, "warnings");
    assert_int_equal(json_array_size(warnings), 10);
    assert_int_equal(json_string_length(json_array_get(warnings, 0)), 255);
    assert_string_equal(json_string_value(json_array_get(warnings, 9)),
                        "and 41 more warnings of policies");
    const char *text = json_string_value(
        json_object_get(json_object_get(audited.response, "auditAnnotations"), "policy-failures"));
    json_t *list = json_loads(text, 0, NULL);
    assert_true(json_array_size(list) > 10);
    assert_true(strlen(text) < 9000);
    json_decref(list);
    call_dispose(&denied);
    call_dispose(&warned);
    call_dispose(&audited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deny__is_a_403_with_every_message),
                                       cmocka_unit_test(warn_and_audit__let_pass),
                                       cmocka_unit_test(component__that_cannot_be_read_is_named),
                                       cmocka_unit_test(others__are_allowed),
                                       cmocka_unit_test(answers__are_bounded)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("policies", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
