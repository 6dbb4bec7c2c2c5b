/* SPDX-License-Identifier: Apache-2.0 */
/* What was read from files, and how old it is: what an alert is made of. */
#include <inttypes.h>
#include <string.h>

#include "metrics_internal.h"

static int source_of(const char *origin)
{
    if (strncmp(origin, "built-in:", 9) == 0)
        return 0;
    return strncmp(origin, "cluster:", 8) == 0 ? 2 : 1;
}

static void print_definitions(const json_t *list, struct strbuf *out)
{
    static const char *const sources[] = {"built-in", "folder", "cluster"};
    static const char *const states[] = {"active", "shadowed", "failed", "outdated"};
    uint64_t counts[3][4] = {{0}};
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        const char *origin = json_string_value(json_object_get(entry, "origin"));
        const char *state = json_string_value(json_object_get(entry, "state"));
        int source = source_of(origin != NULL ? origin : "");
        for (size_t i = 0; state != NULL && i < 3; i++)
            counts[source][i] += strcmp(state, states[i]) == 0;
        counts[source][3] += json_object_get(entry, "refused") != NULL;
    }
    metrics_print_head(out, "karta_definitions", "gauge",
                       "Loaded documents by where and how; outdated ones are in force although "
                       "their file is broken now.");
    for (size_t i = 0; i < 12; i++)
        strbuf_addf(out, "karta_definitions{source=\"%s\",state=\"%s\"} %" PRIu64 "\n",
                    sources[i / 4], states[i % 4], counts[i / 4][i % 4]);
}

static void print_policies(const json_t *list, struct strbuf *out)
{
    size_t index, count = 0;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        const char *state = json_string_value(json_object_get(entry, "state"));
        count += kind != NULL && state != NULL && strcmp(kind, "WorkloadPolicy") == 0 &&
                 strcmp(state, "active") == 0;
    }
    metrics_print_head(out, "karta_policies", "gauge", "Policies in force.");
    strbuf_addf(out, "karta_policies %zu\n", count);
}

static void print_certificate(const struct metrics_state *state, struct strbuf *out)
{
    if (state->certificate_not_after == 0)
        return;
    metrics_print_head(out, "karta_tls_certificate_not_after_timestamp_seconds", "gauge",
                       "When the serving certificate expires.");
    strbuf_addf(out, "karta_tls_certificate_not_after_timestamp_seconds %" PRId64 "\n",
                state->certificate_not_after);
    metrics_print_head(out, "karta_tls_certificate_serial", "gauge",
                       "Which certificate is served.");
    strbuf_addf(out, "karta_tls_certificate_serial{serial=\"%s\"} 1\n", state->certificate_serial);
}

static const char *const reload_names[METRICS_RELOADS] = {"certificate", "client-ca",
                                                          "definitions"};

static void print_reloads(struct metrics *metrics, struct strbuf *out)
{
    metrics_print_head(out, "karta_reload_total", "counter",
                       "Readings of files, the one at the start included.");
    for (size_t i = 0; i < METRICS_RELOADS; i++)
        strbuf_addf(out,
                    "karta_reload_total{what=\"%s\",result=\"success\"} %" PRIu64 "\n"
                    "karta_reload_total{what=\"%s\",result=\"failure\"} %" PRIu64 "\n",
                    reload_names[i], atomic_load(&metrics->reloads[i].successes), reload_names[i],
                    atomic_load(&metrics->reloads[i].failures));
    metrics_print_head(out, "karta_reload_last_success_timestamp_seconds", "gauge",
                       "When files were last read and put into force.");
    for (size_t i = 0; i < METRICS_RELOADS; i++) {
        int64_t at = atomic_load(&metrics->reloads[i].last_success);
        if (at != 0)
            strbuf_addf(out,
                        "karta_reload_last_success_timestamp_seconds{what=\"%s\"} %" PRId64 "\n",
                        reload_names[i], at);
    }
}

void metrics_print_loaded(struct metrics *metrics, const struct metrics_state *state,
                          struct strbuf *out)
{
    print_definitions(state->definitions, out);
    print_policies(state->definitions, out);
    print_certificate(state, out);
    print_reloads(metrics, out);
}
