/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: what users sent is printed with its control characters taken out. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "exit_code.h"

/* room for a library error with its path, and the name of a file before it */
#define MESSAGE_BYTES 2048

__attribute__((format(printf, 2, 0))) static void print_line(const char *prefix, const char *format,
                                                             va_list values)
{
    char text[MESSAGE_BYTES];
    vsnprintf(text, sizeof text, format, values);
    text_clean(text);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", prefix, text);
}

int cli_fail(int code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line("kartactl", format, values);
    va_end(values);
    return code;
}

void cli_warn(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_line("warning", format, values);
    va_end(values);
}

int cli_fail_error(int code, const char *label, const struct karta_error *err)
{
    if (err->line > 0)
        return cli_fail(code, "%s:%d:%d: %s", label, err->line, err->column, err->message);
    if (err->path[0] != '\0')
        return cli_fail(code, "%s: %s: %s", label, err->path, err->message);
    return cli_fail(code, "%s: %s", label, err->message);
}

int cli_code_of(const struct karta_error *err)
{
    switch (err->code) {
    case KARTA_OK:
        return CLI_DONE;
    case KARTA_ERR_SYNTAX:
    case KARTA_ERR_SCHEMA:
    case KARTA_ERR_LIMIT:
        return CLI_INVALID;
    case KARTA_ERR_NOT_FOUND:
        return CLI_NOT_FOUND;
    default:
        return CLI_FAILED;
    }
}

int cli_first(int first, int second)
{
    return first != CLI_DONE ? first : second;
}
