/* SPDX-License-Identifier: Apache-2.0 */
/* The counters themselves, for counting and for printing. */
#ifndef KARTA_METRICS_INTERNAL_H
#define KARTA_METRICS_INTERNAL_H

#include <stdbool.h>

#include "labels.h"
#include "metrics.h"

#define BUCKETS 14
#define STATUSES 600
#define DECISIONS 5 /* allow, deny, warn, audit, error */

struct metrics_histogram {
    atomic_uint_fast64_t buckets[BUCKETS + 1]; /* each alone, not summed up; the last is +Inf */
    atomic_uint_fast64_t sum_us;
};

struct metrics_reload_counts {
    atomic_uint_fast64_t successes, failures;
    _Atomic int64_t last_success; /* seconds since the epoch; 0: never */
};

#define KUBERNETES_VERBS 8 /* the last is any other */
#define WATCH_PLACES 64

struct metrics_cluster {
    atomic_bool followed;
    struct labels resources;
    _Atomic int64_t synced[WATCH_PLACES]; /* seconds since the epoch; 0: not followed */
    atomic_uint_fast64_t requests[KUBERNETES_VERBS][STATUSES];
    atomic_uint_fast64_t restarts, skipped[METRICS_SKIPS];
};

#define METRICS_PODGROUPS_GAUGES 6 /* kinds by state, then workloads by state */

struct metrics_podgroups {
    atomic_bool known;
    atomic_uint_fast64_t writes[METRICS_PODGROUPS_WRITES], failures[METRICS_PODGROUPS_FAILURES];
    atomic_uint_fast64_t gauges[METRICS_PODGROUPS_GAUGES];
    _Atomic int64_t lag_ms;
};

struct metrics {
    struct labels kinds, profiles, policies;
    struct metrics_cluster cluster;
    struct metrics_podgroups podgroups;
    atomic_uint_fast64_t requests[ADMISSION_ENDPOINTS][LIMIT_LABELS][2];
    atomic_uint_fast64_t patches[LIMIT_LABELS];
    atomic_uint_fast64_t decisions[LIMIT_LABELS][DECISIONS];
    atomic_uint_fast64_t http_errors[STATUSES];
    struct metrics_reload_counts reloads[METRICS_RELOADS];
    struct metrics_histogram durations[ADMISSION_ENDPOINTS];
};

extern const int64_t metrics_bucket_us[BUCKETS];

void metrics_print_head(struct strbuf *out, const char *name, const char *type, const char *help);
/* What is loaded from files: definitions, certificates, and how reading them went. */
void metrics_print_loaded(struct metrics *metrics, const struct metrics_state *state,
                          struct strbuf *out);
/* What is asked of the Kubernetes API server; nothing where there is none. */
void metrics_print_cluster(struct metrics *metrics, struct strbuf *out);
/* Of the objects that are made for workloads; nothing where none are. */
void metrics_print_podgroups(struct metrics *metrics, struct strbuf *out);
/* The standard process_* figures. */
void metrics_print_process(struct strbuf *out);

#endif
