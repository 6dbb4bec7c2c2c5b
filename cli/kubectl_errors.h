/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl's standard error means. Pure functions. */
#ifndef KARTA_CLI_KUBECTL_ERRORS_H
#define KARTA_CLI_KUBECTL_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/* One line that says something: its text without "Error from server (X): " or "error: ". */
struct kubectl_error {
    const char *text;
    size_t size;
    char reason[64]; /* what stands in parentheses; "" where nothing does */
};

/*
 * The next one in *text, which moves behind it; false at the end. Log lines of kubectl's libraries
 * are no errors of their own: the last line says the same in words.
 */
bool kubectl_error_next(const char **text, struct kubectl_error *error);

/* The exit code that it means, an enum exit_code. */
int kubectl_error_code(const struct kubectl_error *error);

/* The code of the first error in all of `text`; CLI_FAILED where there is none. */
int kubectl_errors_code(const char *text);

/* Prints each as a warning, or as a failure. */
void kubectl_errors_print(const char *text, bool warn);

#endif
