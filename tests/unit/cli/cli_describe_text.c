/* SPDX-License-Identifier: Apache-2.0 */
#include "describe_text.h"

#include <stdlib.h>

#include "support.h"

static const struct describe_style plain = {false, false, 1000000000, 0, 0};

typedef void part(const json_t *view, const struct describe_style *style, struct strbuf *buf);

static void assert_part(part *print, const char *view_text, const char *expected)
{
    json_t *view = test_json(view_text);
    struct strbuf buf;
    strbuf_init(&buf, 1U << 20);
    print(view, &plain, &buf);
    assert_int_equal(buf.failed, 0);
    assert_string_equal(buf.text, expected);
    strbuf_dispose(&buf);
    json_decref(view);
}

static void describe_tree__shows_absent_roles_and_faults(void **state)
{
    (void)state;
    assert_part(describe_tree,
                "{'totals': {'pods': 2, 'gpus': 0}, 'components': ["
                "{'name': 'top', 'owner': null, 'instances': [], 'error': null},"
                "{'name': 'one', 'owner': 'top', 'error': null, 'instances': ["
                "{'id': '', 'replicas': 2, 'total': {'gpus': 0}}]},"
                "{'name': 'none', 'owner': 'top', 'instances': [], 'error': null},"
                "{'name': 'bad', 'owner': 'top', 'instances': [], 'error': '2 ids, 3 templates'}]}",
                "top       2 pods\n"
                "|-- one   2 pods\n"
                "|-- none            not there\n"
                "`-- bad             error: 2 ids, 3 templates\n");
}

static void describe_tree__shows_instances_below_their_component(void **state)
{
    (void)state;
    assert_part(describe_tree,
                "{'totals': {'pods': 3, 'gpus': 2.5}, 'components': ["
                "{'name': 'top', 'owner': null, 'instances': [], 'error': null},"
                "{'name': 'mid', 'owner': 'top', 'error': null, 'instances': ["
                "{'id': 'a', 'replicas': 1, 'total': {'gpus': 1}},"
                "{'id': 'b', 'replicas': null, 'total': null}]}]}",
                "top        3 pods  2.5 GPUs\n"
                "`-- mid\n"
                "    |-- a  1 pod   1 GPU\n"
                "    `-- b\n");
}

static void describe_groups__hides_a_hash_that_is_not_given_yet(void **state)
{
    (void)state;
    assert_part(describe_groups,
                "{'workload': {'annotations': {}}, 'podGroups': [{'name': 'a-b-0123abcd',"
                "'minMember': 3, 'pods': 4, 'perReplica': false, 'count': 1, 'subGroups': []}]}",
                "POD GROUP     MIN-MEMBER  PODS  SUBGROUPS\n"
                "a-b-????????  3           4     -\n");
}

static void describe_groups__shows_the_name_of_a_ganged_workload(void **state)
{
    (void)state;
    assert_part(describe_groups,
                "{'workload': {'annotations': {'workloadmap.dev/gang': '{}'}}, 'podGroups': ["
                "{'name': 'a-b-0123abcd', 'minMember': 3, 'pods': 3, 'perReplica': true,"
                "'count': 2, 'subGroups': [{'name': 'x', 'minMember': 1},"
                "{'name': 'y', 'minMember': 2}]}]}",
                "POD GROUP     MIN-MEMBER  PODS  SUBGROUPS\n"
                "a-b-0123abcd  3           3     1 x, 2 y   x2\n");
}

static void describe_groups__says_that_there_are_none(void **state)
{
    (void)state;
    assert_part(describe_groups, "{'podGroups': []}", "Pod groups: none\n");
}

static void describe_resources__shows_a_dash_for_what_is_not_known(void **state)
{
    (void)state;
    assert_part(describe_resources,
                "{'totals': {'pods': null, 'gpus': 0, 'requests': {'cpu': '500m'}}, 'components': ["
                "{'name': 'c', 'instances': [{'id': '', 'replicas': null, 'total': null},"
                "{'id': 'i', 'replicas': 2, 'total': {'gpus': 0, 'requests': {'cpu': '500m',"
                "'memory': '1Gi'}}}]}]}",
                "COMPONENT  REPLICAS  GPU  CPU   MEMORY\n"
                "c          -         -    -     -\n"
                "c/i        2         0    500m  1Gi\n"
                "TOTAL      -         0    500m  -\n");
}

static void describe_text__starts_with_what_the_object_is(void **state)
{
    (void)state;
    json_t *object = test_json("{'metadata': {'creationTimestamp': '2001-09-05T22:46:40Z'}}");
    json_t *view = test_json("{'workload': {'kind': 'Train', 'name': 'x', 'namespace': 'ml'},"
                             "'definition': 'trains', 'queue': null, 'totals': {'pods': 1},"
                             "'status': {'phases': ['Running', 'Degraded']}, 'podGroups': [],"
                             "'components': [{'name': 'train', 'owner': null, 'instances': []}]}");
    struct strbuf buf;
    strbuf_init(&buf, 1U << 20);
    describe_text(object, view, "here.yaml", &plain, &buf);
    assert_string_equal(buf.text, "Train/x\n"
                                  "Namespace:   ml\n"
                                  "Definition:  trains (here.yaml)\n"
                                  "Age:         3d\n"
                                  "\n"
                                  "train  1 pod\n"
                                  "\n"
                                  "Phase: Running, Degraded\n"
                                  "\n"
                                  "Pod groups: none\n"
                                  "\n"
                                  "COMPONENT  REPLICAS  GPU  CPU  MEMORY\n"
                                  "TOTAL      1         -    -    -\n");
    strbuf_dispose(&buf);
    json_decref(view);
    json_decref(object);
}

static void describe_text__names_a_workload_that_has_only_a_prefix(void **state)
{
    (void)state;
    json_t *object = test_json("{'metadata': {'generateName': 'x-'}}");
    json_t *view = test_json("{'workload': {'kind': 'Train', 'name': null}}");
    struct strbuf buf;
    strbuf_init(&buf, 1U << 20);
    describe_text(object, view, "here.yaml", &plain, &buf);
    assert_memory_equal(buf.text, "Train/x-*\n", 10);
    strbuf_dispose(&buf);
    json_decref(view);
    json_decref(object);
}

static void describe_age__is_in_the_largest_unit_that_fits(void **state)
{
    (void)state;
    static const struct {
        long long seconds;
        const char *text;
    } ages[] = {{-5, "0s"},   {0, "0s"},      {59, "59s"},   {60, "1m"},         {3599, "59m"},
                {3600, "1h"}, {86399, "23h"}, {86400, "1d"}, {31535999, "364d"}, {31536000, "1y"}};
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
        char *text = describe_age(ages[i].seconds);
        assert_string_equal(text, ages[i].text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describe_tree__shows_absent_roles_and_faults),
        cmocka_unit_test(describe_tree__shows_instances_below_their_component),
        cmocka_unit_test(describe_groups__hides_a_hash_that_is_not_given_yet),
        cmocka_unit_test(describe_groups__shows_the_name_of_a_ganged_workload),
        cmocka_unit_test(describe_groups__says_that_there_are_none),
        cmocka_unit_test(describe_resources__shows_a_dash_for_what_is_not_known),
        cmocka_unit_test(describe_text__starts_with_what_the_object_is),
        cmocka_unit_test(describe_text__names_a_workload_that_has_only_a_prefix),
        cmocka_unit_test(describe_age__is_in_the_largest_unit_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
