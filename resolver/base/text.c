/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8. The one idea: text_character decides what a character is, everything else asks it, so
 * that what we let through is exactly what jansson takes.
 */
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

/* Length by the first byte, and the smallest character that may be written so long. */
static size_t sequence_length(unsigned char first, uint32_t *least)
{
    *least = 0;
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF) {
        *least = 0x800;
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        *least = 0x10000;
        return 4;
    }
    return 0;
}

size_t text_character(const char *bytes, size_t size, uint32_t *point)
{
    uint32_t least;
    unsigned char first = (unsigned char)bytes[0];
    size_t length = sequence_length(first, &least);
    if (length == 0 || length > size)
        return 0;
    uint32_t value = length == 1 ? first : first & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3FU);
    }
    if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    if (point != NULL)
        *point = value;
    return length;
}

size_t text_encode(uint32_t point, char bytes[4])
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    static const unsigned char marks[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    bytes[0] = (char)(marks[length] | point);
    return length;
}

/* True when the text ends before the character that starts here does. */
static bool is_cut_off(const char *bytes, size_t size)
{
    uint32_t least;
    size_t length = sequence_length((unsigned char)bytes[0], &least);
    if (length <= size)
        return false;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80)
            return false;
    return true;
}

static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x2028 || point == 0x2029;
}

void text_clean(char *text)
{
    size_t size = strlen(text);
    char *out = text;
    for (size_t i = 0; i < size;) {
        uint32_t point = 0;
        size_t length = text_character(text + i, size - i, &point);
        if (length == 0 && is_cut_off(text + i, size - i))
            break;
        if (length == 0 || is_control(point)) {
            *out++ = length == 0 ? '?' : ' ';
            i += length == 0 ? 1 : length;
            continue;
        }
        memmove(out, text + i, length);
        out += length;
        i += length;
    }
    *out = '\0';
}
