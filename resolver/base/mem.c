/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation that says NULL where it fails or would overflow. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

#include "karta/error.h"

char *mem_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int size = vasprintf(&text, format, args);
    va_end(args);
    return size < 0 ? NULL : text;
}

void *mem_array(size_t count, size_t size)
{
    /* an empty array is no failure, so it must not be NULL */
    return calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

int mem_error(struct karta_error *err)
{
    return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
}
