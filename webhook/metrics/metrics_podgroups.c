/* SPDX-License-Identifier: Apache-2.0 */
/* What the making of pod groups counts. */
#include <inttypes.h>

#include "metrics_internal.h"

static const char *const results[METRICS_PODGROUPS_WRITES] = {"applied", "deleted"};
static const char *const reasons[METRICS_PODGROUPS_FAILURES] = {
    "unreached", "refused", "foreign", "conflict", "missing", "unresolved"};

void metrics_podgroups_written(struct metrics *metrics, enum metrics_podgroups_write write)
{
    if (metrics != NULL)
        atomic_fetch_add(&metrics->podgroups.writes[write], 1);
}

void metrics_podgroups_failed(struct metrics *metrics, enum metrics_podgroups_failure reason)
{
    if (metrics != NULL)
        atomic_fetch_add(&metrics->podgroups.failures[reason], 1);
}

void metrics_podgroups_state(struct metrics *metrics, const struct metrics_podgroups_state *state)
{
    if (metrics == NULL)
        return;
    struct metrics_podgroups *counts = &metrics->podgroups;
    const size_t numbers[METRICS_PODGROUPS_GAUGES] = {state->followed, state->waiting,
                                                      state->refused,  state->queued,
                                                      state->retried,  state->blocked};
    for (size_t i = 0; i < METRICS_PODGROUPS_GAUGES; i++)
        atomic_store_explicit(&counts->gauges[i], numbers[i], memory_order_relaxed);
    atomic_store_explicit(&counts->lag_ms, state->lag_ms, memory_order_relaxed);
    atomic_store(&counts->known, true);
}

void metrics_print_podgroups(struct metrics *metrics, struct strbuf *out)
{
    static const char *const labels[METRICS_PODGROUPS_GAUGES] = {"followed", "waiting",  "refused",
                                                                 "queued",   "retrying", "blocked"};
    const struct metrics_podgroups *counts = &metrics->podgroups;
    if (!atomic_load(&counts->known))
        return;
    metrics_print_head(out, "karta_podgroups_written_total", "counter",
                       "Objects that were made for workloads, brought up to date, or removed.");
    for (size_t i = 0; i < METRICS_PODGROUPS_WRITES; i++)
        strbuf_addf(out, "karta_podgroups_written_total{result=\"%s\"} %" PRIu64 "\n", results[i],
                    atomic_load(&counts->writes[i]));
    metrics_print_head(out, "karta_podgroups_failures_total", "counter",
                       "Attempts that left a workload without its objects.");
    for (size_t i = 0; i < METRICS_PODGROUPS_FAILURES; i++)
        strbuf_addf(out, "karta_podgroups_failures_total{reason=\"%s\"} %" PRIu64 "\n", reasons[i],
                    atomic_load(&counts->failures[i]));
    metrics_print_head(out, "karta_podgroups_kinds", "gauge",
                       "Followed resources; those that are not well are not ganged.");
    for (size_t i = 0; i < 3; i++)
        strbuf_addf(out, "karta_podgroups_kinds{state=\"%s\"} %" PRIu64 "\n", labels[i],
                    atomic_load(&counts->gauges[i]));
    metrics_print_head(out, "karta_podgroups_workloads", "gauge",
                       "Workloads whose objects are not right yet, as far as the writer knows.");
    for (size_t i = 3; i < METRICS_PODGROUPS_GAUGES; i++)
        strbuf_addf(out, "karta_podgroups_workloads{state=\"%s\"} %" PRIu64 "\n", labels[i],
                    atomic_load(&counts->gauges[i]));
    metrics_print_head(out, "karta_podgroups_lag_seconds", "gauge",
                       "How long the workload that has waited longest for its objects has.");
    strbuf_addf(out, "karta_podgroups_lag_seconds %.3f\n",
                (double)atomic_load(&counts->lag_ms) / 1000);
}
