/* SPDX-License-Identifier: Apache-2.0 */
/* Progress: one line that is written over, once a second. */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static int64_t shown; /* seconds that stand on the terminal, 0: nothing does */

void progress_show(int64_t waited_ms)
{
    int64_t seconds = waited_ms / 1000;
    if (seconds < 1 || seconds == shown || isatty(STDERR_FILENO) != 1)
        return;
    shown = seconds;
    fprintf(stderr, "\rwaiting for the cluster, %lld s ", (long long)seconds);
    fflush(stderr);
}

void progress_clear(void)
{
    if (shown > 0)
        fputs("\r\033[K", stderr);
    shown = 0;
}
