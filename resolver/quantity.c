/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities as whole nano-units in 128 bits. The one idea: the digits are text until they are
 * scaled, so a number of any length is read exactly and rounded once.
 */
#include "quantity.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

#define NANO 1000000000LL
/* 128 bits with a sign hold every number of 38 digits */
#define MOST_DIGITS 38

/* A quantity's text in its parts, as Kubernetes splits it: any part may be empty. */
struct parts {
    bool negative;
    const char *whole, *fraction, *suffix;
    size_t whole_size, fraction_size;
};

static bool split(const char *text, struct parts *parts)
{
    static const char digits[] = "0123456789";
    const char *c = text;
    *parts = (struct parts){.negative = *c == '-'};
    c += *c == '-' || *c == '+';
    c += strspn(c, "0");
    parts->whole = c;
    parts->whole_size = strspn(c, digits);
    c += parts->whole_size;
    bool point = *c == '.';
    c += point;
    parts->fraction = c;
    parts->fraction_size = point ? strspn(c, digits) : 0;
    c += parts->fraction_size;
    parts->suffix = c;
    c += strspn(c, "eEinumkKMGTP");
    c += *c == '-' || *c == '+';
    c += strspn(c, digits);
    return *text != '\0' && *c == '\0';
}

struct suffix {
    const char *text;
    int exponent; /* of 10, or of 2 */
};

static const struct suffix decimal_suffixes[] = {
    {"n", -9}, {"u", -6}, {"m", -3}, {"", 0},   {"k", 3},
    {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18},
};
static const struct suffix binary_suffixes[] = {
    {"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60},
};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static bool find_suffix(const struct suffix *table, size_t count, const char *text, int *exponent)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].text, text) == 0) {
            *exponent = table[i].exponent;
            return true;
        }
    }
    return false;
}

/* e3, E-3, e+3: the exponent is a 64-bit integer of which Kubernetes keeps the lower 32 bits. */
static bool read_exponent(const char *suffix, int *exponent)
{
    if (suffix[0] != 'e' && suffix[0] != 'E')
        return false;
    const char *digits = suffix + 1 + (suffix[1] == '-' || suffix[1] == '+');
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    long long value = strtoll(suffix + 1, NULL, 10);
    if (errno != 0)
        return false;
    *exponent = (int)(int32_t)(uint32_t)(unsigned long long)value;
    return true;
}

static bool read_suffix(const char *suffix, enum quantity_format *format, int *exponent)
{
    *format = QUANTITY_DECIMAL;
    if (find_suffix(decimal_suffixes, COUNT(decimal_suffixes), suffix, exponent))
        return true;
    *format = QUANTITY_BINARY;
    if (find_suffix(binary_suffixes, COUNT(binary_suffixes), suffix, exponent))
        return true;
    *format = QUANTITY_EXPONENT;
    return read_exponent(suffix, exponent);
}

/* Digit `index` of whole and fraction together; 0 past the end. */
static int digit_at(const struct parts *parts, size_t index)
{
    if (index < parts->whole_size)
        return parts->whole[index] - '0';
    index -= parts->whole_size;
    return index < parts->fraction_size ? parts->fraction[index] - '0' : 0;
}

/* The nano-units of digits times 10^exponent, rounded up; false when they are too many. */
static bool scale_decimal(const struct parts *parts, int exponent, wide *nano)
{
    size_t count = parts->whole_size + parts->fraction_size;
    size_t first = 0;
    while (first < count && digit_at(parts, first) == 0)
        first++;
    *nano = 0;
    if (first == count)
        return true;
    /* so many of the digits stand before the point, counted in nano-units */
    long long point = (long long)parts->whole_size + exponent + 9;
    if (point - (long long)first > MOST_DIGITS)
        return false;
    for (long long i = (long long)first; i < point; i++)
        *nano = *nano * 10 + digit_at(parts, (size_t)i);
    for (long long i = point > (long long)first ? point : (long long)first; i < (long long)count;
         i++) {
        if (digit_at(parts, (size_t)i) != 0) {
            *nano += 1;
            break;
        }
    }
    return true;
}

/* The nano-units of digits times 2^exponent, rounded up, at most 2^63-1 units. */
static wide scale_binary(const struct parts *parts, int exponent)
{
    const wide most = (wide)INT64_MAX * NANO;
    const wide unit = ((wide)1 << exponent) * NANO;
    wide whole = 0;
    for (size_t i = 0; i < parts->whole_size; i++) {
        whole = whole * 10 + (parts->whole[i] - '0');
        if (whole > INT64_MAX)
            return most;
    }
    /* from the last digit: each division by ten moves what was read one place to the right */
    wide part = 0;
    bool rest = false;
    for (size_t i = parts->fraction_size; i > 0; i--) {
        part += (parts->fraction[i - 1] - '0') * unit;
        rest = rest || part % 10 != 0;
        part /= 10;
    }
    part += rest;
    if (whole > (most - part) / unit)
        return most;
    return whole * unit + part;
}

int quantity_parse(const char *text, struct quantity *quantity, struct karta_error *err)
{
    struct parts parts;
    enum quantity_format format;
    int exponent;
    if (!split(text, &parts) || !read_suffix(parts.suffix, &format, &exponent))
        return karta_error_set(err, KARTA_ERR_SCHEMA, "\"%.80s\" is not a quantity", text);
    wide nano = 0;
    if (format == QUANTITY_BINARY)
        nano = scale_binary(&parts, exponent);
    else if (!scale_decimal(&parts, exponent, &nano))
        return karta_error_set(err, KARTA_ERR_LIMIT, "\"%.80s\" is too large", text);
    if (format == QUANTITY_BINARY && nano > 0 && nano < NANO)
        format = QUANTITY_DECIMAL;
    *quantity = (struct quantity){parts.negative ? -nano : nano, format};
    return KARTA_OK;
}

int quantity_add(struct quantity *sum, const struct quantity *other, struct karta_error *err)
{
    wide nano;
    if (__builtin_add_overflow(sum->nano, other->nano, &nano))
        return karta_error_set(err, KARTA_ERR_LIMIT, "a sum of quantities is too large");
    if (sum->nano == 0)
        sum->format = other->format;
    sum->nano = nano;
    return KARTA_OK;
}

int quantity_multiply(struct quantity *quantity, int64_t factor, struct karta_error *err)
{
    wide nano;
    if (__builtin_mul_overflow(quantity->nano, (wide)factor, &nano))
        return karta_error_set(err, KARTA_ERR_LIMIT, "a multiple of a quantity is too large");
    quantity->nano = nano;
    return KARTA_OK;
}

int quantity_compare(const struct quantity *a, const struct quantity *b)
{
    return (a->nano > b->nano) - (a->nano < b->nano);
}

/* Writes the sign, the digits and the suffix. */
static void print_parts(char text[QUANTITY_TEXT], bool negative, unsigned_wide number,
                        const char *suffix)
{
    char digits[48];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number != 0);
    snprintf(text, QUANTITY_TEXT, "%s%s%s", negative ? "-" : "", digits + at, suffix);
}

static void print_decimal(char text[QUANTITY_TEXT], bool negative, unsigned_wide nano,
                          enum quantity_format format)
{
    int exponent = -9;
    while (nano % 1000 == 0 && (exponent < 18 || format == QUANTITY_EXPONENT)) {
        nano /= 1000;
        exponent += 3;
    }
    char suffix[16] = "";
    if (format == QUANTITY_EXPONENT && exponent != 0)
        snprintf(suffix, sizeof suffix, "e%d", exponent);
    else if (format == QUANTITY_DECIMAL)
        snprintf(suffix, sizeof suffix, "%s", decimal_suffixes[(exponent + 9) / 3].text);
    print_parts(text, negative, nano, suffix);
}

void quantity_print(const struct quantity *quantity, char text[QUANTITY_TEXT])
{
    bool negative = quantity->nano < 0;
    unsigned_wide nano =
        negative ? 0 - (unsigned_wide)quantity->nano : (unsigned_wide)quantity->nano;
    bool binary = quantity->format == QUANTITY_BINARY;
    if (nano == 0) {
        snprintf(text, QUANTITY_TEXT, "0");
        return;
    }
    /* a binary suffix is kept only where it costs no precision */
    if (!binary || nano < (unsigned_wide)1024 * NANO || nano % NANO != 0) {
        print_decimal(text, negative, nano, binary ? QUANTITY_DECIMAL : quantity->format);
        return;
    }
    nano /= NANO;
    size_t power = 0;
    while (nano % 1024 == 0 && power < COUNT(binary_suffixes)) {
        nano /= 1024;
        power++;
    }
    print_parts(text, negative, nano, power > 0 ? binary_suffixes[power - 1].text : "");
}

double quantity_value(const struct quantity *quantity)
{
    return (double)quantity->nano / (double)NANO;
}
