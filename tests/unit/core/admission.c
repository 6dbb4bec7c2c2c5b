/* SPDX-License-Identifier: Apache-2.0 */
#include "admission.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/patch.h"
#include "support.h"

static struct karta_snapshot *snapshot;
static const char *const excluded[] = {"kube-system"};
static const struct admission_config config = {.profile = "kai",
                                               .excluded_namespaces = excluded,
                                               .excluded_namespace_count = 1,
                                               .deadline_ms = 60000};

struct call {
    struct admission_answer answer;
    struct admission_record record;
    json_t *body; /* of the answer */
};

static struct call post_text(enum admission_endpoint endpoint, const struct admission_config *with,
                             const char *text)
{
    struct call call;
    admission_handle(endpoint, snapshot, with, text, strlen(text), &call.answer, &call.record);
    call.body = json_loadb(call.answer.body, call.answer.size, 0, NULL);
    assert_non_null(call.body);
    return call;
}

static void call_dispose(struct call *call)
{
    admission_answer_dispose(&call->answer);
    json_decref(call->body);
}

/* A review of the example with `change` (in single quotes) merged into its request. */
static char *review_text(const char *change)
{
    char *bytes = test_read("manifests/examples/jobset-review.json", NULL);
    json_t *review = json_loads(bytes, 0, NULL);
    json_t *update = test_json(change);
    json_object_update(json_object_get(review, "request"), update);
    char *text = json_dumps(review, 0);
    json_decref(update);
    json_decref(review);
    free(bytes);
    return text;
}

static struct call post(const struct admission_config *with, const char *change)
{
    char *text = review_text(change);
    struct call call = post_text(ADMISSION_MUTATE_WORKLOADS, with, text);
    free(text);
    return call;
}

static const json_t *response_of(const struct call *call, const char *key)
{
    return json_object_get(json_object_get(call->body, "response"), key);
}

static const char *text_of(const struct call *call, const char *key)
{
    const char *text = json_string_value(response_of(call, key));
    return text != NULL ? text : "";
}

static void handle__answers_what_is_no_review_with_400(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"[]", "the body is no AdmissionReview"},
        {"7", "the body is no AdmissionReview"},
        {"{}", "apiVersion is missing; it must be \"admission.k8s.io/v1\""},
        {"{\"apiVersion\": \"admission.k8s.io/v1beta1\", \"kind\": \"AdmissionReview\"}",
         "apiVersion is \"admission.k8s.io/v1beta1\"; it must be \"admission.k8s.io/v1\""},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"Review\"}",
         "kind is \"Review\"; it must be \"AdmissionReview\""},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\"}",
         "request is missing"},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
         "[]}",
         "request is no object"},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
         "{}}",
         "request.uid is missing"},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
         "{\"uid\": \"u\", \"operation\": \"PATCH\"}}",
         "request.operation is \"PATCH\"; it is CREATE, UPDATE, DELETE or CONNECT"},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
         "{\"uid\": \"u\", \"operation\": \"CREATE\", \"object\": null}}",
         "request.object is null, but the operation is CREATE"},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
         "{\"uid\": \"u\", \"operation\": \"CREATE\", \"object\": \"x\"}}",
         "request.object is no object, but the operation is CREATE"},
        {"{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
         "{\"uid\": \"u\", \"operation\": \"UPDATE\", \"object\": {}}}",
         "request.oldObject is null, but the operation is UPDATE"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct call call = post_text(ADMISSION_MUTATE_WORKLOADS, &config, rows[i][0]);
        assert_int_equal(call.answer.status, 400);
        assert_string_equal(json_string_value(json_object_get(call.body, "error")), rows[i][1]);
        assert_string_equal(call.record.verdict, "bad-request");
        call_dispose(&call);
    }
}

static void handle__names_the_byte_where_json_ends(void **state)
{
    (void)state;
    struct call call = post_text(ADMISSION_MUTATE_WORKLOADS, &config, "{\"a\": }");
    const char *error = json_string_value(json_object_get(call.body, "error"));
    assert_int_equal(call.answer.status, 400);
    assert_string_equal(error, "not JSON: unexpected token near '}' at byte 7");
    call_dispose(&call);
}

static void create__answers_the_patch_of_the_example(void **state)
{
    (void)state;
    struct call call = post(&config, "{}");
    assert_int_equal(call.answer.status, 200);
    assert_string_equal(json_string_value(json_object_get(call.body, "apiVersion")),
                        "admission.k8s.io/v1");
    assert_string_equal(json_string_value(json_object_get(call.body, "kind")), "AdmissionReview");
    assert_true(json_is_true(response_of(&call, "allowed")));
    assert_string_equal(text_of(&call, "patchType"), "JSONPatch");
    assert_true(strlen(text_of(&call, "patch")) > 100);
    assert_null(response_of(&call, "warnings"));
    const json_t *audit = response_of(&call, "auditAnnotations");
    assert_string_equal(json_string_value(json_object_get(audit, "min-member")), "3");
    assert_string_equal(json_string_value(json_object_get(audit, "gpus")), "12");
    assert_string_equal(json_string_value(json_object_get(audit, "definition")),
                        "jobset-x-k8s-io-jobset-v1alpha2");
    assert_string_equal(call.record.verdict, "patched");
    assert_string_equal(call.record.profile, "kai");
    assert_string_equal(call.record.kind, "jobset.x-k8s.io/v1alpha2, Kind=JobSet");
    assert_string_equal(call.record.metric_kind, "JobSet");
    assert_string_equal(call.record.ns, "ml");
    assert_string_equal(call.record.name, "train");
    call_dispose(&call);
}

static void every_answer__echoes_the_uid(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "{'uid': 'u-1'}",
        "{'uid': 'u-1', 'operation': 'DELETE', 'object': null}",
        "{'uid': 'u-1', 'operation': 'CONNECT', 'object': null}",
        "{'uid': 'u-1', 'object': {}}",
        "{'uid': 'u-1', 'namespace': 'kube-system'}",
        "{'uid': 'u-1', 'subResource': 'status', 'object': null}"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct call call = post(&config, changes[i]);
        assert_int_equal(call.answer.status, 200);
        assert_string_equal(text_of(&call, "uid"), "u-1");
        assert_true(json_is_true(response_of(&call, "allowed")));
        assert_int_equal(response_of(&call, "patch") != NULL, i == 0);
        assert_int_equal(response_of(&call, "patchType") != NULL, i == 0);
        call_dispose(&call);
    }
}

static void dry_run__is_no_different(void **state)
{
    (void)state;
    struct call real = post(&config, "{'dryRun': false}"), dry = post(&config, "{'dryRun': true}");
    assert_json_equal(dry.body, real.body);
    call_dispose(&real);
    call_dispose(&dry);
}

static void generate_name__is_logged_as_a_prefix(void **state)
{
    (void)state;
    struct call call = post(&config, "{'name': '', 'object': {'apiVersion': 'batch/v1', 'kind': "
                                     "'Job', 'metadata': {'generateName': 'sum-'}}}");
    assert_string_equal(call.record.name, "sum-*");
    call_dispose(&call);
}

static void min_member__out_of_range_is_denied_as_invalid(void **state)
{
    (void)state;
    struct call call = post(
        &config,
        "{'object': {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'sum', 'labels':"
        " {'kai.scheduler/queue': 'q'}, 'annotations': {'workloadmap.dev/min-member': '9'}},"
        " 'spec': {'parallelism': 4, 'template': {'spec': {'containers': []}}}}}");
    json_t *expected =
        test_json("{'status': 'Failure', 'code': 422, 'reason': 'Invalid', 'message':"
                  " 'metadata.annotations[workloadmap.dev/min-member] is \\u00229\\u0022; pod "
                  "group job takes a whole"
                  " number from 1 to 4'}");
    assert_true(json_is_false(response_of(&call, "allowed")));
    assert_json_equal(response_of(&call, "status"), expected);
    assert_null(response_of(&call, "patch"));
    assert_string_equal(call.record.verdict, "denied");
    json_decref(expected);
    call_dispose(&call);
}

/* An object that no expression may read: an array above the cap. */
static char *too_large_review(void)
{
    char *text = review_text("{}");
    json_t *review = json_loads(text, 0, NULL);
    json_t *list = json_array();
    for (int i = 0; i < 65537; i++)
        json_array_append_new(list, json_null());
    json_t *object = json_object_get(json_object_get(review, "request"), "object");
    json_object_set_new(object, "list", list);
    free(text);
    text = json_dumps(review, 0);
    json_decref(review);
    return text;
}

static void failure__is_answered_by_on_error(void **state)
{
    (void)state;
    char *text = too_large_review();
    struct admission_config deny = config;
    deny.deny_on_error = true;
    struct call allowed = post_text(ADMISSION_MUTATE_WORKLOADS, &config, text);
    struct call denied = post_text(ADMISSION_MUTATE_WORKLOADS, &deny, text);
    assert_true(json_is_true(response_of(&allowed, "allowed")));
    assert_int_equal(json_array_size(response_of(&allowed, "warnings")), 1);
    assert_memory_equal(json_string_value(json_array_get(response_of(&allowed, "warnings"), 0)),
                        "not ganged: ", 12);
    assert_string_equal(allowed.record.verdict, "failed");
    assert_true(json_is_false(response_of(&denied, "allowed")));
    assert_int_equal(json_integer_value(json_object_get(response_of(&denied, "status"), "code")),
                     500);
    call_dispose(&allowed);
    call_dispose(&denied);
    free(text);
}

/* Fails on the second template, after the first has been read. */
static const char failing[] =
    "apiVersion: workloadmap.dev/v1alpha1\n"
    "kind: GangProfile\n"
    "metadata: {name: failing}\n"
    "spec: {podTemplate: {labels: {x: 'if .subGroup.name == \"workers\" then error(\"no\") else "
    ".podGroup.name end'}}}\n";

static void failure__of_a_profile_writes_no_half_patch(void **state)
{
    (void)state;
    struct karta_snapshot *before = snapshot;
    struct admission_config allow = config, deny = config;
    allow.profile = deny.profile = "failing";
    allow.gang_all = deny.gang_all = true;
    deny.deny_on_error = true;
    snapshot = test_snapshot();
    assert_int_equal(karta_snapshot_load(snapshot, failing, sizeof failing - 1, "test", NULL, NULL),
                     0);
    struct call allowed = post(&allow, "{}"), denied = post(&deny, "{}");
    assert_true(json_is_true(response_of(&allowed, "allowed")));
    assert_null(response_of(&allowed, "patch"));
    assert_string_equal(json_string_value(json_array_get(response_of(&allowed, "warnings"), 0)),
                        "not ganged: profile failing: x: no");
    assert_string_equal(allowed.record.verdict, "failed");
    assert_true(json_is_false(response_of(&denied, "allowed")));
    assert_null(response_of(&denied, "patch"));
    assert_string_equal(
        json_string_value(json_object_get(response_of(&denied, "status"), "message")),
        "cannot be ganged: profile failing: x: no");
    call_dispose(&allowed);
    call_dispose(&denied);
    karta_snapshot_unref(snapshot);
    snapshot = before;
}

static struct call validate(const char *change)
{
    char *bytes = test_read("manifests/examples/broken-definition-review.json", NULL);
    json_t *review = json_loads(bytes, 0, NULL);
    json_t *update = test_json(change);
    json_object_update(json_object_get(review, "request"), update);
    char *text = json_dumps(review, 0);
    struct call call = post_text(ADMISSION_VALIDATE_DEFINITIONS, &config, text);
    free(text);
    free(bytes);
    json_decref(update);
    json_decref(review);
    return call;
}

static void definition__that_is_broken_is_refused_with_its_causes(void **state)
{
    (void)state;
    struct call call = validate("{}");
    const json_t *status = response_of(&call, "status");
    assert_true(json_is_false(response_of(&call, "allowed")));
    assert_int_equal(json_integer_value(json_object_get(status, "code")), 422);
    const json_t *causes = json_object_get(json_object_get(status, "details"), "causes");
    assert_true(json_array_size(causes) >= 1);
    const char *field = json_string_value(json_object_get(json_array_get(causes, 0), "field"));
    const char *message = json_string_value(json_object_get(status, "message"));
    assert_non_null(strstr(message, field));
    call_dispose(&call);
}

static void definition__is_let_go_and_labelled_however_broken(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "{'operation': 'DELETE', 'object': null}",
        "{'operation': 'UPDATE', 'object': {'spec': {}}, 'oldObject': {'spec': {}}}",
        "{'operation': 'UPDATE', 'object': {'metadata': {'deletionTimestamp': 'x'}, 'spec': {}},"
        " 'oldObject': {'spec': {'a': 1}}}",
        "{'subResource': 'status'}"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct call call = validate(changes[i]);
        assert_true(json_is_true(response_of(&call, "allowed")));
        call_dispose(&call);
    }
}

static void definition__root_kind_is_immutable(void **state)
{
    (void)state;
    static const char karta[] =
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': 'x'}, 'spec': "
        "{'structureDefinition': {'rootComponent': {'name': 'r', 'kind': {'group': 'g', 'version': "
        "'v1', 'kind': '%s'}, 'statusDefinition': {}}}}}";
    KARTA_AUTO_TEXT one = mem_format(karta, "A");
    KARTA_AUTO_TEXT two = mem_format(karta, "B");
    KARTA_AUTO_TEXT change =
        mem_format("{'operation': 'UPDATE', 'object': %s, 'oldObject': %s}", one, two);
    struct call call = validate(change);
    assert_string_equal(
        json_string_value(json_object_get(response_of(&call, "status"), "message")),
        "spec.structureDefinition.rootComponent.kind: cannot change: delete the definition and "
        "create another");
    call_dispose(&call);
}

/* Between the bytes: the patch is sent, and is counted for no profile. */
static void definition__is_labelled(void **state)
{
    (void)state;
    static const char text[] =
        "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
        "{\"uid\": \"u\", \"operation\": \"CREATE\", \"object\": {\"apiVersion\": "
        "\"run.ai/v1alpha1\", \"kind\": \"Karta\", \"metadata\": {}, \"spec\": "
        "{\"structureDefinition\": {\"rootComponent\": {\"kind\": {\"group\": \"g\", "
        "\"version\": \"v1\", \"kind\": \"K\"}}}}}}}";
    struct call call = post_text(ADMISSION_MUTATE_DEFINITIONS, &config, text);
    assert_true(json_is_true(response_of(&call, "allowed")));
    assert_string_equal(text_of(&call, "patchType"), "JSONPatch");
    assert_string_equal(call.record.verdict, "patched");
    assert_string_equal(call.record.profile, "");
    call_dispose(&call);
}

static void route__knows_its_paths_only(void **state)
{
    (void)state;
    assert_int_equal(admission_route("/mutate/workloads"), ADMISSION_MUTATE_WORKLOADS);
    assert_int_equal(admission_route("/mutate/definitions"), ADMISSION_MUTATE_DEFINITIONS);
    assert_int_equal(admission_route("/validate/definitions"), ADMISSION_VALIDATE_DEFINITIONS);
    assert_int_equal(admission_route("/"), ADMISSION_ENDPOINTS);
    assert_int_equal(admission_route("/mutate/workloads/"), ADMISSION_ENDPOINTS);
    assert_string_equal(admission_path(ADMISSION_MUTATE_WORKLOADS), "/mutate/workloads");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handle__answers_what_is_no_review_with_400),
        cmocka_unit_test(handle__names_the_byte_where_json_ends),
        cmocka_unit_test(create__answers_the_patch_of_the_example),
        cmocka_unit_test(every_answer__echoes_the_uid),
        cmocka_unit_test(dry_run__is_no_different),
        cmocka_unit_test(generate_name__is_logged_as_a_prefix),
        cmocka_unit_test(min_member__out_of_range_is_denied_as_invalid),
        cmocka_unit_test(failure__is_answered_by_on_error),
        cmocka_unit_test(failure__of_a_profile_writes_no_half_patch),
        cmocka_unit_test(definition__that_is_broken_is_refused_with_its_causes),
        cmocka_unit_test(definition__is_let_go_and_labelled_however_broken),
        cmocka_unit_test(definition__root_kind_is_immutable),
        cmocka_unit_test(definition__is_labelled),
        cmocka_unit_test(route__knows_its_paths_only)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    snapshot = test_snapshot();
    int failed = cmocka_run_group_tests_name("admission", tests, NULL, NULL);
    karta_snapshot_unref(snapshot);
    karta_engine_shutdown();
    return failed;
}
