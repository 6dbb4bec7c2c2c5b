/* SPDX-License-Identifier: Apache-2.0 */
/* The two webhook configurations, whole, and what must never be in them. */
#include "configurations.h"

#include <string.h>

#include "base/mem.h"
#include "karta/document.h"
#include "support.h"

#define LIST(array)                                                                                \
    {                                                                                              \
        (array), sizeof(array) / sizeof *(array)                                                   \
    }

static const struct configurations_resource workloads[] = {
    {"jobset.x-k8s.io", "v1alpha2", "jobsets"},
    {"apps", "v1", "statefulsets"},
    {"apps", "v1", "deployments"},
    {"batch", "v1", "jobs"},
    {"apps", "v1beta1", "deployments"}};
static const struct configurations_resource kartas[] = {{"run.ai", "v1alpha1", "kartas"}};
static const struct configurations_resource others[] = {
    {"workloadmap.dev", "v1alpha1", "workloadpolicies"},
    {"workloadmap.dev", "v1alpha1", "gangprofiles"}};
static const struct configurations_resource ignored[] = {{"apps", "v1", "deployments"},
                                                         {"batch", "v1", "jobs"}};
static const struct configurations_resource failing[] = {{"batch", "v1", "jobs"}};
static const char *const excluded[] = {"kube-system", "karta-webhook", "kube-system"};

static const struct configurations_input full = {LIST(workloads), LIST(kartas), LIST(others),
                                                 LIST(ignored), LIST(failing)};
static const struct configurations_options service = {.service_namespace = "karta",
                                                      .service_name = "webhook",
                                                      .ca_bundle = "pem\n",
                                                      .excluded_namespaces = excluded,
                                                      .excluded_namespace_count = 3};

static json_t *mutating(const struct configurations_options *options,
                        const struct configurations_input *input)
{
    json_t *configuration = NULL;
    assert_int_equal(configurations_mutating(options, input, &configuration, NULL), 0);
    return configuration;
}

static json_t *validating(const struct configurations_options *options,
                          const struct configurations_input *input)
{
    json_t *configuration = NULL;
    assert_int_equal(configurations_validating(options, input, &configuration, NULL), 0);
    return configuration;
}

static const json_t *hook_of(const json_t *configuration, const char *name)
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

/* Compares and frees. */
static void assert_is_file(json_t *actual, const char *name)
{
    KARTA_AUTO_TEXT path = mem_format("tests/unit/core/data/%s", name);
    size_t size;
    KARTA_AUTO_TEXT bytes = test_read(path, &size);
    json_t *documents = NULL;
    assert_int_equal(karta_documents_parse(bytes, size, &documents, NULL), 0);
    assert_json_equal(actual, json_array_get(documents, 0));
    json_decref(documents);
    json_decref(actual);
}

/* Without webhooks; frees. */
static void assert_is_empty(json_t *actual, const char *kind)
{
    json_t *expected = json_pack(
        "{s:s, s:s, s:{s:s, s:{s:s, s:s}}, s:[]}", "apiVersion", "admissionregistration.k8s.io/v1",
        "kind", kind, "metadata", "name", "karta-webhook", "labels", "app.kubernetes.io/name",
        "karta-webhook", "app.kubernetes.io/managed-by", "karta-webhook", "webhooks");
    assert_json_equal(actual, expected);
    json_decref(expected);
    json_decref(actual);
}

static void mutating__whole(void **state)
{
    (void)state;
    assert_is_file(mutating(&service, &full), "configuration-mutating.yaml");
}

static void validating__whole(void **state)
{
    (void)state;
    const struct configurations_options url = {.url = "https://host:9443"};
    assert_is_file(validating(&url, &full), "configuration-validating.yaml");
}

/* Policies see namespaces excluded, but no label of the object's own gets past them. */
static void validating__has_no_way_out_by_label(void **state)
{
    (void)state;
    json_t *configuration = validating(&service, &full);
    json_t *namespaces =
        test_json("{'matchExpressions': [{'key': 'kubernetes.io/metadata.name', 'operator': "
                  "'NotIn', 'values': ['karta-webhook', 'kube-system']}]}");
    static const char *const names[] = {"workloads-ignore.validate.workloadmap.dev",
                                        "workloads-fail.validate.workloadmap.dev"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *hook = hook_of(configuration, names[i]);
        assert_null(json_object_get(hook, "objectSelector"));
        assert_json_equal(json_object_get(hook, "namespaceSelector"), namespaces);
    }
    const json_t *definitions = hook_of(configuration, "definitions.validate.workloadmap.dev");
    assert_null(json_object_get(definitions, "namespaceSelector"));
    json_decref(namespaces);
    json_decref(configuration);
}

static void failure_policy__of_workloads_is_an_option(void **state)
{
    (void)state;
    struct configurations_options fail = service;
    fail.fail_workloads = true;
    json_t *configuration = mutating(&fail, &full);
    const json_t *hook = hook_of(configuration, "workloads.mutate.workloadmap.dev");
    assert_string_equal(json_string_value(json_object_get(hook, "failurePolicy")), "Fail");
    json_decref(configuration);
}

/* The same bytes, or every replica would write what the other has written differently. */
static void order_and_repetition__give_the_same_bytes(void **state)
{
    (void)state;
    struct configurations_resource turned[10];
    for (size_t i = 0; i < 10; i++)
        turned[i] = workloads[(9 - i) % 5];
    const char *const names[] = {"karta-webhook", "kube-system"};
    struct configurations_input input = full;
    input.workloads = (struct configurations_resources)LIST(turned);
    struct configurations_options options = service;
    options.excluded_namespaces = names;
    options.excluded_namespace_count = 2;
    json_t *one = mutating(&service, &full), *two = mutating(&options, &input);
    char *first = json_dumps(one, JSON_COMPACT), *second = json_dumps(two, JSON_COMPACT);
    assert_string_equal(first, second);
    free(first);
    free(second);
    json_decref(one);
    json_decref(two);
}

static void empty__lists_give_no_webhooks(void **state)
{
    (void)state;
    const struct configurations_input none = {0};
    assert_is_empty(mutating(&service, &none), "MutatingWebhookConfiguration");
    assert_is_empty(validating(&service, &none), "ValidatingWebhookConfiguration");
    struct configurations_input some = full;
    some.workloads.count = 0;
    json_t *configuration = mutating(&service, &some);
    assert_int_equal(json_array_size(json_object_get(configuration, "webhooks")), 1);
    assert_non_null(hook_of(configuration, "definitions.mutate.workloadmap.dev"));
    json_decref(configuration);
}

/* One of these would bring every request of a group, every pod, or every status update to us. */
static void broad__rules_are_left_out(void **state)
{
    (void)state;
    static const struct configurations_resource broad[] = {
        {"apps", "v1", "*"},    {"apps", "v1", ""},       {"apps", "v1", "deployments/scale"},
        {"apps", "v1", "*/*"},  {"*", "v1", "jobs"},      {"apps", "*", "deployments"},
        {"apps", "", "things"}, {"apps", "v1", "pods/*"}, {"", "v1", "pods"}};
    const struct configurations_input input = {
        .workloads = LIST(broad), .policed_ignore = LIST(broad), .policed_fail = LIST(broad)};
    assert_is_empty(mutating(&service, &input), "MutatingWebhookConfiguration");
    assert_is_empty(validating(&service, &input), "ValidatingWebhookConfiguration");
}

static void broad__rules_do_not_take_others_with_them(void **state)
{
    (void)state;
    static const struct configurations_resource mixed[] = {{"", "v1", "pods"},
                                                           {"", "v1", "replicationcontrollers"}};
    const struct configurations_input one = {.workloads = LIST(mixed)};
    json_t *configuration = mutating(&service, &one);
    const json_t *hook = hook_of(configuration, "workloads.mutate.workloadmap.dev");
    json_t *expected = test_json("[{'apiGroups': [''], 'apiVersions': ['v1'], 'operations': "
                                 "['CREATE', 'UPDATE'], 'resources': ['replicationcontrollers'], "
                                 "'scope': 'Namespaced'}]");
    assert_json_equal(json_object_get(hook, "rules"), expected);
    json_decref(expected);
    json_decref(configuration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutating__whole),
                                       cmocka_unit_test(validating__whole),
                                       cmocka_unit_test(validating__has_no_way_out_by_label),
                                       cmocka_unit_test(failure_policy__of_workloads_is_an_option),
                                       cmocka_unit_test(order_and_repetition__give_the_same_bytes),
                                       cmocka_unit_test(empty__lists_give_no_webhooks),
                                       cmocka_unit_test(broad__rules_are_left_out),
                                       cmocka_unit_test(broad__rules_do_not_take_others_with_them)};
    return cmocka_run_group_tests_name("configurations", tests, NULL, NULL);
}
