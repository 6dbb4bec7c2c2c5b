/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <string.h>

#include "support.h"

static const struct gang_owner train = {"jobset.x-k8s.io", "JobSet", "ml", "train", NULL};

static void dns_label__lowers_and_joins_what_a_label_cannot_hold(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"leader", "leader"},
        {"Leader", "leader"},
        {"a.b_c", "a-b-c"},
        {"--a--", "a"},
        {"a//b", "a-b"},
        {"", ""},
        {"...", ""},
        {"\xc3\xa9t\xc3\xa9", "t"},
        {"0123456789012345678901234567890123456789012345678901234567890.2x",
         "0123456789012345678901234567890123456789012345678901234567890-2"},
        {"012345678901234567890123456789012345678901234567890123456789012345",
         "012345678901234567890123456789012345678901234567890123456789012"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char label[NAME_SIZE];
        name_dns_label(cases[i][0], label);
        assert_string_equal(label, cases[i][1]);
    }
}

static void label_value__follows_kubernetes(void **state)
{
    (void)state;
    assert_true(name_is_label_value(""));
    assert_true(name_is_label_value("team-a"));
    assert_true(name_is_label_value("A_b.c-1"));
    assert_false(name_is_label_value("-a"));
    assert_false(name_is_label_value("a."));
    assert_false(name_is_label_value("a b"));
    assert_false(name_is_label_value("a/b"));
    assert_true(
        name_is_label_value("012345678901234567890123456789012345678901234567890123456789012"));
    assert_false(
        name_is_label_value("0123456789012345678901234567890123456789012345678901234567890123"));
}

static void group_name(const struct gang_owner *owner, const char *group, const char *key,
                       const char *nonce, char name[NAME_SIZE])
{
    assert_int_equal(name_pod_group(owner, group, key, nonce, name, NULL), 0);
    assert_true(strlen(name) < NAME_SIZE);
    assert_true(name_fits(owner, group, key, nonce, name));
}

static void pod_group__is_readable_and_ends_in_its_hash(void **state)
{
    (void)state;
    char name[NAME_SIZE];
    group_name(&train, "jobset", NULL, "1f3a9c2e", name);
    assert_memory_equal(name, "train-jobset-", 13);
    assert_int_equal(strlen(name), 13 + 8);
    group_name(&train, "jobset", "leader", "1f3a9c2e", name);
    assert_memory_equal(name, "train-jobset-leader-", 20);
}

/* The hash is fixed for life: stored objects carry it. */
static void pod_group__hash_is_sha256_over_nul_terminated_parts(void **state)
{
    (void)state;
    char name[NAME_SIZE];
    group_name(&train, "jobset", NULL, "1f3a9c2e", name);
    /* computed apart, by another SHA-256: group, kind, namespace, name, pod group, key, nonce */
    assert_string_equal(name, "train-jobset-6757211f");
}

static void pod_group__differs_by_everything_that_tells_gangs_apart(void **state)
{
    (void)state;
    const struct gang_owner owners[] = {train,
                                        {"batch", "JobSet", "ml", "train", NULL},
                                        {"jobset.x-k8s.io", "Job", "ml", "train", NULL},
                                        {"jobset.x-k8s.io", "JobSet", "ml2", "train", NULL},
                                        {"jobset.x-k8s.io", "JobSet", "ml", "train2", NULL}};
    char names[8][NAME_SIZE];
    for (size_t i = 0; i < 5; i++)
        group_name(&owners[i], "jobset", NULL, "1f3a9c2e", names[i]);
    group_name(&train, "jobset2", NULL, "1f3a9c2e", names[5]);
    group_name(&train, "jobset", NULL, "1f3a9c2f", names[6]);
    group_name(&train, "jobset", "k", "1f3a9c2e", names[7]);
    for (size_t i = 0; i < 8; i++)
        for (size_t k = i + 1; k < 8; k++)
            assert_string_not_equal(names[i] + strlen(names[i]) - 8,
                                    names[k] + strlen(names[k]) - 8);
}

static void pod_group__joined_names_do_not_collide(void **state)
{
    (void)state;
    const struct gang_owner ab = {"g", "K", "ns", "a-b", NULL}, a = {"g", "K", "ns", "a", NULL};
    char one[NAME_SIZE], two[NAME_SIZE];
    group_name(&ab, "c", NULL, "00000000", one);
    group_name(&a, "b-c", NULL, "00000000", two);
    assert_string_not_equal(one, two);
}

static void pod_group__cuts_the_readable_part_and_never_the_hash(void **state)
{
    (void)state;
    char text[254], name[NAME_SIZE], other[NAME_SIZE];
    memset(text, 'a', 253);
    text[253] = '\0';
    const struct gang_owner longest = {"g", "K", "ns", text, NULL};
    group_name(&longest, "group", NULL, "00000000", name);
    assert_int_equal(strlen(name), 63);
    text[252] = 'b';
    group_name(&longest, "group", NULL, "00000000", other);
    assert_string_not_equal(name, other);
    const struct gang_owner dots = {"g", "K", "ns", "...", NULL};
    group_name(&dots, "_", NULL, "00000000", name);
    assert_int_equal(strlen(name), 8);
}

static void fits__refuses_what_another_owner_has(void **state)
{
    (void)state;
    char name[NAME_SIZE];
    const struct gang_owner other = {"jobset.x-k8s.io", "JobSet", "ml", "other", NULL};
    group_name(&other, "jobset", NULL, "1f3a9c2e", name);
    assert_false(name_fits(&train, "jobset", NULL, "1f3a9c2e", name));
    assert_false(name_fits(&train, "jobset", NULL, "1f3a9c2e", "x"));
    assert_false(name_fits(&train, "jobset", NULL, "1f3a9c2e", ""));
}

static void nonce__is_stable_and_differs_by_uid(void **state)
{
    (void)state;
    char one[NONCE_SIZE], two[NONCE_SIZE];
    assert_int_equal(name_nonce("a", one, NULL), 0);
    assert_int_equal(name_nonce("a", two, NULL), 0);
    assert_string_equal(one, two);
    assert_int_equal(name_nonce("b", two, NULL), 0);
    assert_string_not_equal(one, two);
    assert_int_equal(strspn(one, "0123456789abcdef"), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dns_label__lowers_and_joins_what_a_label_cannot_hold),
        cmocka_unit_test(label_value__follows_kubernetes),
        cmocka_unit_test(pod_group__is_readable_and_ends_in_its_hash),
        cmocka_unit_test(pod_group__hash_is_sha256_over_nul_terminated_parts),
        cmocka_unit_test(pod_group__differs_by_everything_that_tells_gangs_apart),
        cmocka_unit_test(pod_group__joined_names_do_not_collide),
        cmocka_unit_test(pod_group__cuts_the_readable_part_and_never_the_hash),
        cmocka_unit_test(fits__refuses_what_another_owner_has),
        cmocka_unit_test(nonce__is_stable_and_differs_by_uid)};
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
