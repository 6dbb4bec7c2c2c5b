/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How soon pod groups follow their workloads, and what following many costs. The API server's
 * double runs here, the maker in a process of its own, so that its memory can be told apart.
 *
 *   podgroups [WORKLOADS [PODS]]
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "podgroups_world.h"

#define CREATIONS 1000
#define PER_SECOND 50

extern char **environ;

static bool leads_always(void *arg)
{
    (void)arg;
    return true;
}

static struct karta_snapshot *take(void *arg)
{
    return karta_snapshot_ref(arg);
}

static long metric(struct metrics *metrics, const char *name)
{
    struct metrics_state none = {0};
    KARTA_AUTO_STRBUF page;
    strbuf_init(&page, 1U << 20);
    metrics_print(metrics, &none, &page);
    const char *at = strstr(page.text, name);
    return at != NULL ? strtol(at + strlen(name), NULL, 10) : -1;
}

static bool is_quiet(struct podgroups *groups, struct metrics *metrics)
{
    char text[256];
    return !podgroups_wait(groups, text, sizeof text) &&
           metric(metrics, "\nkarta_podgroups_workloads{state=\"queued\"} ") == 0 &&
           metric(metrics, "\nkarta_podgroups_workloads{state=\"retrying\"} ") == 0 &&
           metric(metrics, "\nkarta_podgroups_workloads{state=\"blocked\"} ") == 0;
}

/* The maker's process: says once that all is as it should be, ends when its input does. */
static int run_maker(const char *url)
{
    struct karta_error err = {0};
    struct metrics *metrics = metrics_new();
    struct log log = {.level = LOG_LEVEL_WARN, .fd = 2};
    struct karta_snapshot *snapshot = test_snapshot();
    struct podgroups *groups = NULL;
    const char *profile = "kai";
    const struct podgroups_config config = {.access = {.url = url},
                                            .metrics = metrics,
                                            .log = &log,
                                            .in_force = take,
                                            .in_force_arg = snapshot,
                                            .profile = &profile,
                                            .leads = leads_always};
    metrics_follow_cluster(metrics);
    if (podgroups_start(&config, &groups, &err) != 0)
        return 1;
    while (!is_quiet(groups, metrics))
        usleep(20000);
    putchar('.');
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    podgroups_free(groups);
    karta_snapshot_unref(snapshot);
    metrics_free(metrics);
    return 0;
}

struct maker_process {
    pid_t pid;
    int in, out;
};

static struct maker_process start_maker(const char *url)
{
    int in[2], out[2];
    struct maker_process maker = {0};
    posix_spawn_file_actions_t actions;
    char self[] = "/proc/self/exe", word[] = "maker";
    KARTA_AUTO_TEXT copy = strdup(url);
    char *arguments[] = {self, word, copy, NULL};
    if (pipe(in) != 0 || pipe(out) != 0)
        exit(1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    if (posix_spawn(&maker.pid, self, &actions, NULL, arguments, environ) != 0)
        exit(1);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    maker.in = in[1];
    maker.out = out[0];
    return maker;
}

static void await(const struct maker_process *maker)
{
    char byte;
    if (read(maker->out, &byte, 1) != 1)
        exit(1);
}

static long memory_kb(const struct maker_process *maker, const char *what)
{
    KARTA_AUTO_TEXT path = mem_format("/proc/%d/status", maker->pid);
    char line[256];
    long kb = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, what, strlen(what)) == 0)
            kb = strtol(line + strlen(what) + 1, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kb;
}

/* Gives the CPU seconds that it took. */
static double end_maker(struct maker_process *maker)
{
    struct rusage usage = {0};
    close(maker->in);
    wait4(maker->pid, NULL, 0, &usage);
    close(maker->out);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Creations at a steady rate; how long each waits for its group. */
static void measure_lag(struct world *world)
{
    static char *names[CREATIONS];
    static int64_t made_ms[CREATIONS], lag_ms[CREATIONS];
    struct maker_process maker = start_maker(api_server_url(world->base.server));
    await(&maker);
    int64_t began_ms = karta_engine_now_ms();
    size_t created = 0, done = 0;
    while (done < CREATIONS) {
        int64_t now_ms = karta_engine_now_ms();
        while (created < CREATIONS && (now_ms - began_ms) * PER_SECOND / 1000 >= (int64_t)created) {
            KARTA_AUTO_TEXT name = mem_format("quick-%zu", created);
            world_create_jobset(world, name, name, 2);
            names[created] = world_group(world, "jobsets", name);
            made_ms[created++] = karta_engine_now_ms();
        }
        while (done < created && world_has(world, names[done])) {
            lag_ms[done] = karta_engine_now_ms() - made_ms[done];
            free(names[done++]);
        }
        usleep(10000); /* every look wakes all that watch the double */
    }
    qsort(lag_ms, CREATIONS, sizeof lag_ms[0], by_size);
    printf("%d creations at %d/s: a group after %lld ms (median), %lld ms (99 of 100), %lld ms "
           "(last); %.1f s of CPU\n",
           CREATIONS, PER_SECOND, (long long)lag_ms[CREATIONS / 2],
           (long long)lag_ms[CREATIONS * 99 / 100], (long long)lag_ms[CREATIONS - 1],
           end_maker(&maker));
}

static void measure_sync(struct world *world, const char *what)
{
    struct api_server *server = world->base.server;
    size_t asked = api_server_asked(server, NULL, NULL);
    size_t written = api_server_asked(server, "patch", NULL);
    int64_t began_ms = karta_engine_now_ms();
    struct maker_process maker = start_maker(api_server_url(server));
    await(&maker);
    int64_t took_ms = karta_engine_now_ms() - began_ms;
    long now_kb = memory_kb(&maker, "VmRSS"), most_kb = memory_kb(&maker, "VmHWM");
    size_t requests = api_server_asked(server, NULL, NULL) - asked;
    size_t writes = api_server_asked(server, "patch", NULL) - written;
    double cpu = end_maker(&maker);
    printf("%s: %.1f s, %zu requests, %zu of them writes; %zu groups; %ld MB (%ld MB at most); "
           "%.1f s of CPU\n",
           what, (double)took_ms / 1000, requests, writes, api_server_count(server, "podgroups"),
           now_kb / 1024, most_kb / 1024, cpu);
}

/* A fifth of the workloads has groups per replica, of all the pods. */
static void fill(struct world *world, int workloads, int pods)
{
    int serving = workloads / 5;
    for (int i = 0; i < workloads; i++) {
        KARTA_AUTO_TEXT name = mem_format("many-%d", i);
        if (i < serving)
            world_create_lws(world, name, name, pods / serving / 4);
        else
            world_create_jobset(world, name, name, 2);
    }
    for (int i = 0; i < pods; i++) {
        KARTA_AUTO_TEXT lws = mem_format("many-%d", i % serving);
        KARTA_AUTO_TEXT name = mem_format("many-pod-%d", i);
        world_create_lws_pod(world, name, lws, i / serving / 4);
    }
}

int main(int argc, char **argv)
{
    static struct world world;
    struct karta_error err = {0};
    if (karta_engine_init(&err) != 0)
        return 1;
    if (argc == 3 && strcmp(argv[1], "maker") == 0)
        return run_maker(argv[2]);
    int workloads = argc > 1 ? atoi(argv[1]) : 5000, pods = argc > 2 ? atoi(argv[2]) : 20000;
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_init(&world);
    measure_lag(&world);
    fill(&world, workloads, pods);
    printf("%d workloads, %d pods more\n", workloads, pods);
    measure_sync(&world, "with no group made yet");
    measure_sync(&world, "with all there, a restart");
    world_dispose(&world);
    karta_engine_shutdown();
    return 0;
}
