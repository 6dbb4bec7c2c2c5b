/* SPDX-License-Identifier: Apache-2.0 */
/* diff -u between two texts, on standard output. */
#ifndef KARTA_CLI_DIFF_H
#define KARTA_CLI_DIFF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs diffutils' diff on the texts, labelled "input" and "mutated"; nothing is printed where they
 * are equal. CLI_DONE, or CLI_FAILED and one line.
 */
int diff_print(const char *before, size_t before_size, const char *after, size_t after_size,
               bool colour);

#endif
