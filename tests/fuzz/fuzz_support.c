/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "karta/engine.h"

static pthread_t watchdog;
static atomic_bool stopping;

uint32_t fuzz_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)((*state >> 33) % below);
}

static void *watch(void *unused)
{
    while (!atomic_load(&stopping)) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        karta_engine_expire(karta_engine_now_ms());
    }
    return unused;
}

void fuzz_watchdog_start(void)
{
    if (pthread_create(&watchdog, NULL, watch, NULL) != 0)
        fuzz_fail("no thread", "");
}

void fuzz_watchdog_stop(void)
{
    atomic_store(&stopping, true);
    pthread_join(watchdog, NULL);
}

int64_t fuzz_cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

uint64_t fuzz_digest(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ at[i]) * 1099511628211ULL;
    return digest;
}

void fuzz_fail(const char *what, const char *detail)
{
    fflush(stdout);
    fprintf(stderr, "FAILED: %s: %s\n", what, detail);
    exit(1);
}

char *fuzz_result_text(const struct jq_result *result)
{
    char *text = result->error != NULL ? mem_format("error: %s", result->error)
                                       : json_dumps(result->values, JSON_COMPACT);
    if (text == NULL)
        fuzz_fail("a result cannot be printed", result->error != NULL ? result->error : "");
    return text;
}
