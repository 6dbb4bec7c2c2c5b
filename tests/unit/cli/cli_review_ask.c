/* SPDX-License-Identifier: Apache-2.0 */
#include "review_ask.h"

#include <string.h>

#include "support.h"

static int read_text(const char *text, struct review_answer *answer, struct karta_error *err)
{
    json_t *value = test_json(text);
    char *body = json_dumps(value, 0);
    int code = review_read(body, strlen(body), "u-1", answer, err);
    free(body);
    json_decref(value);
    return code;
}

static void assert_refused(const char *text, const char *message)
{
    struct review_answer answer;
    struct karta_error err = {0};
    assert_true(read_text(text, &answer, &err) < 0);
    assert_string_equal(err.message, message);
    review_answer_dispose(&answer);
}

static void review_build__asks_as_an_api_server_does(void **state)
{
    (void)state;
    json_t *object =
        test_json("{'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'j'}}");
    json_t *review = review_build(object, "jobs", "ml", "u-1");
    json_t *expected =
        test_json("{'apiVersion': 'admission.k8s.io/v1', 'kind': 'AdmissionReview', 'request': {"
                  "'uid': 'u-1', 'kind': {'group': 'batch', 'version': 'v1', 'kind': 'Job'},"
                  "'resource': {'group': 'batch', 'version': 'v1', 'resource': 'jobs'},"
                  "'requestKind': {'group': 'batch', 'version': 'v1', 'kind': 'Job'},"
                  "'requestResource': {'group': 'batch', 'version': 'v1', 'resource': 'jobs'},"
                  "'name': 'j', 'namespace': 'ml', 'operation': 'CREATE',"
                  "'userInfo': {'username': 'kartactl', 'groups': ['system:authenticated']},"
                  "'object': {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'j'}},"
                  "'oldObject': null, 'dryRun': false,"
                  "'options': {'apiVersion': 'meta.k8s.io/v1', 'kind': 'CreateOptions'}}}");
    assert_json_equal(review, expected);
    json_decref(expected);
    json_decref(review);
    json_decref(object);
}

static void review_build__leaves_the_core_group_empty(void **state)
{
    (void)state;
    json_t *object = test_json("{'apiVersion': 'v1', 'kind': 'Pod'}");
    json_t *review = review_build(object, "pods", "ml", "u-1");
    json_t *expected = test_json("{'group': '', 'version': 'v1', 'kind': 'Pod'}");
    assert_json_equal(json_object_get(json_object_get(review, "request"), "kind"), expected);
    json_decref(expected);
    json_decref(review);
    json_decref(object);
}

static void review_uid__is_a_fresh_version_4_uuid(void **state)
{
    (void)state;
    char first[37], second[37];
    assert_int_equal(review_uid(first, NULL), 0);
    assert_int_equal(review_uid(second, NULL), 0);
    assert_int_equal(strlen(first), 36);
    assert_int_equal(first[14], '4');
    assert_non_null(strchr("89ab", first[19]));
    assert_string_not_equal(first, second);
}

static void review_read__gives_patch_and_warnings(void **state)
{
    (void)state;
    struct review_answer answer;
    /* [{"op":"remove","path":"/a"}] */
    assert_int_equal(
        read_text("{'response': {'uid': 'u-1', 'allowed': true, 'patchType': 'JSONPatch', 'patch':"
                  "'W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2EifV0=', 'warnings': ['mind the gap']}}",
                  &answer, NULL),
        0);
    json_t *patch = test_json("[{'op': 'remove', 'path': '/a'}]");
    json_t *warnings = test_json("['mind the gap']");
    assert_json_equal(answer.patch, patch);
    assert_json_equal(answer.warnings, warnings);
    assert_null(answer.denial);
    json_decref(warnings);
    json_decref(patch);
    review_answer_dispose(&answer);
}

static void review_read__of_no_patch_is_nothing_to_do(void **state)
{
    (void)state;
    struct review_answer answer;
    assert_int_equal(read_text("{'response': {'uid': 'u-1', 'allowed': true}}", &answer, NULL), 0);
    assert_null(answer.patch);
    assert_null(answer.denial);
    review_answer_dispose(&answer);
}

static void review_read__gives_the_reason_of_a_denial(void **state)
{
    (void)state;
    struct review_answer answer;
    assert_int_equal(read_text("{'response': {'uid': 'u-1', 'allowed': false, 'status': "
                               "{'message': 'too many'}}}",
                               &answer, NULL),
                     0);
    assert_string_equal(answer.denial, "too many");
    review_answer_dispose(&answer);
    assert_int_equal(read_text("{'response': {'uid': 'u-1'}}", &answer, NULL), 0);
    assert_string_equal(answer.denial, "no reason given");
    review_answer_dispose(&answer);
}

static void review_read__refuses_what_is_no_answer(void **state)
{
    (void)state;
    assert_refused("{'x': 1}", "the answer is no AdmissionReview");
    assert_refused("{'response': {'uid': 'u-2', 'allowed': true}}",
                   "the answer is to another request: uid \"u-2\"");
    assert_refused("{'response': {'uid': 'u-1', 'allowed': true, 'patch': 'W10='}}",
                   "the answer's patchType is \"\"");
    assert_refused("{'response': {'uid': 'u-1', 'allowed': true, 'patchType': 'JSONPatch', "
                   "'patch': '!'}}",
                   "the answer's patch is not base64");
    assert_refused("{'response': {'uid': 'u-1', 'allowed': true, 'patchType': 'JSONPatch', "
                   "'patch': 'e30='}}",
                   "the answer's patch is not a JSON Patch");
}

static void review_read__names_what_is_not_json(void **state)
{
    (void)state;
    struct review_answer answer;
    struct karta_error err = {0};
    assert_int_equal(review_read("<html>", 6, "u-1", &answer, &err), KARTA_ERR_SYNTAX);
    assert_string_equal(err.message, "the answer is not JSON: '[' or '{' expected near '<'");
    review_answer_dispose(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(review_build__asks_as_an_api_server_does),
        cmocka_unit_test(review_build__leaves_the_core_group_empty),
        cmocka_unit_test(review_uid__is_a_fresh_version_4_uuid),
        cmocka_unit_test(review_read__gives_patch_and_warnings),
        cmocka_unit_test(review_read__of_no_patch_is_nothing_to_do),
        cmocka_unit_test(review_read__gives_the_reason_of_a_denial),
        cmocka_unit_test(review_read__refuses_what_is_no_answer),
        cmocka_unit_test(review_read__names_what_is_not_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
