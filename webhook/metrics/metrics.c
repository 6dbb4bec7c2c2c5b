/* SPDX-License-Identifier: Apache-2.0 */
/* Counting: what a request pays. No lock is taken for labels that were seen before. */
#include <time.h>

#include "metrics_internal.h"

const int64_t metrics_bucket_us[BUCKETS] = {50,    100,   250,   500,    1000,   2500,   5000,
                                            10000, 25000, 50000, 100000, 250000, 500000, 1000000};

struct metrics *metrics_new(void)
{
    struct metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics == NULL)
        return NULL;
    int kinds = labels_init(&metrics->kinds);
    int profiles = labels_init(&metrics->profiles);
    int policies = labels_init(&metrics->policies);
    int resources = labels_init(&metrics->cluster.resources);
    if (kinds == 0 && profiles == 0 && policies == 0 && resources == 0)
        return metrics;
    metrics_free(metrics);
    return NULL;
}

void metrics_free(struct metrics *metrics)
{
    if (metrics == NULL)
        return;
    labels_dispose(&metrics->kinds);
    labels_dispose(&metrics->profiles);
    labels_dispose(&metrics->cluster.resources);
    labels_dispose(&metrics->policies);
    free(metrics);
}

static void observe(struct metrics_histogram *histogram, int64_t us)
{
    size_t bucket = 0;
    while (bucket < BUCKETS && us > metrics_bucket_us[bucket])
        bucket++;
    atomic_fetch_add(&histogram->buckets[bucket], 1);
    atomic_fetch_add(&histogram->sum_us, (uint64_t)us);
}

void metrics_admission(struct metrics *metrics, enum admission_endpoint endpoint,
                       const struct admission_record *record, int64_t duration_us)
{
    const char *kind = record->metric_kind[0] != '\0' ? record->metric_kind : "other";
    size_t index = labels_index(&metrics->kinds, kind);
    atomic_fetch_add(&metrics->requests[endpoint][index][record->allowed ? 1 : 0], 1);
    observe(&metrics->durations[endpoint], duration_us);
    if (record->profile[0] != '\0')
        atomic_fetch_add(&metrics->patches[labels_index(&metrics->profiles, record->profile)], 1);
}

/* A policy with two actions does both; "error" is told besides what it came to. */
void metrics_policies(struct metrics *metrics, const struct karta_policy_decision *decisions,
                      size_t count)
{
    static const unsigned actions[] = {0, KARTA_POLICY_DENY, KARTA_POLICY_WARN, KARTA_POLICY_AUDIT};
    for (size_t i = 0, policy = 0; i < count; i++) {
        policy =
            labels_index_after(&metrics->policies, policy, karta_policy_name(decisions[i].policy));
        unsigned taken = decisions[i].actions;
        for (size_t action = 0; action < sizeof actions / sizeof actions[0]; action++)
            if (action == 0 ? taken == 0 : (taken & actions[action]) != 0)
                atomic_fetch_add(&metrics->decisions[policy][action], 1);
        if (decisions[i].failed)
            atomic_fetch_add(&metrics->decisions[policy][DECISIONS - 1], 1);
    }
}

void metrics_http_error(struct metrics *metrics, unsigned status)
{
    if (status < STATUSES)
        atomic_fetch_add(&metrics->http_errors[status], 1);
}

void metrics_reload(struct metrics *metrics, enum metrics_reload what, bool success)
{
    struct metrics_reload_counts *counts = &metrics->reloads[what];
    atomic_fetch_add(success ? &counts->successes : &counts->failures, 1);
    if (success)
        atomic_store(&counts->last_success, (int64_t)time(NULL));
}
