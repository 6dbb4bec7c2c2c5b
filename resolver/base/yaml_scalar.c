/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of a plain scalar. The one idea: words by a table, numbers by Go's own rules for
 * literals, and whatever is left is text; nothing here depends on the process's locale.
 */
#include "base/yaml_scalar.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Longer ones are text: nobody writes such numbers, and the copy below stays on the stack. */
#define LONGEST_NUMBER 1024

struct word {
    const char *text;
    struct yaml_scalar scalar;
};

#define IS_TRUE                                                                                    \
    {                                                                                              \
        .kind = YAML_BOOL, .truth = true                                                           \
    }
#define IS_FALSE                                                                                   \
    {                                                                                              \
        .kind = YAML_BOOL                                                                          \
    }
#define IS_NULL                                                                                    \
    {                                                                                              \
        .kind = YAML_NULL                                                                          \
    }
#define NOT_FINITE                                                                                 \
    {                                                                                              \
        .kind = YAML_NOT_FINITE                                                                    \
    }

static const struct word words[] = {
    {"", IS_NULL},         {"~", IS_NULL},        {"null", IS_NULL},     {"Null", IS_NULL},
    {"NULL", IS_NULL},     {"true", IS_TRUE},     {"True", IS_TRUE},     {"TRUE", IS_TRUE},
    {"false", IS_FALSE},   {"False", IS_FALSE},   {"FALSE", IS_FALSE},   {"yes", IS_TRUE},
    {"Yes", IS_TRUE},      {"YES", IS_TRUE},      {"no", IS_FALSE},      {"No", IS_FALSE},
    {"NO", IS_FALSE},      {"on", IS_TRUE},       {"On", IS_TRUE},       {"ON", IS_TRUE},
    {"off", IS_FALSE},     {"Off", IS_FALSE},     {"OFF", IS_FALSE},     {"y", IS_TRUE},
    {"Y", IS_TRUE},        {"n", IS_FALSE},       {"N", IS_FALSE},       {".nan", NOT_FINITE},
    {".NaN", NOT_FINITE},  {".NAN", NOT_FINITE},  {".inf", NOT_FINITE},  {".Inf", NOT_FINITE},
    {".INF", NOT_FINITE},  {"+.inf", NOT_FINITE}, {"+.Inf", NOT_FINITE}, {"+.INF", NOT_FINITE},
    {"-.inf", NOT_FINITE}, {"-.Inf", NOT_FINITE}, {"-.INF", NOT_FINITE},
};

static const struct word *find_word(const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].text) == size && memcmp(words[i].text, text, size) == 0)
            return &words[i];
    return NULL;
}

static double parse_real(const char *text)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double real = plain != (locale_t)0 ? strtod_l(text, NULL, plain) : strtod(text, NULL);
    if (plain != (locale_t)0)
        freelocale(plain);
    return real;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* The base that the digits at *digits say they have; *digits moves past the prefix. */
static int find_base(const char **digits)
{
    const char *text = *digits;
    if (text[0] != '0' || text[1] == '\0')
        return 10;
    *digits += 2;
    switch (text[1]) {
    case 'x':
    case 'X':
        return 16;
    case 'b':
    case 'B':
        return 2;
    case 'o':
    case 'O':
        return 8;
    default:
        *digits = text + 1;
        return 8;
    }
}

static struct yaml_scalar make_integer(uint64_t magnitude, double real, bool wide, bool negative)
{
    if (!wide && negative && magnitude <= (uint64_t)INT64_MAX + 1)
        return (struct yaml_scalar){.kind = YAML_INTEGER, .integer = (int64_t)(0 - magnitude)};
    if (!wide && !negative && magnitude <= INT64_MAX)
        return (struct yaml_scalar){.kind = YAML_INTEGER, .integer = (int64_t)magnitude};
    return (struct yaml_scalar){.kind = YAML_REAL, .real = negative ? -real : real};
}

/* YAML_STRING where `text` is no integer literal; `base` 0: as the literal says. */
static struct yaml_scalar parse_integer(const char *text, int base)
{
    static const struct yaml_scalar none = {.kind = YAML_STRING};
    bool negative = text[0] == '-';
    const char *unsigned_text = text + (text[0] == '-' || text[0] == '+');
    const char *digits = unsigned_text;
    if (base == 0)
        base = find_base(&digits);
    if (*digits == '\0')
        return none;
    uint64_t magnitude = 0;
    double real = 0;
    bool wide = false;
    for (const char *c = digits; *c != '\0'; c++) {
        int digit = digit_value(*c);
        if (digit >= base)
            return none;
        wide = wide || __builtin_mul_overflow(magnitude, (uint64_t)base, &magnitude) ||
               __builtin_add_overflow(magnitude, (uint64_t)digit, &magnitude);
        real = real * base + digit;
    }
    /* adding digit by digit rounds each time; decimal text has a better reader */
    if (base == 10)
        real = parse_real(unsigned_text);
    if (isinf(real))
        return none;
    return make_integer(magnitude, real, wide, negative);
}

static const char *skip_digits(const char *c)
{
    while (*c >= '0' && *c <= '9')
        c++;
    return c;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_real(const char *text)
{
    const char *c = text + (text[0] == '-' || text[0] == '+');
    const char *whole = skip_digits(c);
    const char *end = whole;
    if (*end == '.')
        end = skip_digits(end + 1);
    if (end == c || (whole == c && end == c + 1))
        return false;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        end = skip_digits(exponent);
        if (end == exponent)
            return false;
    }
    return *end == '\0';
}

static struct yaml_scalar parse_number(const char *text)
{
    struct yaml_scalar scalar = parse_integer(text, 0);
    if (scalar.kind != YAML_STRING || !is_real(text))
        return scalar;
    /* 08 is no octal number and so a real to Go, which JSON then writes as 8 */
    scalar = parse_integer(text, 10);
    if (scalar.kind != YAML_STRING)
        return scalar;
    double real = parse_real(text);
    if (isinf(real))
        return (struct yaml_scalar){.kind = YAML_STRING};
    return (struct yaml_scalar){.kind = YAML_REAL, .real = real};
}

struct yaml_scalar yaml_scalar_resolve(const char *text, size_t size)
{
    const struct word *word = find_word(text, size);
    if (word != NULL)
        return word->scalar;
    struct yaml_scalar none = {.kind = YAML_STRING};
    if (size >= LONGEST_NUMBER || strchr("+-.0123456789", text[0]) == NULL)
        return none;
    char plain[LONGEST_NUMBER];
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        /* where a leading dot makes it a real, Go takes no underscores */
        if (text[i] == '\0' || (text[i] == '_' && text[0] == '.'))
            return none;
        if (text[i] != '_')
            plain[used++] = text[i];
    }
    plain[used] = '\0';
    return parse_number(plain);
}

bool yaml_scalar_print_real(double real, char text[64])
{
    json_t *number = json_real(real);
    if (number == NULL)
        return false;
    for (size_t precision = 15; precision <= 17; precision++) {
        size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(precision);
        size_t size = json_dumpb(number, text, 63, flags);
        if (size == 0 || size > 63) {
            json_decref(number);
            return false;
        }
        text[size] = '\0';
        if (parse_real(text) == real)
            break;
    }
    json_decref(number);
    return true;
}

/* The decimal digits of `value`, as few as tell it from every other float, and its exponent. */
static int shortest_digits(float value, char digits[16])
{
    char text[32];
    for (int precision = 0; precision <= 8; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, (double)value);
        for (char *c = text; *c != '\0'; c++)
            if (*c == ',')
                *c = '.';
        if ((float)parse_real(text) == value)
            break;
    }
    size_t used = 0;
    char *c = text;
    for (; *c != 'e'; c++)
        if (*c != '.')
            digits[used++] = *c;
    digits[used] = '\0';
    return atoi(c + 1);
}

void yaml_scalar_print_key(double real, char text[64])
{
    char digits[16];
    const char *sign = signbit(real) ? "-" : "";
    int exponent = shortest_digits(fabsf((float)real), digits);
    int count = (int)strlen(digits);
    const char *rest = digits + 1;
    if (exponent < -4 || exponent >= 6)
        snprintf(text, 64, "%s%c%s%se%c%02d", sign, digits[0], count > 1 ? "." : "", rest,
                 exponent < 0 ? '-' : '+', abs(exponent));
    else if (exponent < 0)
        snprintf(text, 64, "%s0.%.*s%s", sign, -exponent - 1, "000", digits);
    else if (count <= exponent + 1)
        snprintf(text, 64, "%s%s%.*s", sign, digits, exponent + 1 - count, "00000000000000000000");
    else
        snprintf(text, 64, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}
