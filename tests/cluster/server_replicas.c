/* SPDX-License-Identifier: Apache-2.0 */
/* Two servers: both follow, one writes; the other takes over when it ends, dies, or is robbed. */
#include "trial.h"

#include <signal.h>

#define WRITES "writing to the cluster from now on"
#define WRITES_NOT "another replica writes to the cluster"

static struct api_server *api;
static struct running first, second;

/* The first writes by the time that the second starts. */
static int setup(void **state)
{
    (void)state;
    api = trial_api();
    trial_start_ready(&first, api, NULL);
    EVENTUALLY(api_server_count(api, VALIDATING) == 1);
    trial_start_ready(&second, api, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    api_server_free(api);
    return 0;
}

/* A Karta that is in force in both, and has its status, written by one. */
static void assert_one_writes(const char *name, const struct running *writer)
{
    KARTA_AUTO_TEXT origin = mem_format("cluster:%s", name);
    size_t written = api_server_asked(api, "patch", "kartas");
    trial_put(api, trial_karta(name, "Train", "3"));
    EVENTUALLY(trial_has(&second, origin, "active") || trial_has(&second, origin, "shadowed"));
    EVENTUALLY(trial_shows(api, name, "Ready", "True Ready "));
    assert_int_equal(api_server_asked(api, "patch", "kartas"), written + 1);
    assert_true(trial_logged(writer, WRITES) > 0);
}

static void replica__takes_over_from_one_that_ends(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT before = trial_holder(api);
    assert_one_writes("one", &first);
    assert_int_equal(trial_logged(&second, WRITES), 0);
    assert_int_equal(trial_logged(&second, "webhook configuration written"), 0);
    trial_stop(&first);
    EVENTUALLY(trial_logged(&second, WRITES) == 1);
    KARTA_AUTO_TEXT after = trial_holder(api);
    assert_string_not_equal(after, before);
    assert_one_writes("two", &second);
    trial_stop(&second);
    KARTA_AUTO_TEXT nobody = trial_holder(api);
    assert_string_equal(nobody, "");
}

static void replica__takes_over_from_one_that_dies(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT before = trial_holder(api);
    kill(first.pid, SIGKILL);
    assert_int_equal(running_wait(&first), 128 + SIGKILL);
    running_remove(&first);
    trial_put(api, trial_karta("one", "Train", "3"));
    EVENTUALLY(trial_has(&second, "cluster:one", "active"));
    assert_false(trial_shows(api, "one", "Ready", ""));
    EVENTUALLY(trial_logged(&second, WRITES) == 1);
    KARTA_AUTO_TEXT after = trial_holder(api);
    assert_string_not_equal(after, before);
    EVENTUALLY(trial_shows(api, "one", "Ready", "True Ready "));
    trial_stop(&second);
}

static void put_lease(const char *holder, int seconds)
{
    trial_put(api, mem_format("{'apiVersion': 'coordination.k8s.io/v1', 'kind': 'Lease', "
                              "'metadata': {'name': 'karta-webhook', 'namespace': '%s'}, 'spec': "
                              "{'holderIdentity': '%s', 'leaseDurationSeconds': %d, "
                              "'acquireTime': '2026-01-01T00:00:00.000000Z', 'renewTime': "
                              "'2026-01-01T00:00:00.000000Z', 'leaseTransitions': 7}}",
                              TRIAL_NAMESPACE, holder, seconds));
}

/* Whoever finds that the Lease is another's writes nothing more. */
static void lease__that_is_stolen(void **state)
{
    (void)state;
    put_lease("somebody", 3600);
    EVENTUALLY(trial_logged(&first, WRITES_NOT) == 1);
    assert_int_equal(trial_logged(&second, WRITES_NOT), 0);
    size_t writes = api_server_asked(api, "patch", NULL);
    trial_put(api, trial_karta("one", "Train", "3"));
    EVENTUALLY(trial_has(&first, "cluster:one", "active"));
    size_t looked = api_server_asked(api, "get", "leases");
    EVENTUALLY(api_server_asked(api, "get", "leases") >= looked + 4);
    assert_int_equal(api_server_asked(api, "patch", NULL), writes);
    put_lease("", 1); /* given back */
    EVENTUALLY(trial_shows(api, "one", "Ready", "True Ready "));
    assert_int_equal(api_server_asked(api, "patch", "kartas"), 1);
    trial_stop(&first);
    trial_stop(&second);
}

/* Whoever has no answer for its Lease, writes nothing either; the other takes nothing early. */
static void lease__that_cannot_be_renewed(void **state)
{
    (void)state;
    api_server_fault(api, "update", "leases", API_FAULT_STATUS, 500, 0);
    EVENTUALLY(trial_logged(&first, "the lease is not kept") == 1);
    size_t writes = api_server_asked(api, "patch", NULL);
    trial_put(api, trial_karta("one", "Train", "3"));
    EVENTUALLY(trial_has(&first, "cluster:one", "active"));
    size_t looked = api_server_asked(api, "get", "leases");
    EVENTUALLY(api_server_asked(api, "get", "leases") >= looked + 4);
    assert_int_equal(api_server_asked(api, "patch", NULL), writes);
    api_server_fault(api, NULL, NULL, API_FAULT_NONE, 0, 0);
    EVENTUALLY(trial_shows(api, "one", "Ready", "True Ready "));
    assert_int_equal(api_server_asked(api, "patch", "kartas"), 1);
    assert_int_equal(trial_logged(&first, "update leases.coordination.k8s.io: the API server "
                                          "answers 500"),
                     1);
    /* somebody deletes it */
    api_server_delete(api, "leases", TRIAL_NAMESPACE, "karta-webhook");
    EVENTUALLY(api_server_count(api, "leases") == 1);
    trial_put(api, trial_karta("two", "Train", "3"));
    EVENTUALLY(trial_shows(api, "two", "Ready", "True Ready "));
    /* who held it before may not have looked yet, and says the same */
    assert_in_range(api_server_asked(api, "patch", "kartas"), 2, 3);
    trial_stop(&first);
    trial_stop(&second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(replica__takes_over_from_one_that_ends),
        TEST(replica__takes_over_from_one_that_dies),
        TEST(lease__that_is_stolen),
        TEST(lease__that_cannot_be_renewed),
    };
    return cmocka_run_group_tests_name("cluster.server_replicas", tests, NULL, NULL);
}
