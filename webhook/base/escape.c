/* SPDX-License-Identifier: Apache-2.0 */
/* What users send comes back in errors and logs; this makes it harmless, byte by byte. */
#include "escape.h"

#include <stdint.h>

#include "base/text.h"

static bool is_hidden(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

static void add_point(struct strbuf *out, const char *bytes, size_t length, uint32_t point)
{
    if (point == '"' || point == '\\')
        strbuf_addf(out, "\\%c", (char)point);
    else if (point == '\n')
        strbuf_adds(out, "\\n");
    else if (point == '\t')
        strbuf_adds(out, "\\t");
    else if (is_hidden(point))
        strbuf_addf(out, "\\u%04x", (unsigned)point);
    else
        strbuf_add(out, bytes, length);
}

void escape_json(struct strbuf *out, const char *bytes, size_t size)
{
    strbuf_addc(out, '"');
    for (size_t i = 0; i < size;) {
        uint32_t point;
        size_t length = text_character(bytes + i, size - i, &point);
        if (length == 0)
            strbuf_adds(out, "\\ufffd");
        else
            add_point(out, bytes + i, length, point);
        i += length > 0 ? length : 1;
    }
    strbuf_addc(out, '"');
}
