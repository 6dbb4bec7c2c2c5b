/* SPDX-License-Identifier: Apache-2.0 */
/* What people read on standard error: one clean line each, whatever the input held. */
#ifndef KARTA_CLI_MESSAGE_H
#define KARTA_CLI_MESSAGE_H

#include "karta/error.h"

/* Prints "kartactl: ...". Returns `code`, so that failing is one line. */
__attribute__((format(printf, 2, 3))) int cli_fail(int code, const char *format, ...);

/* Prints "warning: ...". */
__attribute__((format(printf, 1, 2))) void cli_warn(const char *format, ...);

/* Prints the error with where in `label` it is ("file.yaml:3:7: ..."). Returns `code`. */
int cli_fail_error(int code, const char *label, const struct karta_error *err);

/* The exit code of an error of the library. */
int cli_code_of(const struct karta_error *err);

/* Of two exit codes the one that came first and isn't CLI_DONE. */
int cli_first(int first, int second);

#endif
