/* SPDX-License-Identifier: Apache-2.0 */
/* Base64, strictly: what a server sends is either exactly right or refused. */
#include "base/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Decodes four characters, of which the last `padding` are '='. */
static bool decode_four(const char *text, size_t padding, char *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int value = i < 4 - padding ? digit(text[i]) : 0;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
    }
    for (size_t i = 0; i < 3 - padding; i++)
        out[i] = (char)(bits >> (16 - 8 * i) & 0xFF);
    return true;
}

char *base64_decode(const char *text, size_t *size)
{
    size_t length = strlen(text);
    if (length % 4 != 0)
        return NULL;
    size_t padding = 0;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    char *bytes = malloc(length / 4 * 3 + 1);
    for (size_t i = 0; bytes != NULL && i < length; i += 4)
        if (!decode_four(text + i, i + 4 == length ? padding : 0, bytes + i / 4 * 3)) {
            free(bytes);
            return NULL;
        }
    if (bytes == NULL)
        return NULL;
    *size = length / 4 * 3 - padding;
    bytes[*size] = '\0';
    return bytes;
}
