/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two webhook configurations. The one idea: a webhook is what sets it apart from the others,
 * and what they have in common is written once. Fields: k8s.io/api/admissionregistration/v1.
 */
#include "configurations.h"

#include <string.h>

#include "base/mem.h"
#include "base/base64.h"
#include "configurations_rules.h"

/* well below the 10 s that is usual: our own deadlines are a tenth of a second */
#define TIMEOUT_SECONDS 5

enum objects { OBJECTS_ALL, OBJECTS_NOT_OPTED_OUT, OBJECTS_MARKED };

/* What sets a webhook apart. */
struct hook {
    const char *name, *path;
    bool mutating, fails, namespaced;
    enum objects objects;
    json_t *rules; /* taken; NULL: memory is out; empty: no such webhook */
};

/* Namespaces by the label that the API server itself keeps. No exclusion is no selector: an
 * expression without values is refused. */
static int add_namespace_selector(json_t *hook, const struct configurations_options *options)
{
    if (options->excluded_namespace_count == 0)
        return 0;
    json_t *names =
        rules_sorted_texts(options->excluded_namespaces, options->excluded_namespace_count);
    return json_object_set_new(hook, "namespaceSelector",
                               json_pack("{s:[{s:s, s:s, s:o}]}", "matchExpressions", "key",
                                         "kubernetes.io/metadata.name", "operator", "NotIn",
                                         "values", names));
}

static int add_object_selector(json_t *hook, enum objects objects)
{
    json_t *selector = NULL;
    if (objects == OBJECTS_ALL)
        return 0;
    if (objects == OBJECTS_MARKED)
        selector = json_pack("{s:{s:s}}", "matchLabels", "workloadmap.dev/pod-phase", "true");
    else
        selector = json_pack("{s:[{s:s, s:s, s:[s]}]}", "matchExpressions", "key",
                             "workloadmap.dev/inject", "operator", "NotIn", "values", "false");
    return json_object_set_new(hook, "objectSelector", selector);
}

static int add_ca_bundle(json_t *client, const char *pem)
{
    if (pem == NULL)
        return 0;
    KARTA_AUTO_TEXT encoded = base64_encode(pem, strlen(pem));
    return encoded != NULL ? json_object_set_new(client, "caBundle", json_string(encoded)) : -1;
}

static json_t *client_config(const struct configurations_options *options, const char *path)
{
    json_t *client = NULL;
    if (options->url != NULL) {
        KARTA_AUTO_TEXT url = mem_format("%s%s", options->url, path);
        client = url != NULL ? json_pack("{s:s}", "url", url) : NULL;
    } else {
        client = json_pack("{s:{s:s, s:s, s:s, s:i}}", "service", "namespace",
                           options->service_namespace, "name", options->service_name, "path", path,
                           "port", 443);
    }
    if (client == NULL || add_ca_bundle(client, options->ca_bundle) != 0) {
        json_decref(client);
        return NULL;
    }
    return client;
}

/* 0, or not when memory is out. */
static int append_hook(json_t *hooks, const struct configurations_options *options,
                       const struct hook *hook)
{
    if (hook->rules == NULL)
        return -1;
    if (json_array_size(hook->rules) == 0)
        return 0;
    json_t *json =
        json_pack("{s:s, s:o, s:O, s:s, s:s, s:s, s:i, s:[s]}", "name", hook->name, "clientConfig",
                  client_config(options, hook->path), "rules", hook->rules, "failurePolicy",
                  hook->fails ? "Fail" : "Ignore", "matchPolicy", "Equivalent", "sideEffects",
                  "None", "timeoutSeconds", TIMEOUT_SECONDS, "admissionReviewVersions", "v1");
    if (json_array_append_new(hooks, json) != 0)
        return -1;
    int failed = add_object_selector(json, hook->objects);
    if (hook->mutating)
        failed |= json_object_set_new(json, "reinvocationPolicy", json_string("IfNeeded"));
    if (hook->namespaced)
        failed |= add_namespace_selector(json, options);
    return failed;
}

static int add_hook(json_t *hooks, const struct configurations_options *options,
                    const struct hook *hook)
{
    int failed = append_hook(hooks, options, hook);
    json_decref(hook->rules);
    return failed;
}

static int add_workloads(json_t *hooks, const struct configurations_options *options,
                         const struct configurations_input *input)
{
    const struct rules_input rules = {.resources = {input->workloads}, .namespaced = true};
    const struct hook hook = {.name = "workloads.mutate.workloadmap.dev",
                              .path = "/mutate/workloads",
                              .mutating = true,
                              .fails = options->fail_workloads,
                              .namespaced = true,
                              .objects = OBJECTS_NOT_OPTED_OUT,
                              .rules = rules_new(&rules)};
    return add_hook(hooks, options, &hook);
}

/* Of pods only those that we marked ourselves. Made without their keys they could never be ganged,
 * so Fail: their owner makes them again until we answer. */
static int add_pods(json_t *hooks, const struct configurations_options *options)
{
    json_t *rules =
        json_pack("[{s:[s], s:[s], s:[s], s:[s], s:s}]", "apiGroups", "", "apiVersions", "v1",
                  "operations", "CREATE", "resources", "pods", "scope", "Namespaced");
    const struct hook hook = {.name = "pods.mutate.workloadmap.dev",
                              .path = "/mutate/pods",
                              .mutating = true,
                              .fails = true,
                              .namespaced = true,
                              .objects = OBJECTS_MARKED,
                              .rules = rules};
    return add_hook(hooks, options, &hook);
}

static int add_definitions(json_t *hooks, const struct configurations_options *options,
                           const struct rules_input *rules, bool mutating)
{
    const struct hook hook = {.name = mutating ? "definitions.mutate.workloadmap.dev"
                                               : "definitions.validate.workloadmap.dev",
                              .path = mutating ? "/mutate/definitions" : "/validate/definitions",
                              .mutating = mutating,
                              .fails = true,
                              .rules = rules_new(rules)};
    return add_hook(hooks, options, &hook);
}

/* No object selector: a label that opts out of policies would be a hole in them. */
static int add_policed(json_t *hooks, const struct configurations_options *options,
                       const struct rules_input *rules, bool fails)
{
    const struct hook hook = {.name = fails ? "workloads-fail.validate.workloadmap.dev"
                                            : "workloads-ignore.validate.workloadmap.dev",
                              .path = "/validate/workloads",
                              .fails = fails,
                              .namespaced = true,
                              .rules = rules_new(rules)};
    return add_hook(hooks, options, &hook);
}

/* Takes `hooks`. */
static int configuration_of(const char *kind, json_t *hooks, json_t **configuration,
                            struct karta_error *err)
{
    *configuration = json_pack(
        "{s:s, s:s, s:{s:s, s:{s:s, s:s}}, s:o}", "apiVersion", "admissionregistration.k8s.io/v1",
        "kind", kind, "metadata", "name", CONFIGURATION_NAME, "labels", "app.kubernetes.io/name",
        CONFIGURATION_NAME, "app.kubernetes.io/managed-by", CONFIGURATION_NAME, "webhooks", hooks);
    return *configuration != NULL ? 0 : mem_error(err);
}

int configurations_mutating(const struct configurations_options *options,
                            const struct configurations_input *input, json_t **configuration,
                            struct karta_error *err)
{
    const struct rules_input definitions = {.resources = {input->definitions}};
    json_t *hooks = json_array();
    int failed = add_workloads(hooks, options, input);
    if (failed == 0 && json_array_size(hooks) > 0)
        failed = add_pods(hooks, options);
    if (failed == 0)
        failed = add_definitions(hooks, options, &definitions, true);
    if (failed == 0)
        return configuration_of("MutatingWebhookConfiguration", hooks, configuration, err);
    *configuration = NULL;
    json_decref(hooks);
    return mem_error(err);
}

int configurations_validating(const struct configurations_options *options,
                              const struct configurations_input *input, json_t **configuration,
                              struct karta_error *err)
{
    const struct rules_input definitions = {.resources = {input->definitions, input->others}};
    /* each request is judged by all policies, so one question about a kind is enough */
    const struct rules_input ignored = {
        .resources = {input->policed_ignore}, .without = input->policed_fail, .namespaced = true};
    const struct rules_input failing = {.resources = {input->policed_fail}, .namespaced = true};
    json_t *hooks = json_array();
    int failed = add_definitions(hooks, options, &definitions, false);
    if (failed == 0)
        failed = add_policed(hooks, options, &ignored, false);
    if (failed == 0)
        failed = add_policed(hooks, options, &failing, true);
    if (failed == 0)
        return configuration_of("ValidatingWebhookConfiguration", hooks, configuration, err);
    *configuration = NULL;
    json_decref(hooks);
    return mem_error(err);
}
