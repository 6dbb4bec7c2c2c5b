/* SPDX-License-Identifier: Apache-2.0 */
/* The table of api-resources, and what users call its rows. */
#include "api_resources.h"
#include "support.h"

#define TABLE                                                                                      \
    "NAME       SHORTNAMES   APIVERSION                    NAMESPACED   KIND\n"                    \
    "nodes      no           v1                            false        Node\n"                    \
    "pods       po           v1                            true         Pod\n"                     \
    "jobs                    batch/v1                      true         Job\n"                     \
    "jobs       vcjob,vj     batch.volcano.sh/v1alpha1     true         Job\n"                     \
    "\n"                                                                                           \
    "error: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1\n"

static void resources__are_read_with_or_without_short_names(void **state)
{
    (void)state;
    struct api_resources resources;
    assert_true(api_resources_parse(TABLE, &resources));
    assert_int_equal(resources.count, 4);
    assert_string_equal(resources.items[1].address, "pods.v1.");
    assert_true(resources.items[1].namespaced);
    assert_false(resources.items[0].namespaced);
    assert_string_equal(resources.items[2].address, "jobs.v1.batch");
    assert_string_equal(resources.items[3].address, "jobs.v1alpha1.batch.volcano.sh");
    assert_string_equal(resources.items[3].short_names, "vcjob,vj");
    api_resources_dispose(&resources);
}

static void resource__is_what_users_call_it(void **state)
{
    (void)state;
    struct api_resources resources;
    assert_true(api_resources_parse(TABLE, &resources));
    const struct api_resource *pod = &resources.items[1], *job = &resources.items[2],
                              *other = &resources.items[3];
    static const char *const pods[] = {"pods", "pod", "Pod", "po", "pods.v1", "pods.v1."};
    for (size_t i = 0; i < sizeof pods / sizeof pods[0]; i++)
        assert_true(api_resource_is(pod, pods[i]));
    static const char *const jobs[] = {"job.batch", "jobs.v1.batch", "JOBS", "Job.v1.batch"};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        assert_true(api_resource_is(job, jobs[i]));
    static const char *const none[] = {"",          ".batch",  "jobs.v2.batch", "jo",
                                       "jobs.batc", "jobsets", "job.",          "vj"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(api_resource_is(job, none[i]));
    assert_true(api_resource_is(other, "vj") && api_resource_is(other, "vcjob"));
    assert_true(api_resource_is(other, "job.batch.volcano.sh"));
    assert_false(api_resource_is(other, "job.batch"));
    api_resources_dispose(&resources);
}

static void resources__are_found_by_group_and_kind(void **state)
{
    (void)state;
    struct api_resources resources;
    assert_true(api_resources_parse(TABLE, &resources));
    assert_ptr_equal(api_resources_of(&resources, "batch/v1beta1", "Job"), &resources.items[2]);
    assert_ptr_equal(api_resources_of(&resources, "v1", "Pod"), &resources.items[1]);
    assert_null(api_resources_of(&resources, "apps/v1", "Job"));
    api_resources_dispose(&resources);
    assert_true(api_resources_parse("", &resources));
    assert_int_equal(resources.count, 0);
    api_resources_dispose(&resources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources__are_read_with_or_without_short_names),
        cmocka_unit_test(resource__is_what_users_call_it),
        cmocka_unit_test(resources__are_found_by_group_and_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
