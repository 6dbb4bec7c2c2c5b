/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon_log.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of its message for an answer of its own, in 0.9.75 and 1.0.1 alike. */
#define OWN_ANSWER "(HTTP response code is %u"

void daemon_log(void *arg, const char *format, va_list args)
{
    const struct daemon_ear *ear = arg;
    bool answers = ear->metrics != NULL && strstr(format, OWN_ANSWER) != NULL;
    if (!answers && !log_wants(ear->log, LOG_LEVEL_DEBUG))
        return;
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = '\0';
    const char *code = answers ? strstr(text, "code is ") : NULL;
    unsigned status = code != NULL ? (unsigned)atoi(code + strlen("code is ")) : 0;
    if (status == 0) {
        LOG_WRITE(ear->log, LOG_LEVEL_DEBUG, "libmicrohttpd", log_text("text", text));
        return;
    }
    metrics_http_error(ear->metrics, status);
    LOG_WRITE(ear->log, LOG_LEVEL_INFO, "request refused by its parser",
              log_count("status", status));
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
