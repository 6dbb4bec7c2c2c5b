/* SPDX-License-Identifier: Apache-2.0 */
/* An API server that goes away or talks nonsense, once all was well: what is in force stays, and
 * what changed meanwhile is in force soon after. */
#include "trial.h"

static struct api_server *api;
static struct running server;

static int setup(void **state)
{
    (void)state;
    api = trial_api();
    trial_put(api, trial_karta("train", "Train", "3"));
    trial_put(api, trial_karta("going", "Going", "3"));
    trial_put(api, trial_policy("gpus", "JobSet", 8, "Ignore"));
    trial_start_ready(&server, api, NULL);
    EVENTUALLY(trial_shows(api, "train", "Ready", "True Ready "));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trial_stop(&server);
    api_server_free(api);
    return 0;
}

static void assert_all_in_force(void)
{
    assert_true(trial_is_ready(&server, NULL));
    assert_true(trial_patches(&server, "Train"));
    assert_false(trial_allows(&server));
}

/* Attempts that nobody answered. */
static double failures(void)
{
    return trial_metric(&server, "karta_kubernetes_requests_total{verb=\"watch\",code=\"0\"}");
}

static void outage__everything_stays_and_comes_back(void **state)
{
    (void)state;
    trial_load_start(&server);
    for (int round = 0; round < 3; round++) {
        KARTA_AUTO_TEXT name = mem_format("new-%d", round);
        KARTA_AUTO_TEXT kind = mem_format("New%d", round);
        KARTA_AUTO_TEXT origin = mem_format("cluster:%s", name);
        size_t said = trial_logged(&server, "resource=kartas.run.ai");
        double before = failures();
        api_server_die(api);
        EVENTUALLY(failures() >= before + 10);
        assert_all_in_force();
        trial_put(api, trial_karta(name, kind, "3"));
        if (round == 0)
            api_server_delete(api, "kartas", NULL, "going");
        api_server_return(api);
        EVENTUALLY(trial_has(&server, origin, "active"));
        assert_true(trial_patches(&server, kind));
        assert_false(trial_patches(&server, "Going"));
        assert_all_in_force();
        /* that it began, and that it is over */
        EVENTUALLY(trial_logged(&server, "resource=kartas.run.ai") == said + 2);
        EVENTUALLY(trial_shows(api, name, "KartaValidated", "True ValidationSucceeded "));
    }
    trial_load_stop();
}

/* One fault of the watch, and then a Karta that must not be missed. */
static void stream(enum api_fault fault, int number, int times)
{
    static int round;
    KARTA_AUTO_TEXT name = mem_format("late-%d", round);
    KARTA_AUTO_TEXT kind = mem_format("Late%d", round++);
    KARTA_AUTO_TEXT origin = mem_format("cluster:%s", name);
    api_server_fault(api, "watch", "kartas", fault, number, times);
    size_t watches = api_server_asked(api, "watch", "kartas");
    api_server_end_watches(api);
    EVENTUALLY(api_server_asked(api, "watch", "kartas") > watches);
    trial_put(api, trial_karta(name, kind, "3"));
    EVENTUALLY(trial_has(&server, origin, "active"));
    assert_true(trial_patches(&server, kind));
    assert_all_in_force();
}

static void stream__of_nonsense(void **state)
{
    (void)state;
    stream(API_FAULT_GARBAGE_LINE, 0, 1);
    stream(API_FAULT_LIE, 0, 1);
    stream(API_FAULT_GARBAGE, 0, 1);
    stream(API_FAULT_CUT, 0, 2);
    stream(API_FAULT_ERROR_EVENT, 410, 1);
    stream(API_FAULT_ERROR_EVENT, 500, 1);
    stream(API_FAULT_STATUS, 410, 1);
    stream(API_FAULT_STATUS, 429, 1);
    assert_true(trial_metric(&server, "karta_watch_events_skipped_total{reason=\"garbage\"}") >= 1);
}

/* History is forgotten while we are away: the list says what is there, and what no more. */
static void list__after_history_was_forgotten(void **state)
{
    (void)state;
    api_server_die(api);
    for (int i = 0; i < 1200; i++) { /* three pages */
        KARTA_AUTO_TEXT name = mem_format("many-%d", i);
        KARTA_AUTO_TEXT kind = mem_format("Many%d", i);
        trial_put(api, trial_karta(name, kind, "3"));
    }
    api_server_delete(api, "kartas", NULL, "going");
    api_server_compact(api);
    api_server_fault(api, "list", "kartas", API_FAULT_CUT, 0, 1);
    api_server_return(api);
    EVENTUALLY(trial_patches(&server, "Many1199"));
    assert_true(trial_patches(&server, "Many0"));
    assert_false(trial_patches(&server, "Going"));
    assert_all_in_force();
}

static void object__of_2_mb_and_without_a_spec(void **state)
{
    (void)state;
    json_t *large =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", "run.ai/v1alpha1", "kind", "Karta",
                  "metadata", "name", "large", "spec", "note", json_null());
    char *note = calloc(1, (2U << 20) + 1);
    memset(note, 'x', 2U << 20);
    json_object_set_new(json_object_get(large, "spec"), "note", json_string(note));
    api_server_put_json(api, large);
    free(note);
    json_decref(large);
    api_server_put(api, "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': "
                        "'empty'}}");
    api_server_put(api, "{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'GangProfile', "
                        "'metadata': {'name': 'empty'}}");
    api_server_put(api, "{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'WorkloadPolicy', "
                        "'metadata': {'name': 'empty'}, 'spec': []}");
    trial_put(api, trial_karta("last", "Last", "3"));
    EVENTUALLY(trial_patches(&server, "Last"));
    EVENTUALLY(trial_shows(api, "large", "KartaValidated", "False ValidationFailed "));
    EVENTUALLY(trial_shows(api, "empty", "KartaValidated", "False ValidationFailed "));
    EVENTUALLY(trial_has(&server, "cluster:workloadpolicies/empty", "failed"));
    EVENTUALLY(trial_has(&server, "cluster:gangprofiles/empty", "failed"));
    assert_all_in_force();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(outage__everything_stays_and_comes_back),
        TEST(stream__of_nonsense),
        TEST(list__after_history_was_forgotten),
        TEST(object__of_2_mb_and_without_a_spec),
    };
    return cmocka_run_group_tests_name("cluster.server_outage", tests, NULL, NULL);
}
