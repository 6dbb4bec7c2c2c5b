/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the system once what others would find out by failing. */
#include "capacity.h"

#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_CONNECTIONS 4096U
/* standard streams, listeners, the metrics port's connections, files being read */
#define RESERVED_FILES 32U
/* each worker's epoll and its wake-up */
#define FILES_A_THREAD 3U

void capacity_raise_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit); /* a refusal leaves the lower limit, which is counted with */
}

unsigned capacity_connections(unsigned threads)
{
    struct rlimit limit;
    uint64_t files = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
    uint64_t reserved = RESERVED_FILES + (uint64_t)FILES_A_THREAD * threads;
    uint64_t left = files > reserved ? files - reserved : 0;
    unsigned most = left < MOST_CONNECTIONS ? (unsigned)left : MOST_CONNECTIONS;
    unsigned least = 4 * threads; /* a worker without a connection would never answer */
    return most > least ? most : least;
}

unsigned capacity_soft(unsigned limit)
{
    return limit - limit / 4;
}

/* "MAX PERIOD" or "QUOTA PERIOD" of one cgroup; 0 where there is no quota. */
static unsigned read_quota(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    uint64_t quota = 0;
    uint64_t period = 0;
    int found = fscanf(file, "%" SCNu64 " %" SCNu64, &quota, &period);
    fclose(file);
    if (found != 2 || period == 0)
        return 0;
    uint64_t whole = (quota + period - 1) / period;
    return whole < 1 ? 1 : whole > 256 ? 256 : (unsigned)whole;
}

/* The path of our own cgroup (version 2) below its mount; "" in a container's namespace. */
static void own_cgroup(char *path, size_t room)
{
    char line[512];
    path[0] = '\0';
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) == 0 && strcmp(line, "0::/") != 0)
            snprintf(path, room, "%s", line + 3);
    }
    if (file != NULL)
        fclose(file);
}

static unsigned affinity(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : (unsigned)count;
}

unsigned capacity_processors(void)
{
    char own[512];
    char path[600];
    own_cgroup(own, sizeof own);
    unsigned processors = affinity();
    /* a parent's quota binds too: the smallest on the way up counts */
    for (;;) {
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", own);
        unsigned quota = read_quota(path);
        if (quota > 0 && quota < processors)
            processors = quota;
        char *slash = strrchr(own, '/');
        if (slash == NULL)
            return processors;
        *slash = '\0';
    }
}
