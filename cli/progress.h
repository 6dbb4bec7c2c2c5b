/* SPDX-License-Identifier: Apache-2.0 */
/* A line on a terminal's standard error for who waits longer than a second. Main's thread only. */
#ifndef KARTA_CLI_PROGRESS_H
#define KARTA_CLI_PROGRESS_H

#include <stdint.h>

/* Shows that the cluster is waited for, `waited_ms` so far; nothing below a second or elsewhere. */
void progress_show(int64_t waited_ms);
/* Takes the line away again. */
void progress_clear(void);

#endif
