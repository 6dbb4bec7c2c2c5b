/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server counts, and its text for Prometheus. Counting is a few atomic additions; any
 * thread. Every label set is bounded: endpoints and statuses are ours, kinds, profiles and policies
 * are loaded ones.
 */
#ifndef KARTA_METRICS_H
#define KARTA_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "admission.h"
#include "base/strbuf.h"

struct metrics; /* opaque */

/* NULL: out of memory. */
struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);

/* One answered AdmissionReview, and how long it took. */
void metrics_admission(struct metrics *metrics, enum admission_endpoint endpoint,
                       const struct admission_record *record, int64_t duration_us);
/* What policies decided about one object. */
void metrics_policies(struct metrics *metrics, const struct karta_policy_decision *decisions,
                      size_t count);
/* One answer that was no AdmissionReview: 404, 413, ... */
void metrics_http_error(struct metrics *metrics, unsigned status);

/* One reading of files that are read again: at the start, when they change, when asked. */
enum metrics_reload {
    METRICS_CERTIFICATE,
    METRICS_CLIENT_CA,
    METRICS_DEFINITIONS,
    METRICS_RELOADS
};
void metrics_reload(struct metrics *metrics, enum metrics_reload what, bool success);

/* What is not counted here but known elsewhere, at the moment of asking. */
struct metrics_state {
    const json_t *definitions; /* karta_snapshot_list, and `refused` where a file's newest version
                                  is not in force; may be NULL */
    uint64_t tls_handshakes;
    int64_t certificate_not_after;  /* seconds since the epoch, 0: no certificate */
    const char *certificate_serial; /* hex */
    size_t stuck_workers;
};
/* Appends the whole text (version 0.0.4 of the exposition format). */
void metrics_print(struct metrics *metrics, const struct metrics_state *state, struct strbuf *out);

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

#endif
