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

/*
 * The Kubernetes side, printed once metrics_follow_cluster was called. `verb` is Kubernetes' own
 * ("list"), `status` HTTP's, 0 where no answer came.
 */
void metrics_follow_cluster(struct metrics *metrics);
void metrics_kubernetes_request(struct metrics *metrics, const char *verb, int status);
void metrics_watch_restart(struct metrics *metrics);
enum metrics_skip {
    METRICS_SKIP_GARBAGE,
    METRICS_SKIP_TOO_LONG,
    METRICS_SKIP_SHAPE,
    METRICS_SKIPS
};
void metrics_watch_skipped(struct metrics *metrics, enum metrics_skip reason);
/*
 * A place for a resource ("kartas.run.ai") that is followed, to say when it was last known to be
 * whole, and that it is followed no more. At most 64 resources in a process's life; those beyond
 * share the place 0, which is not looked at.
 */
size_t metrics_watch_place(struct metrics *metrics, const char *resource);
void metrics_watch_synced(struct metrics *metrics, size_t place);
void metrics_watch_forget(struct metrics *metrics, size_t place);

/*
 * The objects that are made for workloads, printed once a state was told. The next three may be
 * called with metrics NULL.
 */
enum metrics_podgroups_write {
    METRICS_PODGROUPS_APPLIED,
    METRICS_PODGROUPS_DELETED,
    METRICS_PODGROUPS_WRITES
};
void metrics_podgroups_written(struct metrics *metrics, enum metrics_podgroups_write write);
enum metrics_podgroups_failure {
    METRICS_PODGROUPS_UNREACHED,  /* the API server does not answer */
    METRICS_PODGROUPS_REFUSED,    /* it says no: RBAC, a schema, a webhook */
    METRICS_PODGROUPS_FOREIGN,    /* an object of that name is somebody else's */
    METRICS_PODGROUPS_CONFLICT,   /* a field of ours is managed by somebody else */
    METRICS_PODGROUPS_MISSING,    /* the cluster does not have the kind */
    METRICS_PODGROUPS_UNRESOLVED, /* definition or profile give none */
    METRICS_PODGROUPS_FAILURES
};
void metrics_podgroups_failed(struct metrics *metrics, enum metrics_podgroups_failure reason);
struct metrics_podgroups_state {
    size_t followed, waiting, refused; /* kinds */
    size_t queued, retried, blocked;   /* workloads; of who doesn't write 0, as the lag */
    int64_t lag_ms;
};
void metrics_podgroups_state(struct metrics *metrics, const struct metrics_podgroups_state *state);

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
