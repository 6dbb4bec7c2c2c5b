/* SPDX-License-Identifier: Apache-2.0 */
/* Pods as kubectl shows them, the unhealthy ones first; and whose they are. */
#include <string.h>

#include "live_pods.h"
#include "owners.h"
#include "support.h"

static void assert_status(const char *pod_text, const char *status, int healthy,
                          const char *message)
{
    json_auto_t *pod = test_json(pod_text);
    json_auto_t *seen = live_pod(pod, NULL);
    assert_non_null(seen);
    assert_string_equal(json_string_value(json_object_get(seen, "status")), status);
    assert_int_equal(json_is_true(json_object_get(seen, "healthy")), healthy);
    const char *said = json_string_value(json_object_get(seen, "message"));
    assert_string_equal(said != NULL ? said : "", message);
}

static void pod__status_is_the_worst_of_its_containers(void **state)
{
    (void)state;
    assert_status("{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': "
                  "'True'}]}}",
                  "Running", 1, "");
    assert_status("{'status': {'phase': 'Succeeded'}}", "Completed", 1, "");
    assert_status("{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': "
                  "'False'}]}}",
                  "Running", 0, "");
    assert_status("{'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', "
                  "'status': 'False', 'reason': 'Unschedulable', 'message': 'no room'}]}}",
                  "Pending", 0, "no room");
    assert_status("{'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', "
                  "'status': 'False', 'reason': 'SchedulingGated'}]}}",
                  "Pending", 0, "SchedulingGated");
    assert_status("{'status': {'phase': 'Pending', 'initContainerStatuses': [{'state': {'waiting': "
                  "{'reason': 'ImagePullBackOff', 'message': 'no such image'}}}]}}",
                  "ImagePullBackOff", 0, "no such image");
    assert_status("{'status': {'phase': 'Failed', 'containerStatuses': [{'state': {'terminated': "
                  "{'exitCode': 0}}}, {'state': {'terminated': {'exitCode': 137, 'reason': "
                  "'OOMKilled'}}}]}}",
                  "OOMKilled", 0, "");
    assert_status("{'status': {'phase': 'Failed', 'reason': 'Evicted', 'message': 'disk'}}",
                  "Evicted", 0, "disk");
    assert_status("{'metadata': {'deletionTimestamp': 'x'}, 'status': {'phase': 'Running'}}",
                  "Terminating", 0, "");
    assert_status("{}", "Unknown", 0, "");
    assert_status("{'status': []}", "Unknown", 0, "");
}

static void pods__are_sorted_with_trouble_first(void **state)
{
    (void)state;
    json_auto_t *pods = test_json("[{'name': 'w-10', 'healthy': true}, {'name': 'w-2', 'healthy': "
                                  "true}, {'name': 'w-11', 'healthy': false}]");
    json_auto_t *sorted = live_pods_sorted(pods);
    static const char *const names[] = {"w-11", "w-2", "w-10"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(sorted, i), "name")),
                            names[i]);
}

static void owners__lead_up_through_what_is_known(void **state)
{
    (void)state;
    json_auto_t *objects = test_json(
        "[{'metadata': {'uid': 'top'}}, {'metadata': {'uid': 'mid', 'ownerReferences': [{'uid': "
        "'else'}, {'uid': 'top'}]}}, {'metadata': {'uid': 'a', 'ownerReferences': [{'uid': 'b'}]}},"
        " {'metadata': {'uid': 'b', 'ownerReferences': [{'uid': 'a'}]}}, {'metadata': {}}]");
    json_auto_t *pod = test_json("{'metadata': {'uid': 'p', 'ownerReferences': [{'uid': 'mid'}]}}");
    struct owners owners;
    assert_true(owners_init(&owners));
    assert_true(owners_add(&owners, objects));
    assert_true(owners_lead_to(&owners, pod, "top"));
    assert_true(owners_lead_to(&owners, pod, "mid"));
    assert_true(owners_lead_to(&owners, pod, "p"));
    assert_false(owners_lead_to(&owners, pod, "other"));
    assert_false(owners_lead_to(&owners, pod, ""));
    /* a circle ends */
    assert_false(owners_lead_to(&owners, json_array_get(objects, 2), "top"));
    owners_dispose(&owners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pod__status_is_the_worst_of_its_containers),
        cmocka_unit_test(pods__are_sorted_with_trouble_first),
        cmocka_unit_test(owners__lead_up_through_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
