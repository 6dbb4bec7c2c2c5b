/* SPDX-License-Identifier: Apache-2.0 */
/* What the built-in definitions say of workloads in every state: one word each, never two. */
#include <stdlib.h>

#include "run.h"
#include "support.h"

struct state {
    const char *spec, *status, *phase;
};

#define IS(type) "{'type': '" type "', 'status': 'True'}"
#define NOT(type) "{'type': '" type "', 'status': 'False'}"

static const struct state job_states[] = {
    {"{}", "{}", "Initializing"},
    {"{}", "{'active': 1, 'ready': 0}", "Initializing"},
    {"{'parallelism': 3}", "{'active': 3, 'ready': 1}", "Running"},
    {"{}", "{'active': 2, 'ready': 2, 'conditions': [" NOT("Suspended") "]}", "Running"},
    {"{}", "{'active': 3, 'ready': 2, 'succeeded': 1}", "Running"},
    {"{}", "{'active': 3, 'ready': 2, 'failed': 1}", "Degraded"},
    {"{}", "{'active': 3, 'ready': 3, 'failed': 1}", "Running"},
    {"{}", "{'ready': 0, 'conditions': [" IS("SuccessCriteriaMet") "]}", "Completed"},
    {"{}", "{'conditions': [" IS("SuccessCriteriaMet") "," IS("Complete") "]}", "Completed"},
    {"{}", "{'active': 1, 'ready': 1, 'conditions': [" IS("FailureTarget") "]}", "Failed"},
    {"{}", "{'conditions': [" IS("FailureTarget") "," IS("Failed") "]}", "Failed"},
    {"{'suspend': true}", "{}", "Suspended"},
    {"{'suspend': true}", "{'conditions': [" IS("Suspended") "]}", "Suspended"},
    {"{'suspend': true}", "{'active': 1, 'ready': 1}", "Suspending"},
    {"{'suspend': true}", "{'terminating': 1}", "Suspending"},
    {"{'suspend': false}", "{'conditions': [" IS("Suspended") "]}", "Resuming"},
};

static const struct state jobset_states[] = {
    {"{'replicatedJobs': [{'name': 'a'}]}", "{}", "Initializing"},
    {"{'replicatedJobs': [{'name': 'a'}]}",
     "{'replicatedJobsStatus': [{'name': 'a', 'active': 1, 'ready': 0}]}", "Initializing"},
    {"{'replicatedJobs': [{'name': 'a'}]}",
     "{'replicatedJobsStatus': [{'name': 'a', 'active': 1, 'ready': 1}]}", "Running"},
    {"{'replicatedJobs': [{'name': 'a', 'replicas': 2}, {'name': 'b'}]}",
     "{'replicatedJobsStatus': [{'name': 'a', 'ready': 1}, {'name': 'b', 'ready': 1}]}",
     "Initializing"},
    {"{'replicatedJobs': [{'name': 'a', 'replicas': 2}, {'name': 'b'}]}",
     "{'replicatedJobsStatus': [{'name': 'a', 'ready': 1, 'succeeded': 1}, {'name': 'b', "
     "'ready': 1}]}",
     "Running"},
    {"{'replicatedJobs': [{'name': 'a'}]}",
     "{'replicatedJobsStatus': [{'name': 'a', 'ready': 0, 'failed': 1}]}", "Degraded"},
    {"{'replicatedJobs': [{'name': 'a'}]}", "{'conditions': [" IS("RestartingJobSet") "]}",
     "Degraded"},
    {"{'replicatedJobs': [{'name': 'a'}]}",
     "{'conditions': [" IS("Completed") "], 'replicatedJobsStatus': [{'name': 'a', 'succeeded': "
                                        "1}]}",
     "Completed"},
    {"{'replicatedJobs': [{'name': 'a'}]}", "{'conditions': [" IS("Failed") "]}", "Failed"},
    {"{'suspend': true, 'replicatedJobs': [{'name': 'a'}]}", "{}", "Suspended"},
    {"{'suspend': true, 'replicatedJobs': [{'name': 'a'}]}",
     "{'conditions': [" IS("Suspended") "]}", "Suspended"},
    {"{'suspend': true, 'replicatedJobs': [{'name': 'a'}]}",
     "{'replicatedJobsStatus': [{'name': 'a', 'active': 1, 'ready': 1}]}", "Suspending"},
    {"{'replicatedJobs': [{'name': 'a'}]}", "{'conditions': [" IS("Suspended") "]}", "Resuming"},
};

static const struct state pytorchjob_states[] = {
    {"{}", "{}", "Initializing"},
    {"{}", "{'conditions': [" IS("Created") "]}", "Initializing"},
    {"{}", "{'conditions': [" IS("Created") "," IS("Running") "]}", "Running"},
    {"{}", "{'conditions': [" IS("Created") "," NOT("Running") "," IS("Restarting") "]}",
     "Degraded"},
    {"{}", "{'conditions': [" IS("Created") "," NOT("Running") "," IS("Succeeded") "]}",
     "Completed"},
    {"{}", "{'conditions': [" IS("Created") "," IS("Failed") "]}", "Failed"},
    {"{'runPolicy': {'suspend': true}}", "{'conditions': [" IS("Suspended") "]}", "Suspended"},
    {"{'runPolicy': {'suspend': true}}", "{'replicaStatuses': {'Worker': {'active': 1}}}",
     "Suspending"},
    {"{'runPolicy': {'suspend': false}}", "{'conditions': [" IS("Suspended") "]}", "Resuming"},
};

#define DONE(count)                                                                                \
    "'replicas': " #count ", 'updatedReplicas': " #count ", 'availableReplicas': " #count
static const struct state deployment_states[] = {
    {"{}", "{}", "Initializing"},
    {"{'replicas': 2}", "{" DONE(2) ", 'conditions': [" IS("Available") "]}", "Running"},
    {"{'replicas': 2}", "{" DONE(3) ", 'conditions': [" IS("Available") "]}", "Running"},
    {"{'replicas': 2}", "{" DONE(1) ", 'conditions': [" NOT("Available") "]}", "Degraded"},
    {"{'replicas': 1}", "{" DONE(1) ", 'conditions': [" IS("ReplicaFailure") "]}", "Degraded"},
    {"{'replicas': 2}",
     "{'replicas': 3, 'updatedReplicas': 1, 'availableReplicas': 2, 'conditions': [" IS(
         "Available") "]}",
     "Initializing"},
    {"{'replicas': 1}",
     "{'replicas': 1, 'conditions': [{'type': 'Progressing', 'status': 'False', 'reason': "
     "'ProgressDeadlineExceeded'}]}",
     "Failed"},
    {"{'replicas': 0}", "{}", "Suspended"},
    {"{'replicas': 0}", "{'replicas': 2}", "Suspending"},
};

static json_t *make_object(const char *api_version, const char *kind, const struct state *state)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:o, s:o}", "apiVersion", api_version, "kind", kind,
                     "metadata", "name", "x", "spec", test_json(state->spec), "status",
                     test_json(state->status));
}

static void assert_states(const char *api_version, const char *kind, const struct state *states,
                          size_t count)
{
    json_t *items = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(items, make_object(api_version, kind, &states[i]));
    json_t *list = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
    char *input = json_dumps(list, 0);
    struct run run = run_kartactl_with(input, "describe -o json -f -");
    assert_string_equal(run.err, "");
    json_t *views = json_loads(run.out, 0, NULL);
    for (size_t i = 0; i < count; i++) {
        const json_t *view = json_array_get(json_object_get(views, "items"), i);
        json_t *expected = json_pack("[s]", states[i].phase);
        print_message("%s %zu\n", kind, i);
        assert_json_equal(json_object_get(json_object_get(view, "status"), "phases"), expected);
        json_decref(expected);
    }
    json_decref(views);
    run_dispose(&run);
    free(input);
    json_decref(list);
}

#define COUNT(array) (sizeof array / sizeof array[0])

static void job__is_in_one_state_at_a_time(void **state)
{
    (void)state;
    assert_states("batch/v1", "Job", job_states, COUNT(job_states));
}

static void jobset__is_in_one_state_at_a_time(void **state)
{
    (void)state;
    assert_states("jobset.x-k8s.io/v1alpha2", "JobSet", jobset_states, COUNT(jobset_states));
}

static void pytorchjob__is_in_one_state_at_a_time(void **state)
{
    (void)state;
    assert_states("kubeflow.org/v1", "PyTorchJob", pytorchjob_states, COUNT(pytorchjob_states));
}

static void deployment__is_in_one_state_at_a_time(void **state)
{
    (void)state;
    assert_states("apps/v1", "Deployment", deployment_states, COUNT(deployment_states));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job__is_in_one_state_at_a_time),
        cmocka_unit_test(jobset__is_in_one_state_at_a_time),
        cmocka_unit_test(pytorchjob__is_in_one_state_at_a_time),
        cmocka_unit_test(deployment__is_in_one_state_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
