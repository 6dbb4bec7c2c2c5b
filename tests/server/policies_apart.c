/* SPDX-License-Identifier: Apache-2.0 */
/* What policies keep apart, asked over the wire: each namespace has a policy of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "base/mem.h"

/* a slow machine compiles everything that it was started with before it looks at a file again */
#define WAIT_MS 60000
#define POLICY "---\napiVersion: workloadmap.dev/v1alpha1\nkind: WorkloadPolicy\n"

static struct running server;
static char folder[80], everything[128];

static const char policies[] = POLICY
    "metadata: {name: size}\nspec:\n"
    "  matchConstraints: {namespaces: [size]}\n"
    "  validations:\n"
    "  - expression: .totals.gpus <= 8\n"
    "    messageExpression: '\"grew from \\(.oldView.totals.gpus) to \\(.totals.gpus)\"'\n" POLICY
    "metadata: {name: exempt}\nspec:\n"
    "  matchConstraints: {namespaces: [exempt]}\n"
    "  exemptUsers: ['system:serviceaccount:operators:*', root]\n"
    "  validations: [{expression: 'false', message: not you}]\n" POLICY
    "metadata: {name: talks}\nspec:\n"
    "  matchConstraints: {namespaces: [talks]}\n"
    "  validationActions: [Warn, Audit]\n"
    "  validations:\n"
    "  - expression: 'false'\n"
    "    messageExpression: '[\"0123456789\" | ., ., ., .] | join(\"\") | [., ., ., ., ., "
    "., ., .] | join(\"\")'\n"
    "  - &n {expression: 'false', message: a}\n"
    "  - *n\n  - *n\n  - *n\n  - *n\n  - *n\n  - *n\n  - *n\n  - *n\n  - *n\n  - *n\n  - "
    "*n\n" POLICY "metadata: {name: fails}\nspec:\n"
    "  matchConstraints: {namespaces: [fails]}\n"
    "  validations: [{expression: .workload.name + 1 == 2}, {expression: 'false', message: "
    "and this}]\n" POLICY "metadata: {name: ignores}\nspec:\n"
    "  failurePolicy: Ignore\n"
    "  matchConstraints: {namespaces: [ignores]}\n"
    "  validations: [{expression: .workload.name + 1 == 2}]\n" POLICY
    "metadata: {name: z-default}\nspec:\n"
    "  matchConstraints: {namespaces: [defaults]}\n  defaults: {queue: late}\n" POLICY
    "metadata: {name: a-default}\nspec:\n"
    "  matchConstraints: {namespaces: [defaults]}\n  defaults: {queue: early}\n";

/* A definition that makes workloads of what policies are. */
static const char policies_as_workloads[] =
    "apiVersion: run.ai/v1alpha1\nkind: Karta\nmetadata: {name: policy}\nspec:\n"
    "  structureDefinition:\n    rootComponent:\n      name: policy\n"
    "      kind: {group: workloadmap.dev, version: v1alpha1, kind: WorkloadPolicy}\n"
    "      statusDefinition:\n        phaseDefinition: {path: .status.phase}\n"
    "        statusMappings: {running: [{byPhase: Running}]}\n";

static void write_file(const char *name, const char *text)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", folder, name);
    KARTA_AUTO_TEXT whole = mem_format("%s.new", path);
    write_text(whole, text);
    assert_int_equal(rename(whole, path), 0);
}

static int start(void **state)
{
    (void)state;
    running_init(&server);
    snprintf(folder, sizeof folder, "%s/policies", server.dir);
    snprintf(everything, sizeof everything, "%s/everything.yaml", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_file("policies.yaml", policies);
    write_file("karta.yaml", policies_as_workloads);
    running_start(&server, (const char *[]){"--drain", "0", "--definitions", folder, NULL});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return running_stop(&server);
}

/* What the endpoint says of a request with these fields ('): the response, new. */
static json_t *ask(const char *path, json_t *request)
{
    struct client client;
    struct answer answer;
    json_t *review = json_pack("{s:s, s:s, s:o}", "apiVersion", "admission.k8s.io/v1", "kind",
                               "AdmissionReview", "request", request);
    KARTA_AUTO_TEXT text = json_dumps(review, 0);
    assert_non_null(text);
    running_connect(&server, &client);
    assert_true(client_post(&client, path, text, &answer));
    assert_int_equal(answer.status, 200);
    json_t *body = json_loads(answer.body, 0, NULL);
    json_t *response = json_incref(json_object_get(body, "response"));
    json_decref(body);
    json_decref(review);
    answer_dispose(&answer);
    client_close(&client);
    return response;
}

/* A LeaderWorkerSet of `size` pods with a GPU each. */
static json_t *set_of(int size)
{
    json_t *object = test_json(
        "{'apiVersion': 'leaderworkerset.x-k8s.io/v1', 'kind': 'LeaderWorkerSet', 'metadata': {"
        "'name': 'llm', 'annotations': {'workloadmap.dev/inject': 'true'}}, 'spec': {"
        "'leaderWorkerTemplate': {'workerTemplate': {'spec': {'containers': [{'name': 'main', "
        "'image': 'x', 'resources': {'limits': {'nvidia.com/gpu': 1}}}]}}}}}");
    json_t *template = json_object_get(json_object_get(object, "spec"), "leaderWorkerTemplate");
    json_object_set_new(template, "size", json_integer(size));
    return object;
}

/* A request of alice's about an object (taken) in this namespace. */
static json_t *request_for(const char *operation, const char *ns, json_t *object)
{
    const char *version = json_string_value(json_object_get(object, "apiVersion"));
    const char *slash = strchr(version, '/');
    json_t *request = json_pack(
        "{s:s, s:{s:s%, s:s, s:O}, s:{s:s, s:s, s:s}, s:s, s:s, s:s, s:{s:s}, s:o, s:n, s:b}",
        "uid", "u-1", "kind", "group", version, (size_t)(slash - version), "version", slash + 1,
        "kind", json_object_get(object, "kind"), "resource", "group", "g", "version", "v1",
        "resource", "things", "operation", operation, "namespace", ns, "name", "llm", "userInfo",
        "username", "alice", "object", object, "oldObject", "dryRun", 0);
    assert_non_null(request);
    return request;
}

static bool allows(json_t *response)
{
    bool allowed = json_is_true(json_object_get(response, "allowed"));
    json_decref(response);
    return allowed;
}

static json_t *validate(const char *ns, int size)
{
    return ask("/validate/workloads", request_for("CREATE", ns, set_of(size)));
}

/* The response is a denial in these words. */
static void assert_denied(json_t *response, const char *message)
{
    const json_t *status = json_object_get(response, "status");
    assert_true(json_is_false(json_object_get(response, "allowed")));
    assert_int_equal(json_integer_value(json_object_get(status, "code")), 403);
    assert_string_equal(json_string_value(json_object_get(status, "message")), message);
    json_decref(response);
}

static void await(const char *ns, bool allowed)
{
    for (int64_t until = clock_ms() + WAIT_MS; allows(validate(ns, 1)) != allowed;) {
        assert_true(clock_ms() < until);
        pause_ms(50);
    }
}

static json_t *our_object(const char *api_version, const char *kind)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:{}}", "apiVersion", api_version, "kind", kind,
                     "metadata", "name", "x", "spec");
}

static void everything__spares_what_it_could_be_removed_with(void **state)
{
    (void)state;
    static const char *const ours[][2] = {{"run.ai/v1alpha1", "Karta"},
                                          {"workloadmap.dev/v1alpha1", "GangProfile"},
                                          {"workloadmap.dev/v1alpha1", "WorkloadPolicy"}};
    static const char text[] = POLICY "metadata: {name: everything}\nspec:\n"
                                      "  exemptUsers: []\n"
                                      "  validations: [{expression: 'false', message: never}]\n";
    write_file("everything.yaml", text);
    await("anywhere", false);
    assert_true(allows(validate("kube-system", 1)));
    assert_true(allows(validate("kube-node-lease", 1)));
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        json_t *object = our_object(ours[i][0], ours[i][1]);
        json_t *update = request_for("UPDATE", "", json_incref(object));
        json_object_set(update, "oldObject", object);
        assert_true(allows(ask("/validate/workloads", update)));
        assert_true(allows(ask("/validate/workloads", request_for("CREATE", "", object))));
    }
    json_t *removal =
        request_for("DELETE", "", our_object("workloadmap.dev/v1alpha1", "WorkloadPolicy"));
    json_object_set(removal, "oldObject", json_object_get(removal, "object"));
    json_object_set_new(removal, "object", json_null());
    json_t *again = json_deep_copy(removal);
    assert_true(allows(ask("/validate/workloads", removal)));
    assert_true(allows(ask("/validate/definitions", again)));
    assert_int_equal(unlink(everything), 0);
    await("anywhere", true);
}

static void update__that_grows_by_any_field_is_denied(void **state)
{
    (void)state;
    json_t *request = request_for("UPDATE", "size", set_of(16));
    json_object_set_new(request, "oldObject", set_of(2));
    assert_denied(ask("/validate/workloads", request), "policy size: grew from 2 to 16");
    request = request_for("UPDATE", "size", set_of(16));
    json_object_set_new(request, "oldObject", set_of(16));
    assert_true(allows(ask("/validate/workloads", request)));
}

static void users__that_are_exempt_are_not_asked(void **state)
{
    (void)state;
    static const char *const users[] = {"system:serviceaccount:operators:lws", "root"};
    assert_denied(validate("exempt", 1), "policy exempt: not you");
    for (size_t i = 0; i < 2; i++) {
        json_t *request = request_for("CREATE", "exempt", set_of(1));
        json_object_set_new(json_object_get(request, "userInfo"), "username",
                            json_string(users[i]));
        assert_true(allows(ask("/validate/workloads", request)));
    }
    json_t *owned = request_for("CREATE", "exempt", set_of(1));
    json_object_set_new(json_object_get(json_object_get(owned, "object"), "metadata"),
                        "ownerReferences", test_json("[{'kind': 'LeaderWorkerSet'}]"));
    assert_denied(ask("/validate/workloads", owned), "policy exempt: not you");
}

static void warnings__are_few_and_short(void **state)
{
    (void)state;
    json_t *response = validate("talks", 1);
    const json_t *warnings = json_object_get(response, "warnings");
    const json_t *audit = json_object_get(response, "auditAnnotations");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    assert_int_equal(json_array_size(warnings), 10);
    const char *first = json_string_value(json_array_get(warnings, 0));
    assert_int_equal(strlen(first), 255);
    assert_memory_equal(first, "policy talks: 0123456789", 24);
    assert_string_equal(first + 252, "...");
    assert_string_equal(json_string_value(json_array_get(warnings, 9)),
                        "and 4 more warnings of policies");
    json_t *told =
        json_loads(json_string_value(json_object_get(audit, "policy-failures")), 0, NULL);
    assert_int_equal(json_array_size(told), 13);
    json_decref(told);
    json_decref(response);
}

static void failure__is_not_false(void **state)
{
    (void)state;
    assert_denied(validate("fails", 1),
                  "policy fails: string and number cannot be added, in expression .workload.name "
                  "+ 1 == 2; policy fails: and this");
    assert_true(allows(validate("ignores", 1)));
    assert_metric(&server, "\nkarta_policy_decisions_total{policy=\"fails\",action=\"deny\"} 1\n");
    assert_metric(&server,
                  "\nkarta_policy_decisions_total{policy=\"ignores\",action=\"allow\"} 1\n");
    assert_metric(&server, "\nkarta_policy_decisions_total{policy=\"fails\",action=\"error\"} 1\n");
    assert_metric(&server,
                  "\nkarta_policy_decisions_total{policy=\"ignores\",action=\"error\"} 1\n");
}

static void view__that_is_incomplete_fails_every_policy(void **state)
{
    (void)state;
    json_t *request = request_for("CREATE", "size", set_of(-2));
    assert_denied(ask("/validate/workloads", request),
                  "policy size: component worker: replicasPath gives -3; a count is a whole number "
                  "from 0 to 2147483647");
}

static void defaults__that_differ_are_warned_of(void **state)
{
    (void)state;
    json_t *response = ask("/mutate/workloads", request_for("CREATE", "defaults", set_of(2)));
    json_t *warnings = json_object_get(response, "warnings");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    assert_int_equal(json_array_size(warnings), 1);
    assert_string_equal(json_string_value(json_array_get(warnings, 0)),
                        "policies a-default and z-default default different queues: early of the "
                        "first by name is used");
    assert_non_null(json_object_get(response, "patch"));
    json_decref(response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything__spares_what_it_could_be_removed_with),
        cmocka_unit_test(update__that_grows_by_any_field_is_denied),
        cmocka_unit_test(users__that_are_exempt_are_not_asked),
        cmocka_unit_test(warnings__are_few_and_short),
        cmocka_unit_test(failure__is_not_false),
        cmocka_unit_test(view__that_is_incomplete_fails_every_policy),
        cmocka_unit_test(defaults__that_differ_are_warned_of),
    };
    return cmocka_run_group_tests_name("policies_apart", tests, start, stop);
}
