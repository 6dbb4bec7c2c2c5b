/* SPDX-License-Identifier: Apache-2.0 */
/* The webhook configurations that a running server keeps: what is in force and what the cluster
 * has, no more; what others own of them is theirs. */
#include "trial.h"

#define WORKLOADS "workloads.mutate.workloadmap.dev"
#define IGNORED "workloads-ignore.validate.workloadmap.dev"
#define FAILED "workloads-fail.validate.workloadmap.dev"
#define DEFINITIONS "definitions.validate.workloadmap.dev"

static struct api_server *api;
static struct running server;

static int setup(void **state)
{
    (void)state;
    api = trial_api();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trial_stop(&server);
    api_server_free(api);
    return 0;
}

/* Nothing in it stands for more than it names, and nobody is asked about all pods. */
static void assert_narrow(const char *plural)
{
    json_t *configuration = api_server_get(api, plural, NULL, "karta-webhook"), *hook;
    size_t index;
    KARTA_AUTO_TEXT text = json_dumps(json_object_get(configuration, "webhooks"), 0);
    assert_null(strstr(text, "\"*\""));
    json_array_foreach(json_object_get(configuration, "webhooks"), index, hook)
    {
        const char *name = json_string_value(json_object_get(hook, "name"));
        KARTA_AUTO_TEXT rules = json_dumps(json_object_get(hook, "rules"), 0);
        KARTA_AUTO_TEXT objects = json_dumps(json_object_get(hook, "objectSelector"), 0);
        if (strstr(rules, "\"pods\"") != NULL) {
            assert_string_equal(name, "pods.mutate.workloadmap.dev");
            assert_non_null(strstr(objects, "workloadmap.dev/pod-phase"));
        }
        assert_null(strstr(rules, "DELETE"));
    }
    json_decref(configuration);
}

static void rules__follow_kartas_and_policies(void **state)
{
    (void)state;
    api_server_kind(api, "apps", "v1", "Deployment", "deployments", true, true); /* no gang */
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "jobset.x-k8s.io/v1alpha2/jobsets"));
    EVENTUALLY(trial_rules_are(api, VALIDATING, DEFINITIONS,
                               "run.ai/v1alpha1/kartas workloadmap.dev/v1alpha1/gangprofiles "
                               "workloadmap.dev/v1alpha1/workloadpolicies"));
    assert_true(trial_rules_are(api, VALIDATING, IGNORED, ""));
    assert_true(trial_rules_are(api, VALIDATING, FAILED, ""));
    trial_put(api, trial_karta("train", "Train", "3"));
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS,
                               "example.org/v1/trains jobset.x-k8s.io/v1alpha2/jobsets"));
    trial_put(api, trial_policy("gpus", "JobSet", 8, "Ignore"));
    EVENTUALLY(trial_rules_are(api, VALIDATING, IGNORED, "jobset.x-k8s.io/v1alpha2/jobsets"));
    trial_put(api, trial_policy("trains", "Train", 8, "Fail"));
    EVENTUALLY(trial_rules_are(api, VALIDATING, FAILED, "example.org/v1/trains"));
    assert_true(trial_rules_are(api, VALIDATING, IGNORED, "jobset.x-k8s.io/v1alpha2/jobsets"));
    assert_narrow(MUTATING);
    assert_narrow(VALIDATING);
    api_server_delete(api, "workloadpolicies", NULL, "gpus");
    EVENTUALLY(trial_rules_are(api, VALIDATING, IGNORED, ""));
    api_server_delete(api, "kartas", NULL, "train");
    EVENTUALLY(trial_rules_are(api, VALIDATING, FAILED, ""));
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "jobset.x-k8s.io/v1alpha2/jobsets"));
}

/* As discovery says: both halves of the change are seen by one look. */
static void rules__follow_discovery(void **state)
{
    (void)state;
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "jobset.x-k8s.io/v1alpha2/jobsets"));
    api_server_kind(api, "ray.io", "v1", "RayCluster", "rayclusters", true, true);
    api_server_forget_kind(api, "jobset.x-k8s.io", "v1alpha2", "JobSet");
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "ray.io/v1/rayclusters"));
    /* a group whose server is away is not gone */
    api_server_stale(api, "ray.io", true);
    api_server_kind(api, "batch", "v1", "Job", "jobs", true, true);
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "batch/v1/jobs ray.io/v1/rayclusters"));
}

static void rules__without_excluded_kinds(void **state)
{
    (void)state;
    trial_put(api, trial_karta("train", "Train", "3"));
    trial_start_ready(&server, api,
                      (const char *[]){"--exclude-kind", "jobset.x-k8s.io/JobSet",
                                       "--failure-policy", "Fail", NULL});
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "example.org/v1/trains"));
    json_t *configuration = api_server_get(api, MUTATING, NULL, "karta-webhook"), *hook;
    size_t index;
    json_array_foreach(json_object_get(configuration, "webhooks"), index, hook)
        assert_string_equal(json_string_value(json_object_get(hook, "failurePolicy")), "Fail");
    json_decref(configuration);
}

static json_t *hook_of(json_t *configuration, const char *name)
{
    size_t index;
    json_t *hook;
    json_array_foreach(json_object_get(configuration, "webhooks"), index, hook)
    {
        if (strcmp(json_string_value(json_object_get(hook, "name")), name) == 0)
            return hook;
    }
    fail_msg("no webhook %s", name);
    return NULL;
}

static void configuration__what_others_changed_of_it(void **state)
{
    (void)state;
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "jobset.x-k8s.io/v1alpha2/jobsets"));
    EVENTUALLY(api_server_count(api, VALIDATING) == 1);
    json_t *configuration = api_server_get(api, MUTATING, NULL, "karta-webhook");
    json_t *hook = hook_of(configuration, WORKLOADS);
    json_t *theirs = test_json("{'matchExpressions': [{'key': 'team', 'operator': 'Exists'}]}");
    json_t *bundle =
        json_incref(json_object_get(json_object_get(hook, "clientConfig"), "caBundle"));
    assert_true(json_string_length(bundle) > 100);
    json_object_set(hook, "namespaceSelector", theirs);
    json_object_set_new(hook, "rules",
                        test_json("[{'apiGroups': ['*'], 'apiVersions': ['*'], 'operations': "
                                  "['*'], 'resources': ['*'], 'scope': '*'}]"));
    json_object_set_new(json_object_get(hook, "clientConfig"), "caBundle", json_string("QUJD"));
    api_server_put_json(api, configuration);
    json_decref(configuration);
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, "jobset.x-k8s.io/v1alpha2/jobsets"));
    configuration = api_server_get(api, MUTATING, NULL, "karta-webhook");
    hook = hook_of(configuration, WORKLOADS);
    assert_json_equal(json_object_get(hook, "namespaceSelector"), theirs);
    assert_json_equal(json_object_get(json_object_get(hook, "clientConfig"), "caBundle"), bundle);
    json_decref(bundle);
    json_decref(configuration);
    /* one that is deleted comes back, and a change later leaves the selector alone */
    api_server_delete(api, VALIDATING, NULL, "karta-webhook");
    trial_put(api, trial_karta("train", "Train", "3"));
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS,
                               "example.org/v1/trains jobset.x-k8s.io/v1alpha2/jobsets"));
    configuration = api_server_get(api, MUTATING, NULL, "karta-webhook");
    assert_json_equal(json_object_get(hook_of(configuration, WORKLOADS), "namespaceSelector"),
                      theirs);
    json_decref(configuration);
    json_decref(theirs);
    EVENTUALLY(api_server_count(api, VALIDATING) == 1);
}

/* A server that begins anew knows nothing yet: until it does, what is written stays. */
static void configuration__is_not_narrowed_by_a_restart(void **state)
{
    (void)state;
    static const char both[] = "example.org/v1/trains jobset.x-k8s.io/v1alpha2/jobsets";
    trial_put(api, trial_karta("train", "Train", "3"));
    trial_put(api, trial_policy("gpus", "JobSet", 8, "Fail"));
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(trial_rules_are(api, VALIDATING, FAILED, "jobset.x-k8s.io/v1alpha2/jobsets"));
    EVENTUALLY(trial_rules_are(api, MUTATING, WORKLOADS, both));
    trial_stop(&server);
    api_server_fault(api, "list", "kartas", API_FAULT_STATUS, 500, 0);
    trial_start(&server, api, NULL);
    size_t listed = api_server_asked(api, "list", "kartas");
    EVENTUALLY(api_server_asked(api, "list", "kartas") > listed + 2);
    assert_true(trial_rules_are(api, MUTATING, WORKLOADS, both));
    assert_true(trial_rules_are(api, VALIDATING, FAILED, "jobset.x-k8s.io/v1alpha2/jobsets"));
    api_server_fault(api, "list", "kartas", API_FAULT_NONE, 0, 0);
    EVENTUALLY(trial_is_ready(&server, NULL));
    EVENTUALLY(trial_logged(&server, "webhook configuration written") == 2);
    assert_true(trial_rules_are(api, MUTATING, WORKLOADS, both));
    assert_true(trial_rules_are(api, VALIDATING, FAILED, "jobset.x-k8s.io/v1alpha2/jobsets"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rules__follow_kartas_and_policies),
        TEST(rules__follow_discovery),
        TEST(rules__without_excluded_kinds),
        TEST(configuration__what_others_changed_of_it),
        TEST(configuration__is_not_narrowed_by_a_restart),
    };
    return cmocka_run_group_tests_name("cluster.server_configurations", tests, NULL, NULL);
}
