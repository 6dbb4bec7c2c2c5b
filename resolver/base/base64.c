/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding: what we send. */
#include "base/base64.h"

#include <stdint.h>
#include <stdlib.h>

char *base64_encode(const char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1);
    if (text == NULL)
        return NULL;
    char *out = text;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t block = (uint32_t)(unsigned char)bytes[i] << 16;
        if (i + 1 < size)
            block |= (uint32_t)(unsigned char)bytes[i + 1] << 8;
        if (i + 2 < size)
            block |= (unsigned char)bytes[i + 2];
        *out++ = digits[block >> 18];
        *out++ = digits[block >> 12 & 63];
        *out++ = i + 1 < size ? digits[block >> 6 & 63] : '=';
        *out++ = i + 2 < size ? digits[block & 63] : '=';
    }
    *out = '\0';
    return text;
}
