/* SPDX-License-Identifier: Apache-2.0 */
/* Two replicas and one Lease. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "follower.h"
#include "lease.h"

static struct follower follower; /* its server and access alone */
static struct kube_client *client;
static struct lease *one, *two;

static int setup(void **state)
{
    (void)state;
    follower_init(&follower);
    int rc = kube_client_new(&follower.access, NULL, &client, NULL);
    if (rc == 0)
        rc = lease_new("karta", "karta-webhook", "one", &one, NULL);
    return rc == 0 ? lease_new("karta", "karta-webhook", "two", &two, NULL) : rc;
}

static int teardown(void **state)
{
    (void)state;
    lease_free(one);
    lease_free(two);
    kube_client_free(client);
    follower_dispose(&follower);
    return 0;
}

static int keep(struct lease *lease)
{
    struct karta_error err = {0};
    int rc = lease_keep(lease, client, &err);
    if (rc != 0)
        print_message("%s\n", err.message);
    return rc;
}

/* New reference to the spec as it is stored. */
static json_t *stored_spec(void)
{
    json_auto_t *object = api_server_get(follower.server, "leases", "karta", "karta-webhook");
    return json_incref(json_object_get(object, "spec"));
}

static void put_spec(const char *spec)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{'apiVersion': 'coordination.k8s.io/v1', 'kind': 'Lease', 'metadata': {'name': "
             "'karta-webhook', 'namespace': 'karta', 'labels': {'kept': 'yes'}}, 'spec': %s}",
             spec);
    api_server_put(follower.server, text);
}

static bool is_micro_time(const json_t *value)
{
    struct tm parts;
    const char *text = json_string_value(value);
    const char *rest = text != NULL ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
    return rest != NULL && strlen(rest) == 8 && rest[0] == '.' && rest[7] == 'Z' &&
           strspn(rest + 1, "0123456789") == 6;
}

static void lease_keep__creates_what_is_not_there(void **state)
{
    (void)state;
    assert_false(lease_holds(one, 0));
    assert_string_equal(lease_holder(one), "");
    assert_int_equal(keep(one), 0);
    assert_true(lease_holds(one, 1000));
    assert_false(lease_holds(one, LEASE_DURATION_SECONDS * 1000));
    assert_string_equal(lease_holder(one), "one");
    json_auto_t *spec = stored_spec();
    assert_string_equal(json_string_value(json_object_get(spec, "holderIdentity")), "one");
    assert_int_equal(json_integer_value(json_object_get(spec, "leaseDurationSeconds")), 15);
    assert_int_equal(json_integer_value(json_object_get(spec, "leaseTransitions")), 0);
    assert_true(is_micro_time(json_object_get(spec, "acquireTime")));
    assert_true(is_micro_time(json_object_get(spec, "renewTime")));
}

static void lease_keep__renews_and_keeps_others_out(void **state)
{
    (void)state;
    assert_int_equal(keep(one), 0);
    json_auto_t *before = stored_spec();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(keep(two), 0);
        assert_false(lease_holds(two, 0));
        assert_string_equal(lease_holder(two), "one");
        assert_int_equal(keep(one), 0);
        assert_true(lease_holds(one, 0));
    }
    json_auto_t *after = stored_spec();
    assert_json_equal(json_object_get(after, "acquireTime"),
                      json_object_get(before, "acquireTime"));
    assert_false(
        json_equal(json_object_get(after, "renewTime"), json_object_get(before, "renewTime")));
    assert_int_equal(json_integer_value(json_object_get(after, "leaseTransitions")), 0);
}

static void lease_release__lets_another_in_at_once(void **state)
{
    (void)state;
    assert_int_equal(keep(one), 0);
    assert_int_equal(keep(two), 0);
    lease_release(two, client); /* it is not its own */
    lease_release(one, client);
    assert_false(lease_holds(one, 0));
    json_auto_t *given = stored_spec();
    assert_string_equal(json_string_value(json_object_get(given, "holderIdentity")), "");
    assert_int_equal(json_integer_value(json_object_get(given, "leaseDurationSeconds")), 1);
    assert_int_equal(keep(two), 0);
    assert_true(lease_holds(two, 0));
    json_auto_t *taken = stored_spec();
    assert_string_equal(json_string_value(json_object_get(taken, "holderIdentity")), "two");
    assert_int_equal(json_integer_value(json_object_get(taken, "leaseTransitions")), 1);
    assert_int_equal(keep(one), 0);
    assert_false(lease_holds(one, 0));
}

static void lease_keep__takes_over_from_a_holder_that_died(void **state)
{
    (void)state;
    put_spec("{'holderIdentity': 'dead', 'leaseDurationSeconds': 1, 'leaseTransitions': 7, "
             "'strategy': 'OldestEmulationVersion', "
             "'renewTime': '2100-01-01T00:00:00.000000Z'}");
    assert_int_equal(keep(one), 0);
    assert_false(lease_holds(one, 0));
    assert_string_equal(lease_holder(one), "dead");
    WAIT_FOR(keep(one) == 0 && lease_holds(one, 0));
    json_auto_t *object = api_server_get(follower.server, "leases", "karta", "karta-webhook");
    json_t *spec = json_object_get(object, "spec");
    assert_int_equal(json_integer_value(json_object_get(spec, "leaseTransitions")), 8);
    assert_int_equal(json_integer_value(json_object_get(spec, "leaseDurationSeconds")), 15);
    assert_string_equal(json_string_value(json_object_get(spec, "strategy")),
                        "OldestEmulationVersion");
    json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    assert_string_equal(json_string_value(json_object_get(labels, "kept")), "yes");
}

static void lease_keep__does_not_take_from_a_holder_that_renews(void **state)
{
    (void)state;
    for (int i = 0; i < 15; i++) { /* longer than its duration altogether */
        char spec[256];
        snprintf(spec, sizeof spec,
                 "{'holderIdentity': 'alive', 'leaseDurationSeconds': 3600, 'renewTime': "
                 "'2000-01-01T00:00:00.%06dZ'}",
                 i);
        put_spec(spec);
        assert_int_equal(keep(one), 0);
        assert_false(lease_holds(one, 0));
    }
}

static void lease_keep__notices_that_another_took_it(void **state)
{
    (void)state;
    assert_int_equal(keep(one), 0);
    put_spec("{'holderIdentity': 'thief', 'leaseDurationSeconds': 15}");
    assert_int_equal(keep(one), 0);
    assert_false(lease_holds(one, 0));
    assert_string_equal(lease_holder(one), "thief");
    api_server_delete(follower.server, "leases", "karta", "karta-webhook");
    assert_int_equal(keep(two), 0);
    assert_true(lease_holds(two, 0));
    assert_int_equal(keep(one), 0);
    assert_string_equal(lease_holder(one), "two");
    assert_false(lease_holds(one, 0));
}

static void lease_keep__lets_the_faster_one_have_it(void **state)
{
    (void)state;
    api_server_fault(follower.server, "create", "leases", API_FAULT_STATUS, 409, 1);
    assert_int_equal(keep(one), 0);
    assert_false(lease_holds(one, 0));
    assert_int_equal(keep(one), 0);
    assert_true(lease_holds(one, 0));
    put_spec("{'holderIdentity': ''}");
    api_server_fault(follower.server, "update", "leases", API_FAULT_STATUS, 409, 1);
    assert_int_equal(keep(two), 0);
    assert_false(lease_holds(two, 0));
    assert_int_equal(keep(two), 0);
    assert_true(lease_holds(two, 0));
}

static void lease_keep__reads_garbage_as_a_lease_that_is_free(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "null",
        "[]",
        "'text'",
        "{}",
        "{'holderIdentity': 5}",
        "{'holderIdentity': null, 'leaseTransitions': 'many', 'acquireTime': 7}",
        "{'holderIdentity': '', 'leaseDurationSeconds': -1, 'leaseTransitions': -5}",
        "{'holderIdentity': 'one', 'leaseTransitions': 9223372036854775807, 'acquireTime': {}}",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        put_spec(specs[i]);
        assert_int_equal(keep(one), 0);
        assert_true(lease_holds(one, 0));
        json_auto_t *spec = stored_spec();
        assert_true(is_micro_time(json_object_get(spec, "acquireTime")));
        json_int_t transitions = json_integer_value(json_object_get(spec, "leaseTransitions"));
        assert_true(transitions == 0 || transitions == 1);
    }
}

static void lease_keep__holds_absurd_durations_to_a_second_and_an_hour(void **state)
{
    (void)state;
    static const char *const shorts[] = {"-9223372036854775807", "0", "1"};
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "{'holderIdentity': 'other%zu', 'leaseDurationSeconds': %s}", i,
                 shorts[i]);
        put_spec(spec);
        assert_int_equal(keep(one), 0);
        assert_false(lease_holds(one, 0));
        WAIT_FOR(keep(one) == 0 && lease_holds(one, 0));
    }
    put_spec("{'holderIdentity': 'other', 'leaseDurationSeconds': 9223372036854775807}");
    assert_int_equal(keep(one), 0);
    assert_int_equal(keep(one), 0);
    assert_false(lease_holds(one, 0));
}

static void lease_keep__says_why_it_could_not_look(void **state)
{
    (void)state;
    struct karta_error err = {0};
    api_server_fault(follower.server, "get", "leases", API_FAULT_STATUS, 500, 1);
    assert_int_equal(lease_keep(one, client, &err), KARTA_ERR_IO);
    assert_string_equal(err.message,
                        "get leases.coordination.k8s.io: the API server answers 500: Internal "
                        "error occurred: the double was told to fail");
    karta_error_init(&err);
    api_server_fault(follower.server, "get", "leases", API_FAULT_LIE, 0, 1);
    assert_int_equal(lease_keep(one, client, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "get leases.coordination.k8s.io: the answer is no Lease");
    karta_error_init(&err);
    api_server_fault(follower.server, "create", "leases", API_FAULT_STATUS, 403, 1);
    assert_int_equal(lease_keep(one, client, &err), KARTA_ERR_IO);
    static const char expected[] =
        "create leases.coordination.k8s.io: forbidden (403): the service account needs the verb "
        "\"create\" on \"leases\" in the API group \"coordination.k8s.io\"";
    assert_int_equal(strncmp(err.message, expected, sizeof expected - 1), 0);
    static const enum api_fault faults[] = {API_FAULT_CUT, API_FAULT_GARBAGE, API_FAULT_HANG,
                                            API_FAULT_STALL};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        api_server_fault(follower.server, "get", "leases", faults[i], 0, 1);
        assert_int_not_equal(lease_keep(one, client, NULL), 0);
        assert_false(lease_holds(one, 0));
    }
}

static void lease_holds__falls_by_itself(void **state)
{
    (void)state;
    assert_int_equal(keep(one), 0);
    assert_true(lease_holds(one, 0));
    api_server_die(follower.server);
    assert_int_equal(lease_keep(one, client, NULL), KARTA_ERR_IO);
    WAIT_FOR(!lease_holds(one, 0));
    api_server_return(follower.server);
    WAIT_FOR(keep(one) == 0 && lease_holds(one, 0));
    json_auto_t *spec = stored_spec();
    assert_int_equal(json_integer_value(json_object_get(spec, "leaseTransitions")), 0);
}

static void lease_release__is_quiet_where_it_fails(void **state)
{
    (void)state;
    assert_int_equal(keep(one), 0);
    api_server_fault(follower.server, "update", "leases", API_FAULT_STATUS, 500, 1);
    lease_release(one, client);
    assert_false(lease_holds(one, 0));
    assert_int_equal(keep(one), 0);
    api_server_die(follower.server);
    lease_release(one, client);
    assert_false(lease_holds(one, 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(lease_keep__creates_what_is_not_there),
        TEST(lease_keep__renews_and_keeps_others_out),
        TEST(lease_release__lets_another_in_at_once),
        TEST(lease_keep__takes_over_from_a_holder_that_died),
        TEST(lease_keep__does_not_take_from_a_holder_that_renews),
        TEST(lease_keep__notices_that_another_took_it),
        TEST(lease_keep__lets_the_faster_one_have_it),
        TEST(lease_keep__reads_garbage_as_a_lease_that_is_free),
        TEST(lease_keep__holds_absurd_durations_to_a_second_and_an_hour),
        TEST(lease_keep__says_why_it_could_not_look),
        TEST(lease_holds__falls_by_itself),
        TEST(lease_release__is_quiet_where_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
