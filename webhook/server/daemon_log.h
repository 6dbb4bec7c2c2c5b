/* SPDX-License-Identifier: Apache-2.0 */
/* What libmicrohttpd has to say, in our log, and its own answers in our figures. */
#ifndef KARTA_SERVER_DAEMON_LOG_H
#define KARTA_SERVER_DAEMON_LOG_H

#include <stdarg.h>

#include "log.h"
#include "metrics.h"

struct daemon_ear {
    const struct log *log;
    struct metrics *metrics; /* NULL: its answers are not counted */
};

/*
 * For MHD_OPTION_EXTERNAL_LOGGER, with a daemon_ear as its closure. A request that libmicrohttpd
 * answers itself (its parser could make nothing of it, so we never hear of it) is counted and
 * logged as one of ours; the rest, mostly clients that hang up, is for debugging only.
 */
__attribute__((format(printf, 2, 0))) void daemon_log(void *ear, const char *format, va_list args);

/* A broken invariant inside libmicrohttpd is one line before the process aborts. For the whole
 * process. */
void daemon_log_panics(const struct log *log);

#endif
