/* SPDX-License-Identifier: Apache-2.0 */
/* Webhook configurations in a cluster where others edit them too. */
#include "configurations_apply.h"

#include <stdlib.h>
#include <string.h>

#include "api_server.h"
#include "configurations.h"
#include "support.h"

#define PLURAL "mutatingwebhookconfigurations"
#define WORKLOADS "workloads.mutate.workloadmap.dev"

static struct api_server *server;
static struct kube_access access_;
static struct kube_client *client;

static int start(void **state)
{
    (void)state;
    server = api_server_start(NULL);
    access_ = (struct kube_access){.url = api_server_url(server)};
    return kube_client_new(&access_, NULL, &client, NULL);
}

static int stop(void **state)
{
    (void)state;
    kube_client_free(client);
    api_server_free(server);
    return 0;
}

/* New configuration for one workload's plural; NULL: for nothing. */
static json_t *wanted(const char *plural)
{
    const struct configurations_resource workload = {"example.org", "v1", plural};
    static const char *const excluded[] = {"kube-system"};
    const struct configurations_options options = {.url = "https://host:9443",
                                                   .ca_bundle = "pem\n",
                                                   .excluded_namespaces = excluded,
                                                   .excluded_namespace_count = 1};
    const struct configurations_input input = {.workloads = {&workload, plural != NULL ? 1 : 0}};
    json_t *configuration = NULL;
    assert_int_equal(configurations_mutating(&options, &input, &configuration, NULL), 0);
    return configuration;
}

static struct configurations_applied apply(const char *plural)
{
    struct configurations_applied applied;
    struct karta_error err = {0};
    json_t *configuration = wanted(plural);
    int code = configurations_apply(client, configuration, &applied, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(code, 0);
    json_decref(configuration);
    return applied;
}

static json_t *live(void)
{
    return api_server_get(server, PLURAL, NULL, CONFIGURATION_NAME);
}

static json_t *hook_of(const json_t *configuration, const char *name)
{
    size_t index;
    json_t *hook;
    json_array_foreach(json_object_get(configuration, "webhooks"), index, hook)
    {
        if (strcmp(json_string_value(json_object_get(hook, "name")), name) == 0)
            return hook;
    }
    return NULL;
}

/* Somebody sets a field of the workloads' webhook. */
static void edit(const char *key, const char *value)
{
    json_t *object = live(), *copy = json_deep_copy(object);
    json_object_set_new(hook_of(copy, WORKLOADS), key, test_json(value));
    api_server_put_json(server, copy);
    json_decref(copy);
    json_decref(object);
}

static void assert_field(const char *key, const char *expected)
{
    json_t *object = live(), *value = test_json(expected);
    assert_json_equal(json_object_get(hook_of(object, WORKLOADS), key), value);
    json_decref(value);
    json_decref(object);
}

static void assert_resources(const char *expected)
{
    json_t *object = live();
    const json_t *rules = json_object_get(hook_of(object, WORKLOADS), "rules");
    const json_t *resources = json_object_get(json_array_get(rules, 0), "resources");
    assert_string_equal(json_string_value(json_array_get(resources, 0)), expected);
    json_decref(object);
}

static void apply__creates_and_then_changes_nothing(void **state)
{
    (void)state;
    struct configurations_applied applied = apply("trains");
    assert_true(applied.selectors_left == 0 && !applied.forced && !applied.deleted);
    json_t *first = live(), *configuration = wanted("trains");
    assert_json_equal(json_object_get(first, "webhooks"),
                      json_object_get(configuration, "webhooks"));
    apply("trains");
    json_t *second = live();
    assert_json_equal(second, first);
    json_decref(first);
    json_decref(second);
    json_decref(configuration);
}

static void apply__follows_what_is_wanted(void **state)
{
    (void)state;
    apply("trains");
    struct configurations_applied applied = apply("planes");
    assert_false(applied.forced);
    assert_resources("planes");
}

static void selectors__edited_by_others_stay(void **state)
{
    (void)state;
    static const char theirs[] = "{'matchLabels': {'gangs': 'yes'}}";
    apply("trains");
    edit("namespaceSelector", theirs);
    struct configurations_applied applied = apply("planes");
    assert_int_equal(applied.selectors_left, 1);
    assert_false(applied.forced);
    assert_resources("planes");
    assert_field("namespaceSelector", theirs);
    edit("objectSelector", theirs);
    applied = apply("boats");
    assert_int_equal(applied.selectors_left, 2);
    assert_false(applied.forced);
    assert_resources("boats");
    assert_field("namespaceSelector", theirs);
    assert_field("objectSelector", theirs);
}

static void other_fields__are_taken_back_and_selectors_still_stay(void **state)
{
    (void)state;
    static const char theirs[] = "{'matchLabels': {'gangs': 'yes'}}";
    apply("trains");
    edit("clientConfig", "{'url': 'https://elsewhere', 'caBundle': 'AAAA'}");
    edit("namespaceSelector", theirs);
    struct configurations_applied applied = apply("trains");
    assert_int_equal(applied.selectors_left, 1);
    assert_true(applied.forced);
    assert_field("clientConfig",
                 "{'url': 'https://host:9443/mutate/workloads', 'caBundle': 'cGVtCg=='}");
    assert_field("namespaceSelector", theirs);
    edit("failurePolicy", "'Fail'");
    applied = apply("trains");
    assert_true(applied.forced);
    assert_field("failurePolicy", "'Ignore'");
    applied = apply("trains");
    assert_false(applied.forced);
}

static void empty__is_deleted_where_it_is_ours(void **state)
{
    (void)state;
    apply("trains");
    struct configurations_applied applied = apply(NULL);
    assert_true(applied.deleted);
    assert_int_equal(api_server_count(server, PLURAL), 0);
    applied = apply(NULL);
    assert_false(applied.deleted);
}

static void empty__leaves_what_others_manage(void **state)
{
    (void)state;
    api_server_put(server, "{'apiVersion': 'admissionregistration.k8s.io/v1', 'kind': "
                           "'MutatingWebhookConfiguration', 'metadata': {'name': 'karta-webhook', "
                           "'labels': {'app.kubernetes.io/managed-by': 'Helm'}}, 'webhooks': []}");
    struct configurations_applied applied = apply(NULL);
    assert_false(applied.deleted);
    assert_int_equal(api_server_count(server, PLURAL), 1);
    api_server_delete(server, PLURAL, NULL, CONFIGURATION_NAME);
}

/* The pods' webhook is wanted no more, and half of it is somebody else's: invalid as a rest. */
static void stale__webhook_that_cannot_be_applied_away_is_taken_out(void **state)
{
    (void)state;
    json_t *configuration = wanted("trains");
    json_t *extra = json_deep_copy(json_array_get(json_object_get(configuration, "webhooks"), 0));
    json_object_set_new(extra, "name", json_string("old.mutate.workloadmap.dev"));
    json_array_append_new(json_object_get(configuration, "webhooks"), extra);
    api_server_put_json(server, configuration);
    json_decref(configuration);
    api_server_fault(server, "patch", PLURAL, API_FAULT_STATUS, 422, 1);
    struct configurations_applied applied = apply("trains");
    assert_true(applied.mended);
    json_t *object = live();
    assert_null(hook_of(object, "old.mutate.workloadmap.dev"));
    assert_non_null(hook_of(object, WORKLOADS));
    assert_non_null(hook_of(object, "pods.mutate.workloadmap.dev"));
    json_decref(object);
}

static int refuse(enum api_fault fault, int number, struct karta_error *err)
{
    struct configurations_applied applied;
    json_t *configuration = wanted("trains");
    api_server_fault(server, "patch", PLURAL, fault, number, 0);
    int code = configurations_apply(client, configuration, &applied, err);
    api_server_fault(server, "patch", PLURAL, API_FAULT_NONE, 0, 0);
    assert_false(applied.forced);
    json_decref(configuration);
    return code;
}

static void failure__is_told_as_the_client_tells_it(void **state)
{
    (void)state;
    struct karta_error err = {0};
    assert_int_equal(refuse(API_FAULT_STATUS, 403, &err), KARTA_ERR_IO);
    assert_non_null(strstr(err.message, "patch " PLURAL));
    karta_error_init(&err);
    size_t before = api_server_asked(server, "patch", PLURAL);
    assert_int_equal(refuse(API_FAULT_STATUS, 409, &err), KARTA_ERR_CONFLICT);
    assert_true(api_server_asked(server, "patch", PLURAL) - before <= 5);
    karta_error_init(&err);
    assert_int_equal(refuse(API_FAULT_STATUS, 422, &err), KARTA_ERR_IO);
    karta_error_init(&err);
    assert_int_not_equal(refuse(API_FAULT_GARBAGE, 0, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(apply__creates_and_then_changes_nothing, start, stop),
        cmocka_unit_test_setup_teardown(apply__follows_what_is_wanted, start, stop),
        cmocka_unit_test_setup_teardown(selectors__edited_by_others_stay, start, stop),
        cmocka_unit_test_setup_teardown(other_fields__are_taken_back_and_selectors_still_stay,
                                        start, stop),
        cmocka_unit_test_setup_teardown(empty__is_deleted_where_it_is_ours, start, stop),
        cmocka_unit_test_setup_teardown(empty__leaves_what_others_manage, start, stop),
        cmocka_unit_test_setup_teardown(stale__webhook_that_cannot_be_applied_away_is_taken_out,
                                        start, stop),
        cmocka_unit_test_setup_teardown(failure__is_told_as_the_client_tells_it, start, stop)};
    return cmocka_run_group_tests_name("cluster.configurations_apply", tests, NULL, NULL);
}
