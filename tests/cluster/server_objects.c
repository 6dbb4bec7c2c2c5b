/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster's objects in force: they come, change and go; broken ones harm nobody, and say so. */
#include "trial.h"

static struct api_server *api;
static struct running server;

static int setup(void **state)
{
    (void)state;
    api = trial_api();
    trial_start_ready(&server, api, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trial_stop(&server);
    api_server_free(api);
    return 0;
}

static void karta__comes_changes_and_goes(void **state)
{
    (void)state;
    assert_false(trial_patches(&server, "Train"));
    trial_put(api, trial_karta("train", "Train", "3"));
    EVENTUALLY(trial_has(&server, "cluster:train", "active"));
    KARTA_AUTO_TEXT first = trial_patch(&server, "Train");
    assert_true(first[0] != '\0');
    /* for another kind now */
    trial_put(api, trial_karta("train", "Plane", "3"));
    EVENTUALLY(trial_patches(&server, "Plane"));
    assert_false(trial_patches(&server, "Train"));
    api_server_delete(api, "kartas", NULL, "train");
    EVENTUALLY(!trial_has(&server, "cluster:train", "active"));
    assert_false(trial_patches(&server, "Plane"));
}

static void karta__replaces_the_built_in_one(void **state)
{
    (void)state;
    assert_true(trial_has(&server, "built-in:batch-job-v1.yaml", "active"));
    char *object = mem_format(
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': 'job'}, 'spec': "
        "{'structureDefinition': {'rootComponent': {'name': 'job', 'kind': {'group': 'batch', "
        "'version': 'v1', 'kind': 'Job'}, 'specDefinition': {'podTemplateSpecPath': "
        "'.spec.template'}, 'scaleDefinition': {'replicasPath': '.spec.parallelism'}, "
        "'statusDefinition': {'phaseDefinition': {'path': '.status.phase'}, 'statusMappings': "
        "{'running': [{'byPhase': 'Running'}]}}}}}}");
    trial_put(api, object);
    EVENTUALLY(trial_has(&server, "cluster:job", "active"));
    assert_true(trial_has(&server, "built-in:batch-job-v1.yaml", "shadowed"));
    api_server_delete(api, "kartas", NULL, "job");
    EVENTUALLY(trial_has(&server, "built-in:batch-job-v1.yaml", "active"));
    assert_false(trial_has(&server, "cluster:job", "active"));
}

static void karta__that_is_broken_says_so_and_harms_nobody(void **state)
{
    (void)state;
    trial_put(api, trial_karta("good", "Train", "3"));
    trial_put(api, trial_karta("bad", "Plane", "(1"));
    EVENTUALLY(trial_shows(api, "good", "Ready", "True Ready "));
    EVENTUALLY(trial_shows(api, "bad", "KartaValidated",
                           "False ValidationFailed spec.structureDefinition.rootComponent."
                           "scaleDefinition.replicasPath: the \"(\" that opens here is never "
                           "closed, at column 1 of `(1`"));
    assert_true(trial_shows(api, "bad", "Ready", "False NotReady "));
    assert_true(trial_has(&server, "cluster:bad", "failed"));
    assert_true(trial_patches(&server, "Train"));
    assert_int_equal(trial_logged(&server, "origin=cluster:bad "), 1);
    /* the one that is broken now no longer counts */
    trial_put(api, trial_karta("good", "Train", "(1"));
    EVENTUALLY(trial_shows(api, "good", "KartaValidated", "False ValidationFailed "));
    assert_false(trial_patches(&server, "Train"));
    trial_put(api, trial_karta("bad", "Plane", "3"));
    EVENTUALLY(trial_shows(api, "bad", "KartaValidated", "True ValidationSucceeded "));
    assert_true(trial_patches(&server, "Plane"));
}

static void karta__says_whether_its_kind_exists(void **state)
{
    (void)state;
    trial_put(api, trial_karta("plane", "Plane", "3"));
    EVENTUALLY(trial_shows(api, "plane", "CRDExists",
                           "False CRDNotFound CRD for example.org/Plane not found or does not "
                           "serve version v1"));
    assert_true(trial_shows(api, "plane", "Ready", "False NotReady "));
    api_server_kind(api, "example.org", "v1", "Plane", "planes", true, false);
    EVENTUALLY(trial_shows(api, "plane", "CRDExists", "True CRDFound "));
    assert_true(trial_shows(api, "plane", "Ready", "True Ready "));
    api_server_forget_kind(api, "example.org", "v1", "Plane");
    EVENTUALLY(trial_shows(api, "plane", "CRDExists", "False CRDNotFound "));
}

/* A status that shows what it should is not written: two writers would keep each other busy. */
static void karta__is_written_once(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        trial_put(api, trial_karta(name, "Train", "3"));
    }
    EVENTUALLY(trial_has(&server, "cluster:train-0", "active"));
    for (int i = 0; i < 20; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        EVENTUALLY(trial_shows(api, name, "Ready", "True Ready "));
    }
    size_t discovered = api_server_asked(api, "get", "/apis");
    EVENTUALLY(api_server_asked(api, "get", "/apis") > discovered);
    assert_in_range(api_server_asked(api, "patch", "kartas"), 20, 20);
    assert_int_equal(trial_logged(&server, "definition shadowed by a later one"), 19);
}

static void policy__comes_changes_and_goes(void **state)
{
    (void)state;
    assert_true(trial_allows(&server));
    trial_put(api, trial_policy("gpus", "JobSet", 8, "Ignore"));
    EVENTUALLY(!trial_allows(&server));
    trial_put(api, trial_policy("gpus", "JobSet", 64, "Ignore"));
    EVENTUALLY(trial_allows(&server));
    trial_put(api, trial_policy("gpus", "JobSet", 1, "Ignore"));
    EVENTUALLY(!trial_allows(&server));
    api_server_delete(api, "workloadpolicies", NULL, "gpus");
    EVENTUALLY(trial_allows(&server));
}

static void profile__in_force_stays_when_it_is_deleted(void **state)
{
    (void)state;
    trial_put(api, trial_karta("train", "Train", "3"));
    EVENTUALLY(trial_has(&server, "cluster:train", "active"));
    KARTA_AUTO_TEXT of_file = trial_patch(&server, "Train");
    trial_put(api, trial_profile("kai", "one")); /* the profile in force, as the cluster says it */
    EVENTUALLY(trial_has(&server, "cluster:gangprofiles/kai", "active"));
    KARTA_AUTO_TEXT one = trial_patch(&server, "Train");
    assert_string_not_equal(one, of_file);
    api_server_delete(api, "gangprofiles", NULL, "kai"); /* the file's again */
    EVENTUALLY(!trial_has(&server, "cluster:gangprofiles/kai", "active"));
    KARTA_AUTO_TEXT again = trial_patch(&server, "Train");
    assert_string_equal(again, of_file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(karta__comes_changes_and_goes),
        TEST(karta__replaces_the_built_in_one),
        TEST(karta__that_is_broken_says_so_and_harms_nobody),
        TEST(karta__says_whether_its_kind_exists),
        TEST(karta__is_written_once),
        TEST(policy__comes_changes_and_goes),
        TEST(profile__in_force_stays_when_it_is_deleted),
    };
    return cmocka_run_group_tests_name("cluster.server_objects", tests, NULL, NULL);
}
