/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing text with a cap. The one idea: reserve() is the only place that grows, and the only one
 * that fails; after a failure every append is a no-op.
 */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void strbuf_init(struct strbuf *buf, size_t cap)
{
    *buf = (struct strbuf){.cap = cap < SIZE_MAX / 2 ? cap : SIZE_MAX / 2};
}

void strbuf_dispose(struct strbuf *buf)
{
    free(buf->text);
    strbuf_init(buf, buf->cap);
}

/* Room for `more` bytes and a NUL. */
static bool reserve(struct strbuf *buf, size_t more)
{
    if (buf->failed != 0)
        return false;
    if (more > buf->cap - buf->size) {
        buf->failed = KARTA_ERR_LIMIT;
        return false;
    }
    size_t need = buf->size + more + 1;
    if (need <= buf->room)
        return true;
    size_t room = buf->room > 0 ? buf->room * 2 : 64;
    while (room < need)
        room *= 2;
    char *text = realloc(buf->text, room);
    if (text == NULL) {
        buf->failed = KARTA_ERR_NOMEM;
        return false;
    }
    buf->text = text;
    buf->room = room;
    return true;
}

void strbuf_add(struct strbuf *buf, const char *bytes, size_t size)
{
    if (!reserve(buf, size))
        return;
    if (size > 0)
        memcpy(buf->text + buf->size, bytes, size);
    buf->size += size;
    buf->text[buf->size] = '\0';
}

void strbuf_adds(struct strbuf *buf, const char *text)
{
    strbuf_add(buf, text, strlen(text));
}

void strbuf_addc(struct strbuf *buf, char c)
{
    strbuf_add(buf, &c, 1);
}

void strbuf_addf(struct strbuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0 && buf->failed == 0)
        buf->failed = KARTA_ERR_NOMEM;
    if (size < 0 || !reserve(buf, (size_t)size))
        return;
    va_start(args, format);
    vsnprintf(buf->text + buf->size, (size_t)size + 1, format, args);
    va_end(args);
    buf->size += (size_t)size;
}

void strbuf_clear(struct strbuf *buf)
{
    buf->size = 0;
    buf->failed = 0;
    if (buf->text != NULL)
        buf->text[0] = '\0';
}

/* The letter of JSON's short escapes, 0 where there is none. */
static char short_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return '\0';
    }
}

void strbuf_add_json(struct strbuf *buf, const char *text, size_t size)
{
    strbuf_addc(buf, '"');
    size_t plain = 0; /* start of the run that needs no escape */
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        char letter = short_escape((char)c);
        if (letter == '\0' && c >= 0x20 && c != 0x7F)
            continue;
        strbuf_add(buf, text + plain, i - plain);
        plain = i + 1;
        if (letter != '\0')
            strbuf_addf(buf, "\\%c", letter);
        else
            strbuf_addf(buf, "\\u%04x", (unsigned)c);
    }
    if (size > plain)
        strbuf_add(buf, text + plain, size - plain);
    strbuf_addc(buf, '"');
}

int strbuf_check(const struct strbuf *buf, struct karta_error *err)
{
    if (buf->failed == KARTA_ERR_LIMIT)
        return karta_error_set(err, KARTA_ERR_LIMIT, "text above %zu bytes", buf->cap);
    if (buf->failed != 0)
        return karta_error_set(err, buf->failed, "out of memory");
    return KARTA_OK;
}

char *strbuf_take(struct strbuf *buf)
{
    strbuf_add(buf, "", 0);
    if (buf->failed != 0)
        return NULL;
    char *text = buf->text;
    strbuf_init(buf, buf->cap);
    return text;
}
