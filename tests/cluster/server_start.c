/* SPDX-License-Identifier: Apache-2.0 */
/* The start, while the API server is not as one would have it: the server listens, answers, says
 * what it waits for, and goes on by itself. */
#include "trial.h"

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

static void start__without_an_api_server(void **state)
{
    (void)state;
    trial_put(api, trial_karta("train", "Train", "3"));
    api_server_die(api);
    trial_start(&server, api, NULL);
    EVENTUALLY(trial_waits(&server, ": the API server cannot be reached: "));
    assert_true(trial_has(&server, "built-in:batch-job-v1.yaml", "active"));
    assert_true(trial_allows(&server));
    char *address = mem_format("127.0.0.1:%d", api_server_port(api));
    assert_true(trial_waits(&server, address));
    free(address);
    api_server_return(api);
    EVENTUALLY(trial_is_ready(&server, NULL));
    assert_true(trial_has(&server, "cluster:train", "active"));
    assert_true(trial_patches(&server, "Train"));
}

/* What RBAC lacks is named, in /readyz and once in the log. */
static void refused(int status, const char *words)
{
    api_server_fault(api, "list", "workloadpolicies", API_FAULT_STATUS, status, 0);
    trial_start(&server, api, NULL);
    EVENTUALLY(trial_waits(&server, words));
    size_t asked = api_server_asked(api, "list", "workloadpolicies");
    EVENTUALLY(api_server_asked(api, "list", "workloadpolicies") > asked + 2);
    assert_int_equal(trial_logged(&server, "list workloadpolicies.workloadmap.dev: "), 1);
    /* nothing is written of what is half known */
    assert_int_equal(api_server_count(api, MUTATING), 0);
    assert_int_equal(api_server_asked(api, NULL, "leases"), 0);
    api_server_fault(api, NULL, NULL, API_FAULT_NONE, 0, 0);
    EVENTUALLY(trial_is_ready(&server, NULL));
    EVENTUALLY(api_server_count(api, MUTATING) == 1);
}

static void start__unauthorized(void **state)
{
    (void)state;
    refused(401, "list workloadpolicies.workloadmap.dev: unauthorized (401): the API server wants "
                 "a token");
}

static void start__forbidden(void **state)
{
    (void)state;
    refused(403, "list workloadpolicies.workloadmap.dev: forbidden (403): the service account "
                 "needs the verb \"list\" on \"workloadpolicies\" in the API group "
                 "\"workloadmap.dev\"");
}

static void start__broken_answers(void **state)
{
    (void)state;
    static const enum api_fault faults[] = {API_FAULT_CUT, API_FAULT_GARBAGE, API_FAULT_LIE};
    trial_put(api, trial_karta("train", "Train", "3"));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        api_server_fault(api, "list", NULL, faults[i], 0, 1);
    api_server_fault(api, "list", "kartas", API_FAULT_STATUS, 500, 0);
    trial_start(&server, api, NULL);
    EVENTUALLY(trial_waits(&server, "list kartas.run.ai: the API server answers 500"));
    api_server_fault(api, NULL, NULL, API_FAULT_NONE, 0, 0);
    EVENTUALLY(trial_is_ready(&server, NULL));
    assert_true(trial_has(&server, "cluster:train", "active"));
}

/* CRDs that come after us: what the cluster lists is nothing, and then something. */
static void start__without_the_crds(void **state)
{
    (void)state;
    api_server_forget_kind(api, "run.ai", "v1alpha1", "Karta");
    api_server_forget_kind(api, "workloadmap.dev", "v1alpha1", "WorkloadPolicy");
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(trial_rules_are(api, VALIDATING, "definitions.validate.workloadmap.dev",
                               "workloadmap.dev/v1alpha1/gangprofiles"));
    api_server_kind(api, "run.ai", "v1alpha1", "Karta", "kartas", false, true);
    trial_put(api, trial_karta("train", "Train", "3"));
    EVENTUALLY(trial_has(&server, "cluster:train", "active"));
    EVENTUALLY(trial_rules_are(api, VALIDATING, "definitions.validate.workloadmap.dev",
                               "run.ai/v1alpha1/kartas workloadmap.dev/v1alpha1/gangprofiles"));
}

static void start__a_profile_that_comes_later(void **state)
{
    (void)state;
    trial_start(&server, api, (const char *[]){"--profile", "ours", NULL});
    EVENTUALLY(trial_waits(&server, "there is no profile \"ours\" yet"));
    trial_put(api, trial_karta("train", "Train", "3"));
    EVENTUALLY(trial_has(&server, "cluster:train", "active"));
    assert_false(trial_patches(&server, "Train"));
    assert_true(trial_waits(&server, "there is no profile \"ours\" yet"));
    trial_put(api, trial_profile("ours", "scheduler-of-ours"));
    EVENTUALLY(trial_is_ready(&server, NULL));
    assert_true(trial_patches(&server, "Train"));
    assert_int_equal(trial_metric(&server, "karta_admission_patches_total{profile=\"ours\"}"), 1);
}

static void start__the_profile_in_force_is_deleted(void **state)
{
    (void)state;
    trial_put(api, trial_karta("train", "Train", "3"));
    trial_put(api, trial_profile("ours", "one"));
    trial_start_ready(&server, api, (const char *[]){"--profile", "ours", NULL});
    KARTA_AUTO_TEXT before = trial_patch(&server, "Train");
    api_server_delete(api, "gangprofiles", NULL, "ours");
    EVENTUALLY(trial_logged(&server, "the profile in force was deleted, it stays until we end") ==
               1);
    trial_put(api, trial_karta("plane", "Plane", "3")); /* another snapshot */
    EVENTUALLY(trial_has(&server, "cluster:plane", "active"));
    KARTA_AUTO_TEXT after = trial_patch(&server, "Train");
    assert_string_equal(after, before);
    assert_true(trial_is_ready(&server, NULL));
    assert_int_equal(trial_logged(&server, "the profile in force was deleted"), 1);
    trial_put(api, trial_profile("ours", "two"));
    EVENTUALLY(trial_logged(&server, "definitions loaded") >= 4);
    KARTA_AUTO_TEXT other = NULL;
    EVENTUALLY((free(other), other = trial_patch(&server, "Train"), strcmp(other, before) != 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(start__without_an_api_server),
        TEST(start__unauthorized),
        TEST(start__forbidden),
        TEST(start__broken_answers),
        TEST(start__without_the_crds),
        TEST(start__a_profile_that_comes_later),
        TEST(start__the_profile_in_force_is_deleted),
    };
    return cmocka_run_group_tests_name("cluster.server_start", tests, NULL, NULL);
}
