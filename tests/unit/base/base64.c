/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

/* The examples of RFC 4648, section 10, and every value of a byte at the edges. */
static void encode__matches_the_rfc(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"", ""},
                                          {"f", "Zg=="},
                                          {"fo", "Zm8="},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="},
                                          {"foobar", "Zm9vYmFy"},
                                          {"\xff\xfe\xfd", "//79"},
                                          {"\xfb\xef\xbe", "++++"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = base64_encode(rows[i][0], strlen(rows[i][0]));
        assert_string_equal(text, rows[i][1]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(encode__matches_the_rfc)};
    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
