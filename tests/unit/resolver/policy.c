/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karta/engine.h"
#include "karta/policy.h"
#include "names.h"
#include "support.h"

static json_t *document_of(const char *spec)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "workloadmap.dev/v1alpha1", "kind",
                     "WorkloadPolicy", "metadata", "name", "mine", "spec", test_json(spec));
}

/* All problems, a line each; new. */
static char *problems_text(const char *spec)
{
    json_t *document = document_of(spec);
    struct karta_problems *problems = karta_problems_new();
    karta_document_validate(document, problems);
    char *text = strdup("");
    for (size_t i = 0; i < karta_problems_count(problems); i++) {
        bool warning = karta_problem_severity(problems, i) == KARTA_WARNING;
        char *longer = NULL;
        assert_true(asprintf(&longer, "%s%s%s%s: %s", text, i > 0 ? "\n" : "",
                             warning ? "warning: " : "", karta_problem_path(problems, i),
                             karta_problem_message(problems, i)) > 0);
        free(text);
        text = longer;
    }
    karta_problems_free(problems);
    json_decref(document);
    return text;
}

#define CHECK "'validations': [{'expression': '.totals.gpus <= 64'}]"

static const char *const refused[][2] = {
    {"{}",
     "spec.validations: is missing, and there are no defaults either: the policy does nothing"},
    {"{'validations': []}", "spec.validations: is empty: a policy says what it checks"},
    {"{'validation': [], 'defaults': {}}",
     "warning: spec.validation: is not a known field (did you mean validations?)"},
    {"{'validations': [{}, 3]}", "spec.validations[0].expression: is missing\n"
                                 "spec.validations[1]: is a number where an object belongs"},
    {"{'validations': [{'expression': '.totals.gpus <='}]}",
     "spec.validations[0].expression: ends where a value is expected, at column 16 of "
     "`.totals.gpus <=`"},
    {"{'validations': [{'expression': '.total.gpus <= 64'}]}",
     "warning: spec.validations[0].expression: reads .total, which no view has (did you mean "
     "totals?)"},
    {"{'validations': [{'expression': '.totals.gpu <= 64 and .status.phase != .request.user'}]}",
     "warning: spec.validations[0].expression: reads .totals.gpu, which no view has (did you mean "
     "gpus?)\n"
     "warning: spec.validations[0].expression: reads .request.user, which no view has (did you "
     "mean "
     "userInfo?)"},
    {"{'validations': [{'expression': 'true', 'message': ' ', 'messageExpression': 'now'}]}",
     "spec.validations[0].message: is empty\n"
     "spec.validations[0].messageExpression: \"now\" is refused: an expression reads no clock, and "
     "dates crash libjq, at column 1 of `now`"},
    {"{'validations': [{'expression': 'true', 'message': 'a\\nb'}]}",
     "spec.validations[0].message: has several lines; a message is one"},
    {"{" CHECK ", 'matchConditions': [{'expression': 'true'}, {'name': 'a', 'expression': '.x'},"
     " {'name': 'a', 'expression': 'true'}, {'name': 'a b', 'expression': ''}]}",
     "spec.matchConditions[0].name: is missing\n"
     "warning: spec.matchConditions[1].expression: reads .x, which no view has\n"
     "spec.matchConditions[2].name: repeats \"a\": each condition has a name of its own\n"
     "spec.matchConditions[3].name: \"a b\" is no name: at most 63 letters, digits, '-', '_' and "
     "'.', after a DNS prefix and '/' where it has one\n"
     "spec.matchConditions[3].expression: is empty: an expression belongs here"},
    {"{" CHECK ", 'validationActions': ['Deny', 'Warn']}",
     "spec.validationActions: holds Deny and Warn: who is denied would hear it twice"},
    {"{" CHECK ", 'validationActions': ['deny', 'Audit', 'Audit']}",
     "spec.validationActions[0]: is \"deny\"; it is Deny, Warn or Audit (did you mean Deny?)\n"
     "spec.validationActions[2]: repeats \"Audit\""},
    {"{" CHECK ", 'validationActions': []}",
     "spec.validationActions: is empty: it holds Deny, Warn or Audit"},
    {"{" CHECK ", 'failurePolicy': 'ignore'}",
     "spec.failurePolicy: is \"ignore\"; it is Fail or Ignore (did you mean Ignore?)"},
    {"{" CHECK ", 'matchConstraints': {'namespaces': ['Team-*', '', 'a?', 'ok-*'],"
     " 'excludeNamespaces': [1]}}",
     "spec.matchConstraints.namespaces[0]: \"Team-*\" matches no namespace: it holds 'T'; names "
     "are lower-case letters, digits and '-', and '*' stands for any of them\n"
     "spec.matchConstraints.namespaces[1]: is empty: it matches nothing\n"
     "spec.matchConstraints.namespaces[2]: \"a?\" matches no namespace: it holds '?'; names are "
     "lower-case letters, digits and '-', and '*' stands for any of them\n"
     "spec.matchConstraints.excludeNamespaces[0]: is a number where text belongs; put it in "
     "quotes"},
    {"{" CHECK ", 'matchConstraints': {'operations': ['CREATE', 'update', 'DELETE']}}",
     "spec.matchConstraints.operations[1]: is \"update\"; policies are asked at CREATE and UPDATE "
     "(did you mean UPDATE?)\n"
     "spec.matchConstraints.operations[2]: is \"DELETE\"; policies are asked at CREATE and "
     "UPDATE"},
    {"{" CHECK ", 'matchConstraints': {'kinds': [{'group': 'batch', 'kinds': 'Job'}, 'Job']}}",
     "warning: spec.matchConstraints.kinds[0].kinds: is not a known field (did you mean kind?)\n"
     "spec.matchConstraints.kinds[1]: is text where an object belongs"},
    {"{" CHECK ", 'matchConstraints': {'objectSelector': {'matchLabels': {'a b': 'x', 'c': '-',"
     " 'd': null}}}}",
     "spec.matchConstraints.objectSelector.matchLabels.a b: \"a b\" is no label's name: at most "
     "63 letters, digits, '-', '_' and '.', after a DNS prefix and '/' where it has one\n"
     "spec.matchConstraints.objectSelector.matchLabels.c: \"-\" is no label's value: at most 63 "
     "letters, digits, '-', '_' and '.', with a letter or digit at both ends\n"
     "spec.matchConstraints.objectSelector.matchLabels.d: is null where text belongs"},
    {"{" CHECK ", 'matchConstraints': {'objectSelector': {'matchExpressions': ["
     "{'key': 'a', 'operator': 'In'}, {'key': 'a', 'operator': 'NotIn', 'values': []},"
     "{'key': 'a', 'operator': 'Exists', 'values': ['x']}, {'key': 'a', 'operator': 'Equals'},"
     "{'operator': 'DoesNotExist'}, {'key': 'a', 'operator': 'notin', 'values': ['!']}]}}}",
     "spec.matchConstraints.objectSelector.matchExpressions[0].values: is missing; In compares "
     "with values\n"
     "spec.matchConstraints.objectSelector.matchExpressions[1].values: is empty; NotIn compares "
     "with values\n"
     "spec.matchConstraints.objectSelector.matchExpressions[2].values: has no place beside "
     "Exists\n"
     "spec.matchConstraints.objectSelector.matchExpressions[3].operator: is \"Equals\"; it is In, "
     "NotIn, Exists or DoesNotExist\n"
     "spec.matchConstraints.objectSelector.matchExpressions[4].key: is missing\n"
     "spec.matchConstraints.objectSelector.matchExpressions[5].operator: is \"notin\"; it is In, "
     "NotIn, Exists or DoesNotExist (did you mean NotIn?)\n"
     "spec.matchConstraints.objectSelector.matchExpressions[5].values[0]: \"!\" is no label's "
     "value: at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"},
    {"{" CHECK ", 'exemptUsers': ['']}", "spec.exemptUsers[0]: is empty: it matches nothing"},
    {"{'defaults': {'queue': 'a b', 'priorityClassName': 'A', 'que': ''}}",
     "spec.defaults.queue: \"a b\" is no label's value: at most 63 letters, digits, '-', '_' and "
     "'.', with a letter or digit at both ends\n"
     "spec.defaults.priorityClassName: \"A\" is no name of a PriorityClass: lower-case letters, "
     "digits, '-' and '.', with a letter or digit at both ends of each part\n"
     "warning: spec.defaults.que: is not a known field (did you mean queue?)"},
};

static void validate__says_every_problem(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char *text = problems_text(refused[i][0]);
        assert_string_equal(text, refused[i][1]);
        free(text);
    }
}

static void validate__takes_what_is_right(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "{" CHECK "}",
        "{" CHECK ", 'failurePolicy': 'Ignore', 'validationActions': ['Warn', 'Audit'],"
        " 'exemptUsers': [], 'defaults': {'queue': '', 'priorityClassName': ''}}",
        "{'defaults': {'queue': 'team-a', 'priorityClassName': 'high.example'}}",
        "{'matchConditions': [{'name': 'example.com/a', 'expression': '.request.dryRun | not'}],"
        " 'matchConstraints': {'namespaces': ['*'], 'kinds': [{}, {'kind': '*'}],"
        " 'objectSelector': {'matchLabels': {'a/b': ''}, 'matchExpressions': [{'key': 'k',"
        " 'operator': 'NotIn', 'values': ['a', 'b']}]}}," CHECK "}"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        char *text = problems_text(specs[i]);
        assert_string_equal(text, "");
        free(text);
    }
}

static void load(struct karta_snapshot *snapshot, const char *name, const char *spec)
{
    json_t *document = document_of(spec);
    json_object_set_new(json_object_get(document, "metadata"), "name", json_string(name));
    char *text = json_dumps(document, 0);
    assert_int_equal(karta_snapshot_load(snapshot, text, strlen(text), "test", NULL, NULL), 0);
    free(text);
    json_decref(document);
}

static void snapshot__orders_policies_by_name_and_shadows_the_earlier(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = karta_snapshot_new();
    load(snapshot, "b", "{" CHECK ", 'failurePolicy': 'Ignore'}");
    load(snapshot, "c", "{" CHECK ", 'matchConstraints': {'operations': ['CREATE']}}");
    load(snapshot, "a", "{" CHECK "}");
    load(snapshot, "b",
         "{" CHECK ", 'matchConstraints': {'kinds': [{'group': 'batch', 'kind':"
         " 'Job'}, {'group': '*', 'kind': ''}]}}");
    load(snapshot, "d", "{'validations': []}");
    assert_int_equal(karta_policy_count(snapshot), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(karta_policy_name(karta_policy_at(snapshot, i))[0], 'a' + (int)i);
    assert_null(karta_policy_at(snapshot, 3));
    const struct karta_policy *b = karta_policy_at(snapshot, 1);
    const char *group, *kind;
    assert_true(karta_policy_fails(b));
    assert_int_equal(karta_policy_kind_count(b), 2);
    karta_policy_kind(b, 0, &group, &kind);
    assert_string_equal(group, "batch");
    assert_string_equal(kind, "Job");
    karta_policy_kind(b, 1, &group, &kind);
    assert_null(group);
    assert_null(kind);
    assert_true(karta_policy_at_update(b));
    assert_false(karta_policy_at_update(karta_policy_at(snapshot, 2)));
    assert_int_equal(karta_snapshot_warm(snapshot, NULL), 0);
    json_t *list = karta_snapshot_list(snapshot);
    static const char *const states[] = {"shadowed", "active", "active", "active", "failed"};
    for (size_t i = 0; i < 5; i++) {
        const json_t *entry = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(entry, "state")), states[i]);
        assert_string_equal(json_string_value(json_object_get(entry, "kind")), "WorkloadPolicy");
    }
    json_decref(list);
    karta_snapshot_unref(snapshot);
}

static void names__follow_kubernetes(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "a/b", "a.b-c/D_e.f", "0", "x.y.z/n"};
    static const char *const bad[] = {"",     "/a",     "a/",    "A/b", "a..b/c", "-a/b",
                                      "a-/b", "a.-b/c", "a/b/c", "a b", "_a",     "a_"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(name_is_qualified(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(name_is_qualified(bad[i]));
    assert_true(name_is_dns_subdomain("a-b.c"));
    assert_false(name_is_dns_subdomain("a.b."));
    assert_false(name_is_dns_subdomain("a_b"));
}

#define MANY 80

/* Compiling the messages of all of them takes longer than the object is given. */
static void ask__takes_no_time_for_compiling_messages(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = test_snapshot();
    for (int i = 0; i < MANY; i++) {
        json_t *document = document_of("{'validations': [{'expression': '.totals.pods == 0',"
                                       " 'messageExpression': '.workload.name'}]}");
        char name[16];
        snprintf(name, sizeof name, "policy-%02d", i);
        json_object_set_new(json_object_get(document, "metadata"), "name", json_string(name));
        char *text = json_dumps(document, 0);
        assert_int_equal(karta_snapshot_load(snapshot, text, strlen(text), "test", NULL, NULL), 0);
        free(text);
        json_decref(document);
    }
    json_t *object = test_json("{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {"
                               "'name': 'web'}, 'spec': {'template': {'spec': {}}}}");
    const struct karta_request request = {
        .operation = "CREATE", .ns = "ml", .object = object, .budget_ms = 1200};
    struct karta_verdict verdict = {0};
    assert_int_equal(karta_policies_ask(snapshot, &request, &verdict, NULL), 0);
    assert_int_equal(json_array_size(verdict.findings), MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(verdict.findings, i), "message")),
            "web");
    karta_verdict_dispose(&verdict);
    json_decref(object);
    karta_snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validate__says_every_problem),
        cmocka_unit_test(validate__takes_what_is_right),
        cmocka_unit_test(snapshot__orders_policies_by_name_and_shadows_the_earlier),
        cmocka_unit_test(names__follow_kubernetes),
        cmocka_unit_test(ask__takes_no_time_for_compiling_messages)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("policy", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
