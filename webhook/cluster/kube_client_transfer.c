/* SPDX-License-Identifier: Apache-2.0 */
/* One request from its first byte to its last. libcurl's multi interface around a single handle:
 * the only one whose waiting another thread can end. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "karta/engine.h"
#include "kube_client_internal.h"

/* how often a watcher hears that its watch is open */
#define OPEN_MS 1000

/* a Status, or a proxy's page: what is beyond is read and forgotten */
#define LIMIT_REFUSAL 65536U

#define MOST_RETRY_AFTER_MS 60000

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

static void tell_open(struct kube_transfer *transfer)
{
    const struct kube_watcher *watcher = transfer->lines->watcher;
    transfer->told_ms = karta_engine_now_ms();
    if (watcher->open != NULL)
        watcher->open(watcher->arg);
}

static void count(struct kube_transfer *transfer, int status)
{
    struct metrics *metrics = transfer->client->metrics;
    if (!transfer->counted && metrics != NULL)
        metrics_kubernetes_request(metrics, transfer->request->verb, status);
    transfer->counted = true;
}

/* The empty line after a head, of "100 Continue" too. */
static void end_head(struct kube_transfer *transfer)
{
    int status = transfer->answer->status;
    transfer->accepted = is_success(status);
    if (!transfer->accepted || transfer->lines == NULL)
        return;
    count(transfer, status);
    tell_open(transfer);
}

/* The value of header `name` where `line` is that; without the white space around it. */
static const char *value_of(const char *line, size_t size, const char *name, size_t *length)
{
    size_t n = strlen(name);
    if (size <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
        return NULL;
    const char *start = line + n + 1;
    const char *end = line + size;
    while (start < end && isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    *length = (size_t)(end - start);
    return start;
}

/* Seconds; a date is as good as nothing. */
static int retry_after_ms(const char *value, size_t length)
{
    int ms = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)value[i]))
            return 0;
        ms = ms * 10 + (value[i] - '0') * 1000;
        if (ms > MOST_RETRY_AFTER_MS)
            return MOST_RETRY_AFTER_MS;
    }
    return ms;
}

size_t kube_client_on_head(char *bytes, size_t size, size_t pieces, void *arg)
{
    struct kube_transfer *transfer = arg;
    struct kube_answer *answer = transfer->answer;
    size_t all = size * pieces;
    size_t length;
    const char *value;
    transfer->heard_ms = karta_engine_now_ms();
    if (all >= 12 && strncmp(bytes, "HTTP/", 5) == 0) {
        const char *code = memchr(bytes, ' ', all - 3);
        answer->status = 0;
        for (int i = 1; code != NULL && i <= 3; i++)
            answer->status = answer->status * 10 + (code[i] - '0');
    } else if ((value = value_of(bytes, all, "etag", &length)) != NULL) {
        if (length < sizeof answer->etag) {
            memcpy(answer->etag, value, length);
            answer->etag[length] = '\0';
        }
    } else if ((value = value_of(bytes, all, "retry-after", &length)) != NULL) {
        answer->retry_after_ms = retry_after_ms(value, length);
    } else if (all <= 2) {
        end_head(transfer);
    }
    return all;
}

size_t kube_client_on_body(char *bytes, size_t size, size_t pieces, void *arg)
{
    struct kube_transfer *transfer = arg;
    size_t all = size * pieces;
    transfer->heard_ms = karta_engine_now_ms();
    if (transfer->accepted && transfer->lines != NULL) {
        if (kube_lines_add(transfer->lines, bytes, all))
            return all;
        transfer->end = transfer->lines->part.failed != 0 ? KUBE_END_NOMEM : KUBE_END_ENDED;
        return 0;
    }
    struct strbuf *body = &transfer->body;
    size_t room = (body->cap < LIMIT_REFUSAL ? body->cap : LIMIT_REFUSAL) - body->size;
    bool refusal = !transfer->accepted;
    strbuf_add(body, bytes, refusal && all > room ? room : all);
    if (body->failed == 0)
        return all;
    transfer->end = body->failed == KARTA_ERR_LIMIT ? KUBE_END_TOO_LONG : KUBE_END_NOMEM;
    return 0;
}

/* What is left until the request has taken too long. */
static int64_t time_left(const struct kube_transfer *transfer)
{
    const struct kube_request *request = transfer->request;
    int64_t now = karta_engine_now_ms();
    if (transfer->lines != NULL && transfer->accepted)
        return transfer->heard_ms + (request->idle_ms != 0 ? request->idle_ms : KUBE_IDLE_MS) - now;
    return transfer->began_ms + (request->timeout_ms != 0 ? request->timeout_ms : KUBE_TIMEOUT_MS) -
           now;
}

/* True when the transfer is over by itself. */
static bool is_done(struct kube_transfer *transfer)
{
    struct kube_client *client = transfer->client;
    int left;
    CURLMsg *message = curl_multi_info_read(client->multi, &left);
    if (message == NULL || message->msg != CURLMSG_DONE)
        return false;
    CURLcode code = message->data.result;
    long number = 0;
    if (code == CURLE_OK || transfer->end != KUBE_END_WHOLE)
        return true;
    transfer->end = KUBE_END_FAILED;
    /* libcurl's own sentence counts milliseconds, so that it is never the same */
    if (code == CURLE_COULDNT_CONNECT &&
        curl_easy_getinfo(client->easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK && number != 0) {
        char room[128];
        snprintf(client->reason, sizeof client->reason, "%s",
                 strerror_r((int)number, room, sizeof room));
    }
    if (client->reason[0] == '\0')
        snprintf(client->reason, sizeof client->reason, "%s", curl_easy_strerror(code));
    return true;
}

static void run(struct kube_transfer *transfer)
{
    struct kube_client *client = transfer->client;
    int running = 1;
    while (transfer->end == KUBE_END_WHOLE) {
        if (atomic_load(&client->stopped)) {
            transfer->end = KUBE_END_STOPPED;
            return;
        }
        if (curl_multi_perform(client->multi, &running) != CURLM_OK) {
            transfer->end = KUBE_END_NOMEM;
            return;
        }
        if (is_done(transfer))
            return;
        int64_t left = time_left(transfer);
        if (left <= 0) {
            transfer->end = KUBE_END_LATE;
            return;
        }
        bool open = transfer->lines != NULL && transfer->accepted;
        if (open && karta_engine_now_ms() - transfer->told_ms >= OPEN_MS)
            tell_open(transfer);
        curl_multi_poll(client->multi, NULL, 0, left < OPEN_MS ? (int)left : OPEN_MS, NULL);
    }
}

void kube_client_transfer(struct kube_transfer *transfer)
{
    struct kube_client *client = transfer->client;
    transfer->end = KUBE_END_WHOLE;
    transfer->began_ms = transfer->heard_ms = karta_engine_now_ms();
    if (curl_multi_add_handle(client->multi, client->easy) != CURLM_OK) {
        transfer->end = KUBE_END_NOMEM;
        return;
    }
    run(transfer);
    curl_multi_remove_handle(client->multi, client->easy);
    bool whole = transfer->end == KUBE_END_WHOLE;
    count(transfer, whole || transfer->end == KUBE_END_TOO_LONG ? transfer->answer->status : 0);
}
