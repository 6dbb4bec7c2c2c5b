/* SPDX-License-Identifier: Apache-2.0 */
#include "resources.h"

#include "support.h"

/* Each row: a pod spec, what it asks for. */
static const char *const rows[][2] = {
    {"{}", "{}"},
    {"{'containers': [{'resources': {'requests': {'cpu': '100m'}}},"
     " {'resources': {'requests': {'cpu': '1.5'}, 'limits': {'cpu': '9', 'memory': '1Gi'}}}]}",
     "{'cpu': '1600m', 'memory': '1Gi'}"},
    /* limits stand in for requests, any resource */
    {"{'containers': [{'resources': {'limits': {'nvidia.com/gpu': 4}}}]}",
     "{'nvidia.com/gpu': '4'}"},
    /* init containers run one by one: the largest counts */
    {"{'initContainers': [{'resources': {'requests': {'cpu': '3'}}},"
     " {'resources': {'requests': {'cpu': '2'}}}],"
     " 'containers': [{'resources': {'requests': {'cpu': '1'}}}]}",
     "{'cpu': '3'}"},
    /* restartable ones run on, beside what follows and beside the containers */
    {"{'initContainers': [{'restartPolicy': 'Always', 'resources': {'requests': {'cpu': '1'}}},"
     " {'resources': {'requests': {'cpu': '2'}}}],"
     " 'containers': [{'resources': {'requests': {'cpu': '1500m'}}}]}",
     "{'cpu': '3'}"},
    {"{'initContainers': [{'resources': {'requests': {'cpu': '2'}}},"
     " {'restartPolicy': 'Always', 'resources': {'requests': {'cpu': '1'}}}],"
     " 'containers': [{'resources': {'requests': {'cpu': '500m'}}}]}",
     "{'cpu': '2'}"},
    {"{'overhead': {'cpu': '250m'},"
     " 'containers': [{'resources': {'requests': {'cpu': '1'}}}]}",
     "{'cpu': '1250m'}"},
    /* pod-level requests win; pod-level limits fill in */
    {"{'resources': {'requests': {'cpu': '8'}, 'limits': {'cpu': '9', 'memory': '4Gi'}},"
     " 'containers': [{'resources': {'requests': {'cpu': '1'}}}]}",
     "{'cpu': '8', 'memory': '4Gi'}"},
    {"{'containers': ['x', null, {}, {'resources': null}, {'resources': {'requests': []}}]}",
     "{}"}};

static void of_pod__counts_as_the_scheduler_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *spec = test_json(rows[i][0]), *expected = test_json(rows[i][1]);
        struct resources resources = {0};
        assert_int_equal(resources_of_pod(spec, &resources, NULL), 0);
        json_t *actual = resources_json(&resources);
        assert_json_equal(actual, expected);
        resources_dispose(&resources);
        json_decref(actual);
        json_decref(spec);
        json_decref(expected);
    }
}

static void of_pod__names_a_quantity_that_is_none(void **state)
{
    (void)state;
    json_t *spec = test_json("{'containers': [{'resources': {'requests': {'cpu': '4x'}}}]}");
    struct resources resources = {0};
    struct karta_error err = {0};
    assert_int_equal(resources_of_pod(spec, &resources, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "cpu: \"4x\" is not a quantity");
    resources_dispose(&resources);
    json_decref(spec);
    karta_error_init(&err);
    spec = test_json("{'containers': [{'resources': {'limits': {'nvidia.com/gpu': -1}}}]}");
    assert_int_equal(resources_of_pod(spec, &resources, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "nvidia.com/gpu: \"-1\" is negative");
    resources_dispose(&resources);
    json_decref(spec);
}

static void add__multiplies_exactly_and_notices_overflow(void **state)
{
    (void)state;
    json_t *spec = test_json("{'containers': [{'resources': {'requests': {'memory': '7Ei'}}}]}");
    struct resources pod = {0}, sum = {0};
    struct karta_error err = {0};
    assert_int_equal(resources_of_pod(spec, &pod, NULL), 0);
    assert_int_equal(resources_add(&sum, &pod, 1, NULL), 0);
    assert_int_equal(resources_add(&sum, &pod, INT64_C(1) << 53, &err), KARTA_ERR_LIMIT);
    resources_dispose(&pod);
    resources_dispose(&sum);
    json_decref(spec);
}

static void gpus__are_known_by_their_names(void **state)
{
    (void)state;
    json_t *spec = test_json("{'containers': [{'resources': {'limits': {'nvidia.com/gpu': 4,"
                             " 'amd.com/gpu': 2, 'nvidia.com/mig-1g.5gb': 3, 'x/gpus': 9,"
                             " 'cpu': 8, 'gpu': 1}}}]}");
    struct resources pod = {0};
    assert_int_equal(resources_of_pod(spec, &pod, NULL), 0);
    assert_true(resources_gpus(&pod) == 9.0);
    resources_dispose(&pod);
    json_decref(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_pod__counts_as_the_scheduler_does),
        cmocka_unit_test(of_pod__names_a_quantity_that_is_none),
        cmocka_unit_test(add__multiplies_exactly_and_notices_overflow),
        cmocka_unit_test(gpus__are_known_by_their_names)};
    return cmocka_run_group_tests_name("resources", tests, NULL, NULL);
}
