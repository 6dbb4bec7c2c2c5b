/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What following a cluster costs: how long a Karta takes from its creation into force, what 1,000
 * of them weigh and whether requests notice, and how soon a watch is back after the API server.
 * The server is the real one, the API server the tests' double. Prints milliseconds and megabytes.
 */
#include <time.h>

#include "trial.h"

#define ROUNDS 50
#define KARTAS 1000
#define REQUESTS 2000
#define RETURNS 20
#define SOON_MS 60000

static struct api_server *api;
static struct running server;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void measure_in_force(void)
{
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        KARTA_AUTO_TEXT name = mem_format("one-%d", i);
        KARTA_AUTO_TEXT kind = mem_format("One%d", i);
        double begin = now_ms();
        trial_put(api, trial_karta(name, kind, "3"));
        while (!trial_patches(&server, kind))
            if (now_ms() - begin > SOON_MS)
                abort();
        took[i] = now_ms() - begin;
    }
    double median = median_of(took, ROUNDS);
    printf("a Karta in force: median %.1f ms, max %.1f ms of %d\n", median, took[ROUNDS - 1],
           ROUNDS);
}

static double median_latency(void)
{
    static double took[REQUESTS];
    KARTA_AUTO_TEXT review = test_read("manifests/examples/jobset-review.json", NULL);
    struct client client;
    running_connect(&server, &client);
    for (int i = 0; i < REQUESTS; i++) {
        struct answer answer;
        double begin = now_ms();
        if (!client_post(&client, "/mutate/workloads", review, &answer) || answer.status != 200)
            abort();
        took[i] = now_ms() - begin;
        answer_dispose(&answer);
    }
    client_close(&client);
    return median_of(took, REQUESTS);
}

static double megabytes(void)
{
    return trial_metric(&server, "process_resident_memory_bytes") / 1e6;
}

/* No two are alike: each has its own kind and its own expression. */
static void put_many(void)
{
    for (int i = 0; i < KARTAS; i++) {
        KARTA_AUTO_TEXT name = mem_format("many-%d", i);
        KARTA_AUTO_TEXT kind = mem_format("Many%d", i);
        KARTA_AUTO_TEXT replicas = mem_format("%d", 3 + i);
        trial_put(api, trial_karta(name, kind, replicas));
    }
    double begin = now_ms();
    KARTA_AUTO_TEXT last = mem_format("Many%d", KARTAS - 1);
    while (!trial_patches(&server, last))
        if (now_ms() - begin > SOON_MS)
            abort();
    printf("%d Kartas in force: %.0f ms\n", KARTAS, now_ms() - begin);
    KARTA_AUTO_TEXT name = mem_format("many-%d", KARTAS - 1);
    while (!trial_shows(api, name, "KartaValidated", "True") && now_ms() - begin < SOON_MS)
        pause_ms(10);
    pause_ms(5000); /* what is compiled behind */
}

static void measure_many(void)
{
    double before = median_latency(), empty = megabytes();
    put_many();
    double after = median_latency();
    printf("latency of /mutate/workloads: median %.3f ms without, %.3f ms with %d Kartas\n", before,
           after, KARTAS);
    printf("resident: %.1f MB without, %.1f MB with them\n", empty, megabytes());
    /* and once each of them was asked for */
    for (int i = 0; i < KARTAS; i++) {
        KARTA_AUTO_TEXT kind = mem_format("Many%d", i);
        if (!trial_patches(&server, kind))
            abort();
    }
    printf("resident: %.1f MB after a request for each\n", megabytes());
}

static void measure_return(void)
{
    double took[RETURNS];
    for (int i = 0; i < RETURNS; i++) {
        api_server_die(api);
        pause_ms(1000 + 137 * i);
        double begin = now_ms();
        api_server_return(api);
        while (api_server_watches(api, "kartas") == 0)
            if (now_ms() - begin > SOON_MS)
                abort();
        took[i] = now_ms() - begin;
    }
    double median = median_of(took, RETURNS);
    printf("a watch is back: median %.0f ms, max %.0f ms of %d\n", median, took[RETURNS - 1],
           RETURNS);
}

int main(void)
{
    api = trial_api();
    trial_start(&server, api, NULL);
    while (!trial_is_ready(&server, NULL))
        pause_ms(10);
    pause_ms(5000);
    measure_in_force();
    measure_many();
    measure_return();
    running_stop(&server);
    api_server_free(api);
    return 0;
}
