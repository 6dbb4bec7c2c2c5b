/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what is wrong with files that others write is worth a word yet. Writers need a moment
 * between key and certificate, or from the first byte to the last: what is bad is read again for a
 * second, and only what is still bad then is told, once. It is read on quietly: what could not be
 * read, or is not valid yet, may come right without being written again.
 */
#ifndef KARTA_SERVER_DOUBT_H
#define KARTA_SERVER_DOUBT_H

#include <stdbool.h>
#include <stdint.h>

struct doubt {
    int64_t since_ms; /* when the files were found bad; 0: they are good */
    bool told;
};

#define DOUBT_MS 1000

/* Whether to read now: the files changed, or are bad, or it was asked for. */
static inline bool doubt_wants(const struct doubt *doubt, bool changed, bool asked)
{
    return changed || asked || doubt->since_ms != 0;
}

/* The files were read and are good. */
static inline void doubt_ends(struct doubt *doubt)
{
    *doubt = (struct doubt){0};
}

/* The files were read and are bad: true when that is to be told now. */
static inline bool doubt_is_over(struct doubt *doubt, bool changed, bool asked, int64_t now_ms)
{
    if (changed || doubt->since_ms == 0)
        *doubt = (struct doubt){.since_ms = now_ms};
    bool over = asked || (!doubt->told && now_ms - doubt->since_ms >= DOUBT_MS);
    doubt->told = doubt->told || over;
    return over;
}

#endif
