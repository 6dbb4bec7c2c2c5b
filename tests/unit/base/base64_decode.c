/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <stdlib.h>

#include "support.h"

static void check(const char *text, const char *expected, size_t expected_size)
{
    size_t size = 0;
    char *bytes = base64_decode(text, &size);
    assert_non_null(bytes);
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, expected_size + 1);
    free(bytes);
}

static void base64_decode__gives_the_rfc_test_vectors(void **state)
{
    (void)state;
    check("", "", 0);
    check("Zg==", "f", 1);
    check("Zm8=", "fo", 2);
    check("Zm9v", "foo", 3);
    check("Zm9vYg==", "foob", 4);
    check("Zm9vYmE=", "fooba", 5);
    check("Zm9vYmFy", "foobar", 6);
}

static void base64_decode__gives_every_byte(void **state)
{
    (void)state;
    check("AP+A/w==", "\x00\xff\x80\xff", 4);
    check("+/+/", "\xfb\xff\xbf", 3);
}

static void base64_decode__refuses_what_is_not_base64(void **state)
{
    (void)state;
    size_t size = 0;
    const char *const bad[] = {
        "Z",    "Zg",   "Zg=",          "Zg===",           "Zm=v", "====", "Zm9v\n",
        "Zm9-", "Z===", "Zm9vZg==Zm9v", "\xc3\xa9\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(base64_decode(bad[i], &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_decode__gives_the_rfc_test_vectors),
        cmocka_unit_test(base64_decode__gives_every_byte),
        cmocka_unit_test(base64_decode__refuses_what_is_not_base64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
