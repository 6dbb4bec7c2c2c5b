/* SPDX-License-Identifier: Apache-2.0 */
/* A table of paths, each with the function that writes its answer. */
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "health_internal.h"
#include "karta/engine.h"
#include "tls_pair.h"

static void write_healthz(const struct health_config *config, struct health_page *page)
{
    char text[200];
    bool stuck = workers_stuck(config->workers, karta_engine_now_ms(), text, sizeof text) > 0;
    if (stuck)
        page->reply.status = MHD_HTTP_SERVICE_UNAVAILABLE;
    strbuf_addf(&page->text, "%s\n", stuck ? text : "ok");
}

/* Why no request would be answered well just now; false where one would. */
static bool find_reason(const struct health_config *config, char *text, size_t room)
{
    HOLDER_AUTO_SNAPSHOT snapshot = holder_take(config->holder);
    struct tls_facts facts = tls_store_facts();
    const char *stated = atomic_load(config->not_ready);
    if (stated != NULL)
        snprintf(text, room, "%s", stated);
    else if (snapshot == NULL)
        snprintf(text, room, "no definitions are loaded");
    else if (facts.not_after == 0)
        snprintf(text, room, "no certificate is loaded");
    else if (facts.not_after < time(NULL))
        snprintf(text, room, "the certificate has expired");
    else
        return config->waits != NULL && config->waits(config->waits_arg, text, room);
    return true;
}

static void write_readyz(const struct health_config *config, struct health_page *page)
{
    char text[600];
    bool waits = find_reason(config, text, sizeof text);
    if (waits)
        page->reply.status = MHD_HTTP_SERVICE_UNAVAILABLE;
    strbuf_addf(&page->text, "%s\n", waits ? text : "ok");
}

static void write_metrics(const struct health_config *config, struct health_page *page)
{
    struct tls_facts facts = tls_store_facts();
    char ignored[1];
    struct metrics_state state = {
        .definitions = holder_lock_list(config->holder),
        .tls_handshakes = tls_store_handshakes(),
        .certificate_not_after = facts.not_after,
        .certificate_serial = facts.serial,
        .stuck_workers = workers_stuck(config->workers, karta_engine_now_ms(), ignored, 0)};
    page->reply.type = METRICS_CONTENT_TYPE;
    metrics_print(config->metrics, &state, &page->text);
    holder_unlock_list(config->holder);
}

static void write_version(const struct health_config *config, struct health_page *page)
{
    (void)config;
    page->reply.type = REPLY_JSON;
    strbuf_addf(&page->text, "{\"version\": \"%s\", \"libmicrohttpd\": \"%s\"}\n", KARTA_VERSION,
                MHD_get_version());
}

static void write_definitions(const struct health_config *config, struct health_page *page)
{
    const json_t *list = holder_lock_list(config->holder);
    KARTA_AUTO_TEXT text =
        list != NULL ? json_dumps(list, JSON_INDENT(2) | JSON_REAL_PRECISION(4)) : strdup("[]");
    holder_unlock_list(config->holder);
    page->reply.type = REPLY_JSON;
    if (text == NULL)
        page->text.failed = KARTA_ERR_NOMEM;
    else
        strbuf_addf(&page->text, "%s\n", text);
}

const struct health_page_row health_pages[HEALTH_PAGES] = {
    {"/healthz", write_healthz},
    {"/readyz", write_readyz},
    {"/metrics", write_metrics},
    {"/version", write_version},
    {"/debug/definitions", write_definitions}};
