/* SPDX-License-Identifier: Apache-2.0 */
/* The table of inputs and canonical forms is that of apimachinery's own tests. */
#include "quantity.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

static void parse__prints_canonically(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"0", "0"},
        {"0n", "0"},
        {"0Ki", "0"},
        {"0.0", "0"},
        {"00", "0"},
        {"1", "1"},
        {"007", "7"},
        {"5n", "5n"},
        {"4u", "4u"},
        {"3m", "3m"},
        {"8k", "8k"},
        {"50k", "50k"},
        {"7M", "7M"},
        {"6G", "6G"},
        {"5T", "5T"},
        {"40T", "40T"},
        {"2P", "2P"},
        {"1E", "1E"},
        {"12E", "12E"},
        {"1E3", "1e3"},
        {"1e3", "1e3"},
        {"1E-3", "1e-3"},
        {"1E6", "1e6"},
        {"1e14", "100e12"},
        {"1e13", "10e12"},
        {"1E18", "1e18"},
        {"1.3E+6", "1300e3"},
        {"1.2e3", "1200"},
        {"1.53E12", "1530e9"},
        {"1e27", "1e27"},
        {"0.5e0", "500e-3"},
        {"0.5e-9", "1e-9"},
        {"1.1E-9", "2e-9"},
        {"100.035k", "100035"},
        {"0.001", "1m"},
        {"0.0005k", "500m"},
        {"0.5", "500m"},
        {"0.50000", "500m"},
        {"1.5", "1500m"},
        {"9.01", "9010m"},
        {"1.08", "1080m"},
        {"7.123456M", "7123456"},
        {"6.987654321G", "6987654321"},
        {"1.01E", "1010P"},
        {"1000M", "1G"},
        {"0.001T", "1G"},
        {"1000u", "1m"},
        {"1080000000n", "1080m"},
        {"3.001n", "4n"},
        {"0.0000000001", "1n"},
        {"0.00000000050", "1n"},
        {"0.00000012345", "124n"},
        {"0.00000012354", "124n"},
        {"1e-100", "1e-9"},
        {"1Ki", "1Ki"},
        {"8Ki", "8Ki"},
        {"1.5Gi", "1536Mi"},
        {"1024Mi", "1Gi"},
        {"307200Ki", "300Mi"},
        {"1025024Mi", "1001Gi"},
        {"1025Ki", "1025Ki"},
        {"3Ei", "3Ei"},
        {"0.5Mi", "512Ki"},
        {"0.5Ki", "512"},
        {"100.035Ki", "102435840m"},
        {"0.05Gi", "53687091200m"},
        {"0.025Ti", "27487790694400m"},
        {"9Ei", "9223372036854775807"},
        {"8Ei", "9223372036854775807"},
        {"9223372036854775807Ki", "9223372036854775807"},
        {"99999999999999999999999999999999999999999Ki", "9223372036854775807"},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", "9223372036854775808"},
        {".001Ki", "1024m"},
        {".000001Ki", "1024u"},
        {".000000001Ki", "1024n"},
        {".000000000001Ki", "2n"},
        {".001", "1m"},
        {".0001k", "100m"},
        {"1.", "1"},
        {"1.G", "1G"},
        {".", "0"},
        {"k", "0"},
        {"000000000000000000000000000000000000000000000000000001", "1"},
        {"1.00000000000000000000000000000000000000000000000000", "1"},
        {"1.00000000000000000000000000000000000000000000000001", "1000000001n"},
        {"0.00000000000000000000000000000000000000000000000001Ei", "1n"},
        {"1e4294967296", "1"}, /* Kubernetes keeps 32 bits of the exponent */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct quantity quantity;
        char text[QUANTITY_TEXT];
        char signed_text[128];
        char expected[QUANTITY_TEXT + 1];
        assert_int_equal(quantity_parse(cases[i].text, &quantity, NULL), 0);
        quantity_print(&quantity, text);
        assert_string_equal(text, cases[i].canonical);
        snprintf(signed_text, sizeof signed_text, "-%s", cases[i].text);
        snprintf(expected, sizeof expected, "%s%s", strcmp(text, "0") != 0 ? "-" : "", text);
        assert_int_equal(quantity_parse(signed_text, &quantity, NULL), 0);
        quantity_print(&quantity, text);
        assert_string_equal(text, expected);
        signed_text[0] = '+';
        assert_int_equal(quantity_parse(signed_text, &quantity, NULL), 0);
        quantity_print(&quantity, text);
        assert_string_equal(text, cases[i].canonical);
    }
}

static void print__reads_back(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"",  "n",   "u",  "m",  "k",  "M",  "G",  "T",  "P",
                                           "E", "e-3", "e5", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    uint64_t random = 88172645463325252U;
    for (int round = 0; round < 20000; round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        char text[QUANTITY_TEXT];
        snprintf(text, sizeof text, "%s%u.%u%s", random & 1 ? "-" : "",
                 (unsigned)(random >> 8) >> (random % 32), (unsigned)(random >> 40) % 2048U,
                 suffixes[random % 18]);
        struct quantity first, second;
        struct karta_error err = {0};
        assert_int_equal(quantity_parse(text, &first, &err), 0);
        quantity_print(&first, text);
        assert_int_equal(quantity_parse(text, &second, &err), 0);
        assert_int_equal(quantity_compare(&first, &second), 0);
        char again[QUANTITY_TEXT];
        quantity_print(&second, again);
        assert_string_equal(again, text);
    }
}

static void parse__refuses(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",         "1.1.M",    "1+1.0M",
        "0.1mi",    "0.1am",    "aoeu",
        ".5i",      "1i",       "-3.01i",
        "-3.01e-",  " 1",       "1 ",
        "1e",       "e",        "1K",
        "1ki",      "1mm",      "1e3m",
        "--1",      "1_000",    "0x10",
        "1e+-3",    "Infinity", "NaN",
        "1E+",      "1Kii",     "1e99999999999999999999",
        "\xC3\xA9",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct quantity quantity;
        struct karta_error err = {0};
        char expected[128];
        snprintf(expected, sizeof expected, "\"%s\" is not a quantity", cases[i]);
        assert_int_equal(quantity_parse(cases[i], &quantity, &err), KARTA_ERR_SCHEMA);
        assert_string_equal(err.message, expected);
    }
}

static void parse__limits(void **state)
{
    (void)state;
    struct quantity quantity;
    struct karta_error err = {0};
    assert_int_equal(quantity_parse("1e29", &quantity, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "\"1e29\" is too large");
    assert_int_equal(quantity_parse("1e28", &quantity, NULL), 0);
    assert_int_equal(quantity_parse("0e2147483647", &quantity, NULL), 0);
    assert_int_equal(quantity_parse("1e-2147483648", &quantity, NULL), 0);
    assert_int_equal(quantity_parse("1e2147483647", &quantity, NULL), KARTA_ERR_LIMIT);
}

static void assert_sum(const char *a, const char *b, const char *expected)
{
    struct quantity sum, other;
    char text[QUANTITY_TEXT];
    assert_int_equal(quantity_parse(a, &sum, NULL), 0);
    assert_int_equal(quantity_parse(b, &other, NULL), 0);
    assert_int_equal(quantity_add(&sum, &other, NULL), 0);
    quantity_print(&sum, text);
    assert_string_equal(text, expected);
}

static void add__keeps_the_first_format(void **state)
{
    (void)state;
    assert_sum("1Gi", "0", "1Gi");
    assert_sum("0", "1Gi", "1Gi");
    assert_sum("100m", "0", "100m");
    assert_sum("1Gi", "1G", "2073741824");
    assert_sum("512Mi", "512Mi", "1Gi");
    assert_sum("1k", "1Ki", "2024");
    assert_sum("0.1", "0.2", "300m");
    assert_sum("500m", "-500m", "0");
    assert_sum("1Ki", "1m", "1024001m");
}

static void add__overflows_with_an_error(void **state)
{
    (void)state;
    struct quantity sum, same;
    struct karta_error err = {0};
    assert_int_equal(quantity_parse("9e28", &sum, NULL), 0);
    same = sum;
    assert_int_equal(quantity_add(&sum, &same, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "a sum of quantities is too large");
    assert_int_equal(quantity_compare(&sum, &same), 0);
    karta_error_init(&err);
    assert_int_equal(quantity_multiply(&sum, 2, &err), KARTA_ERR_LIMIT);
    assert_string_equal(err.message, "a multiple of a quantity is too large");
}

static void multiply__is_exact(void **state)
{
    (void)state;
    struct quantity quantity;
    char text[QUANTITY_TEXT];
    assert_int_equal(quantity_parse("1536Mi", &quantity, NULL), 0);
    assert_int_equal(quantity_multiply(&quantity, 2, NULL), 0);
    quantity_print(&quantity, text);
    assert_string_equal(text, "3Gi");
    assert_int_equal(quantity_multiply(&quantity, 0, NULL), 0);
    quantity_print(&quantity, text);
    assert_string_equal(text, "0");
}

static void compare__by_amount(void **state)
{
    (void)state;
    struct quantity a, b;
    assert_int_equal(quantity_parse("10000T", &a, NULL), 0);
    assert_int_equal(quantity_parse("100Gi", &b, NULL), 0);
    assert_true(quantity_compare(&a, &b) > 0);
    assert_true(quantity_compare(&b, &a) < 0);
    assert_int_equal(quantity_parse("1e16", &b, NULL), 0);
    assert_int_equal(quantity_compare(&a, &b), 0);
    assert_true(quantity_value(&a) == 1e16);
    assert_int_equal(quantity_parse("1500m", &a, NULL), 0);
    assert_true(quantity_value(&a) == 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__prints_canonically),
        cmocka_unit_test(print__reads_back),
        cmocka_unit_test(parse__refuses),
        cmocka_unit_test(parse__limits),
        cmocka_unit_test(add__keeps_the_first_format),
        cmocka_unit_test(add__overflows_with_an_error),
        cmocka_unit_test(multiply__is_exact),
        cmocka_unit_test(compare__by_amount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
