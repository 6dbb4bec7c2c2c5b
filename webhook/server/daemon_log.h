/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd's own messages, brought into our log at debug: clients cause most of them. */
#ifndef KARTA_SERVER_DAEMON_LOG_H
#define KARTA_SERVER_DAEMON_LOG_H

#include <stdarg.h>

#include "log.h"

/* For MHD_OPTION_EXTERNAL_LOGGER, with a struct log as its closure. */
__attribute__((format(printf, 2, 0))) void daemon_log(void *log, const char *format, va_list args);

/* Makes libmicrohttpd's panic a line of `log` before the process ends; it cannot go on after one,
 * its state is undefined then. Once, before any daemon. */
void daemon_log_panics(const struct log *log);

#endif
