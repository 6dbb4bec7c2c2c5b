/* SPDX-License-Identifier: Apache-2.0 */
/* Prints every counter as Prometheus reads it. Series that never counted are left out, except
 * where their absence would read as an outage. */
#include <inttypes.h>
#include <string.h>

#include "karta/engine.h"
#include "metrics_internal.h"

void metrics_print_head(struct strbuf *out, const char *name, const char *type, const char *help)
{
    strbuf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label value: backslash, quote and newline are escaped. */
static void add_value(struct strbuf *out, const char *value)
{
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '\n')
            strbuf_adds(out, "\\n");
        else if (*c == '"' || *c == '\\')
            strbuf_addf(out, "\\%c", *c);
        else
            strbuf_addc(out, *c);
    }
}

static void print_requests(struct metrics *metrics, struct strbuf *out)
{
    metrics_print_head(out, "karta_admission_requests_total", "counter",
                       "Answered AdmissionReviews.");
    size_t kinds = atomic_load(&metrics->kinds.count);
    for (int endpoint = 0; endpoint < ADMISSION_ENDPOINTS; endpoint++) {
        for (size_t i = 0; i < 2 * kinds; i++) {
            uint64_t count = atomic_load(&metrics->requests[endpoint][i / 2][i % 2]);
            if (count == 0)
                continue;
            strbuf_addf(out, "karta_admission_requests_total{endpoint=\"%s\",kind=\"",
                        admission_path((enum admission_endpoint)endpoint));
            add_value(out, metrics->kinds.values[i / 2]);
            strbuf_addf(out, "\",allowed=\"%s\"} %" PRIu64 "\n", i % 2 != 0 ? "true" : "false",
                        count);
        }
    }
}

static void print_duration(const struct metrics_histogram *histogram, const char *endpoint,
                           struct strbuf *out)
{
    static const char name[] = "karta_admission_duration_seconds";
    uint64_t sum = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        sum += atomic_load(&histogram->buckets[i]);
        strbuf_addf(out, "%s_bucket{endpoint=\"%s\",le=\"%g\"} %" PRIu64 "\n", name, endpoint,
                    (double)metrics_bucket_us[i] / 1e6, sum);
    }
    sum += atomic_load(&histogram->buckets[BUCKETS]);
    strbuf_addf(out, "%s_bucket{endpoint=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, endpoint, sum);
    strbuf_addf(out, "%s_sum{endpoint=\"%s\"} %.6f\n", name, endpoint,
                (double)atomic_load(&histogram->sum_us) / 1e6);
    strbuf_addf(out, "%s_count{endpoint=\"%s\"} %" PRIu64 "\n", name, endpoint, sum);
}

static void print_durations(struct metrics *metrics, struct strbuf *out)
{
    metrics_print_head(out, "karta_admission_duration_seconds", "histogram",
                       "From the whole body to the answer.");
    for (int i = 0; i < ADMISSION_ENDPOINTS; i++)
        print_duration(&metrics->durations[i], admission_path((enum admission_endpoint)i), out);
}

static void print_patches(struct metrics *metrics, struct strbuf *out)
{
    metrics_print_head(out, "karta_admission_patches_total", "counter",
                       "Answers that carried a patch.");
    for (size_t i = 0; i < atomic_load(&metrics->profiles.count); i++) {
        uint64_t count = atomic_load(&metrics->patches[i]);
        if (count == 0)
            continue;
        strbuf_adds(out, "karta_admission_patches_total{profile=\"");
        add_value(out, metrics->profiles.values[i]);
        strbuf_addf(out, "\"} %" PRIu64 "\n", count);
    }
}

static void print_decisions(struct metrics *metrics, struct strbuf *out)
{
    static const char *const actions[DECISIONS] = {"allow", "deny", "warn", "audit", "error"};
    metrics_print_head(out, "karta_policy_decisions_total", "counter",
                       "What policies that were asked did about an object.");
    for (size_t i = 0; i < atomic_load(&metrics->policies.count); i++)
        for (size_t action = 0; action < DECISIONS; action++) {
            uint64_t count = atomic_load(&metrics->decisions[i][action]);
            if (count == 0)
                continue;
            strbuf_adds(out, "karta_policy_decisions_total{policy=\"");
            add_value(out, metrics->policies.values[i]);
            strbuf_addf(out, "\",action=\"%s\"} %" PRIu64 "\n", actions[action], count);
        }
}

static void print_http_errors(struct metrics *metrics, struct strbuf *out)
{
    metrics_print_head(out, "karta_http_errors_total", "counter",
                       "Answers that were no AdmissionReview.");
    for (size_t status = 0; status < STATUSES; status++) {
        uint64_t count = atomic_load(&metrics->http_errors[status]);
        if (count > 0)
            strbuf_addf(out, "karta_http_errors_total{code=\"%zu\"} %" PRIu64 "\n", status, count);
    }
}

static void print_engine(struct strbuf *out)
{
    struct karta_engine_counts counts = {0};
    karta_engine_counts(&counts);
    uint64_t done = counts.runs > counts.expired ? counts.runs - counts.expired : 0;
    metrics_print_head(out, "karta_expression_evaluations_total", "counter",
                       "Program runs by how they ended.");
    strbuf_addf(out,
                "karta_expression_evaluations_total{result=\"completed\"} %" PRIu64 "\n"
                "karta_expression_evaluations_total{result=\"expired\"} %" PRIu64 "\n",
                done, counts.expired);
}

static void print_handshakes(const struct metrics_state *state, struct strbuf *out)
{
    metrics_print_head(out, "karta_tls_handshakes_total", "counter",
                       "Handshakes that got as far as our certificate.");
    strbuf_addf(out, "karta_tls_handshakes_total %" PRIu64 "\n", state->tls_handshakes);
}

static void print_stuck(const struct metrics_state *state, struct strbuf *out)
{
    metrics_print_head(out, "karta_stuck_workers", "gauge",
                       "Threads that have not come back from a request for ten seconds.");
    strbuf_addf(out, "karta_stuck_workers %zu\n", state->stuck_workers);
}

void metrics_print(struct metrics *metrics, const struct metrics_state *state, struct strbuf *out)
{
    print_requests(metrics, out);
    print_durations(metrics, out);
    print_patches(metrics, out);
    print_decisions(metrics, out);
    print_http_errors(metrics, out);
    print_engine(out);
    print_handshakes(state, out);
    print_stuck(state, out);
    metrics_print_loaded(metrics, state, out);
    metrics_print_cluster(metrics, out);
    metrics_print_podgroups(metrics, out);
    metrics_print_head(out, "karta_build_info", "gauge", "What is running.");
    strbuf_adds(out, "karta_build_info{version=\"" KARTA_VERSION "\"} 1\n");
    metrics_print_process(out);
}
