/* SPDX-License-Identifier: Apache-2.0 */
/* The time as Kubernetes writes it, and as deadlines need it. */
#ifndef KARTA_TESTS_API_CLOCK_H
#define KARTA_TESTS_API_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_TEXT 32

static inline void clock_text(char text[CLOCK_TEXT])
{
    time_t now = time(NULL);
    struct tm utc;
    strftime(text, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

static inline int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
