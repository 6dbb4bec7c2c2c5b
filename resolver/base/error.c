/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct karta_error: set once, wrapped on the way up. The one idea: whatever is formatted into it
 * leaves as one line of valid UTF-8 that fits, so that nobody after has to check.
 */
#include "karta/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void karta_error_init(struct karta_error *err)
{
    if (err != NULL)
        memset(err, 0, sizeof *err);
}

KARTA_PRINTF(5, 0)
static void store(struct karta_error *err, int code, int line, int column, const char *format,
                  va_list args)
{
    if (err == NULL || err->code != KARTA_OK)
        return;
    err->code = code;
    err->line = line;
    err->column = column;
    if (vsnprintf(err->message, sizeof err->message, format, args) < 0)
        err->message[0] = '\0';
    text_clean(err->message);
}

int karta_error_set(struct karta_error *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    store(err, code, 0, 0, format, args);
    va_end(args);
    return code;
}

int karta_error_set_at(struct karta_error *err, int code, int line, int column, const char *format,
                       ...)
{
    va_list args;
    va_start(args, format);
    store(err, code, line, column, format, args);
    va_end(args);
    return code;
}

int karta_error_wrap(struct karta_error *err, int code, const char *format, ...)
{
    if (err == NULL || err->code == KARTA_OK)
        return code;
    char whole[2 * sizeof err->message] = "";
    va_list args;
    va_start(args, format);
    int size = vsnprintf(whole, sizeof err->message, format, args);
    va_end(args);
    if (size < 0)
        return code;
    text_clean(whole);
    size_t used = strlen(whole);
    snprintf(whole + used, sizeof whole - used, ": %s", err->message);
    snprintf(err->message, sizeof err->message, "%.*s", (int)sizeof err->message - 1, whole);
    text_clean(err->message);
    return code;
}
