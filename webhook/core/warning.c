/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings cut by us, where they can be, instead of by Kubernetes, where it likes. */
#include "warning.h"

#include <string.h>

#include "base/limits.h"

void warning_cut(char *text)
{
    if (strlen(text) <= LIMIT_WARNING)
        return;
    size_t end = LIMIT_WARNING - 3;
    while (((unsigned char)text[end] & 0xC0U) == 0x80U)
        end--;
    memcpy(text + end, "...", 4);
}
