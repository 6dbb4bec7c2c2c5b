/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies grow with what comes, and pay for it from one budget. */
#include "body.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

#define CAP ((size_t)8 << 20)

static void add__keeps_the_bytes_in_order(void **state)
{
    (void)state;
    atomic_size_t budget = 0;
    struct body body = {.budget = &budget};
    char expected[20001];
    for (size_t i = 0; i < sizeof expected; i++)
        expected[i] = (char)('a' + i % 23);
    for (size_t at = 0; at < sizeof expected; at += 667) {
        size_t left = sizeof expected - at;
        assert_int_equal(body_add(&body, expected + at, left < 667 ? left : 667, CAP), BODY_TAKEN);
    }
    assert_int_equal(body.size, sizeof expected);
    assert_memory_equal(body.bytes, expected, sizeof expected);
    assert_int_equal(budget, body.room);
    body_dispose(&body);
    assert_int_equal(budget, 0);
}

static void add__a_little_takes_a_little(void **state)
{
    (void)state;
    atomic_size_t budget = 0;
    struct body body = {.budget = &budget};
    assert_int_equal(body_add(&body, "x", 1, CAP), BODY_TAKEN);
    assert_true(budget <= 4096);
    body_dispose(&body);
}

static void add__the_cap_is_inclusive(void **state)
{
    (void)state;
    atomic_size_t budget = 0;
    struct body body = {.budget = &budget};
    char bytes[100] = {0};
    assert_int_equal(body_add(&body, bytes, 99, 100), BODY_TAKEN);
    assert_int_equal(body_add(&body, bytes, 1, 100), BODY_TAKEN);
    assert_int_equal(body_add(&body, bytes, 1, 100), BODY_TOO_LARGE);
    assert_int_equal(body.size, 0);
    assert_int_equal(budget, 0);
}

static void add__the_budget_is_everybodys(void **state)
{
    (void)state;
    atomic_size_t budget = LIMIT_ALL_BODIES - 8192;
    struct body one = {.budget = &budget};
    struct body two = {.budget = &budget};
    char bytes[5000] = {0};
    assert_int_equal(body_add(&one, bytes, 5000, CAP), BODY_TAKEN);
    assert_int_equal(body_add(&two, bytes, 1, CAP), BODY_NO_ROOM);
    body_dispose(&one);
    assert_int_equal(body_add(&two, bytes, 1, CAP), BODY_TAKEN);
    body_dispose(&two);
    assert_int_equal(budget, LIMIT_ALL_BODIES - 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__keeps_the_bytes_in_order),
        cmocka_unit_test(add__a_little_takes_a_little),
        cmocka_unit_test(add__the_cap_is_inclusive),
        cmocka_unit_test(add__the_budget_is_everybodys),
    };
    return cmocka_run_group_tests_name("server.body", tests, NULL, NULL);
}
