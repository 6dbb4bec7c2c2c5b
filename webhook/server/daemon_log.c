/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon_log.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void daemon_log(void *log, const char *format, va_list args)
{
    if (!log_wants(log, LOG_LEVEL_DEBUG))
        return;
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = '\0';
    LOG_WRITE(log, LOG_LEVEL_DEBUG, "libmicrohttpd", log_text("text", text));
}

static void panic(void *log, const char *file, unsigned int line, const char *reason)
{
    LOG_WRITE(log, LOG_LEVEL_ERROR, "libmicrohttpd gave up", log_text("reason", reason),
              log_text("file", file), log_count("line", line));
    abort();
}

void daemon_log_panics(const struct log *log)
{
    MHD_set_panic_func(panic, (void *)log);
}
