/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What policies add to a request: microseconds to ask 1, 20 and 200 of them about the example's
 * JobSet, beside the view that all of them read (the floor).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "karta/engine.h"
#include "karta/policy.h"
#include "karta/view.h"

#define ROUNDS 30
#define CALLS 50

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void must(int code, const struct karta_error *err)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static char *read_source(const char *name, size_t *size)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", KARTA_SOURCE_DIR, name);
    struct karta_error err = {0};
    char *bytes = NULL;
    must(file_read(path, 1U << 20, &bytes, size, &err), &err);
    return bytes;
}

static struct karta_snapshot *make_snapshot(int policies)
{
    struct karta_snapshot *snapshot = karta_snapshot_new();
    struct karta_error err = {0};
    size_t size;
    KARTA_AUTO_TEXT karta = read_source("definitions/jobset.x-k8s.io-jobset-v1alpha2.yaml", &size);
    must(karta_snapshot_load(snapshot, karta, size, "karta", NULL, &err), &err);
    for (int i = 0; i < policies; i++) {
        KARTA_AUTO_TEXT text = mem_format(
            "{\"apiVersion\": \"workloadmap.dev/v1alpha1\", \"kind\": \"WorkloadPolicy\","
            " \"metadata\": {\"name\": \"policy-%d\"}, \"spec\": {\"validations\": [{"
            "\"expression\": \".totals.gpus <= %d\"}]}}",
            i, 1000 + i);
        must(karta_snapshot_load(snapshot, text, strlen(text), "policy", NULL, &err), &err);
    }
    must(karta_snapshot_warm(snapshot, &err), &err);
    return snapshot;
}

static void ask(const struct karta_snapshot *snapshot, const json_t *object)
{
    const struct karta_request request = {
        .operation = "CREATE", .ns = "ml", .object = object, .budget_ms = 10000};
    struct karta_verdict verdict = {0};
    struct karta_error err = {0};
    must(karta_policies_ask(snapshot, &request, &verdict, &err), &err);
    if (verdict.actions != 0)
        exit(1);
    karta_verdict_dispose(&verdict);
}

static void view(const struct karta_snapshot *snapshot, const json_t *object)
{
    json_auto_t *made = NULL;
    struct karta_error err = {0};
    must(karta_view(snapshot, object, "ml", 0, &made, &err), &err);
}

/* The best of many rounds: what the machine can do when nobody disturbs it. */
static double measure(void (*call)(const struct karta_snapshot *, const json_t *),
                      const struct karta_snapshot *snapshot, const json_t *object)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_us();
        for (int i = 0; i < CALLS; i++)
            call(snapshot, object);
        double took = (now_us() - begin) / CALLS;
        best = round == 0 || took < best ? took : best;
    }
    return best;
}

int main(void)
{
    static const int counts[] = {1, 20, 200};
    struct karta_error err = {0};
    size_t size;
    must(karta_engine_init(&err), &err);
    KARTA_AUTO_TEXT bytes = read_source("manifests/examples/jobset-review.json", &size);
    json_auto_t *review = json_loadb(bytes, size, 0, NULL);
    const json_t *object = json_object_get(json_object_get(review, "request"), "object");
    struct karta_snapshot *none = make_snapshot(0);
    double floor_us = measure(view, none, object);
    printf("the view alone: %.1f us\n", floor_us);
    karta_snapshot_unref(none);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct karta_snapshot *snapshot = make_snapshot(counts[i]);
        double us = measure(ask, snapshot, object);
        printf("%d policies: %.1f us beside it, %.2f of the view\n", counts[i], us - floor_us,
               (us - floor_us) / floor_us);
        karta_snapshot_unref(snapshot);
    }
    karta_engine_shutdown();
    return 0;
}
