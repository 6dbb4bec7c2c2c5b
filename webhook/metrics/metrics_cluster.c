/* SPDX-License-Identifier: Apache-2.0 */
/* What the Kubernetes side counts. A watch that hangs shows as one number that no longer moves, so
 * of all followed resources only the oldest sync is printed. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "metrics_internal.h"

static const char *const verbs[KUBERNETES_VERBS] = {"get",    "list",  "watch",  "create",
                                                    "update", "patch", "delete", "other"};
static const char *const skips[METRICS_SKIPS] = {"garbage", "too-long", "shape"};

void metrics_follow_cluster(struct metrics *metrics)
{
    atomic_store(&metrics->cluster.followed, true);
}

void metrics_kubernetes_request(struct metrics *metrics, const char *verb, int status)
{
    size_t index = 0;
    while (index < KUBERNETES_VERBS - 1 && strcmp(verbs[index], verb) != 0)
        index++;
    /* what is no HTTP status is no answer either */
    size_t code = status > 0 && status < STATUSES ? (size_t)status : 0;
    atomic_fetch_add(&metrics->cluster.requests[index][code], 1);
}

void metrics_watch_restart(struct metrics *metrics)
{
    atomic_fetch_add(&metrics->cluster.restarts, 1);
}

void metrics_watch_skipped(struct metrics *metrics, enum metrics_skip reason)
{
    atomic_fetch_add(&metrics->cluster.skipped[reason], 1);
}

size_t metrics_watch_place(struct metrics *metrics, const char *resource)
{
    size_t place = labels_index(&metrics->cluster.resources, resource);
    return place < WATCH_PLACES ? place : 0;
}

void metrics_watch_synced(struct metrics *metrics, size_t place)
{
    atomic_store_explicit(&metrics->cluster.synced[place], (int64_t)time(NULL),
                          memory_order_relaxed);
}

void metrics_watch_forget(struct metrics *metrics, size_t place)
{
    atomic_store(&metrics->cluster.synced[place], 0);
}

static void print_requests(const struct metrics_cluster *cluster, struct strbuf *out)
{
    metrics_print_head(out, "karta_kubernetes_requests_total", "counter",
                       "Requests to the Kubernetes API server; code 0: no answer.");
    for (size_t verb = 0; verb < KUBERNETES_VERBS; verb++) {
        for (size_t code = 0; code < STATUSES; code++) {
            uint64_t count = atomic_load(&cluster->requests[verb][code]);
            if (count > 0)
                strbuf_addf(
                    out, "karta_kubernetes_requests_total{verb=\"%s\",code=\"%zu\"} %" PRIu64 "\n",
                    verbs[verb], code, count);
        }
    }
}

static int64_t oldest_sync(const struct metrics_cluster *cluster)
{
    int64_t oldest = 0;
    for (size_t place = 1; place < WATCH_PLACES; place++) {
        int64_t at = atomic_load(&cluster->synced[place]);
        if (at != 0 && (oldest == 0 || at < oldest))
            oldest = at;
    }
    return oldest;
}

void metrics_print_cluster(struct metrics *metrics, struct strbuf *out)
{
    const struct metrics_cluster *cluster = &metrics->cluster;
    if (!atomic_load(&cluster->followed))
        return;
    print_requests(cluster, out);
    metrics_print_head(out, "karta_watch_restarts_total", "counter",
                       "Watches that were begun again.");
    strbuf_addf(out, "karta_watch_restarts_total %" PRIu64 "\n", atomic_load(&cluster->restarts));
    int64_t oldest = oldest_sync(cluster);
    metrics_print_head(out, "karta_watch_last_sync_timestamp_seconds", "gauge",
                       "When the followed resource that is furthest behind was last heard of.");
    if (oldest != 0)
        strbuf_addf(out, "karta_watch_last_sync_timestamp_seconds %" PRId64 "\n", oldest);
    metrics_print_head(out, "karta_watch_events_skipped_total", "counter",
                       "Events and objects that could not be used.");
    for (size_t i = 0; i < METRICS_SKIPS; i++)
        strbuf_addf(out, "karta_watch_events_skipped_total{reason=\"%s\"} %" PRIu64 "\n", skips[i],
                    atomic_load(&cluster->skipped[i]));
}
