/* SPDX-License-Identifier: Apache-2.0 */
/* A client's life, and what is made of an answer. */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "karta/document.h"
#include "kube_client_internal.h"

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static int start(struct kube_client *client, struct karta_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_curl);
    client->easy = curl_easy_init();
    client->multi = curl_multi_init();
    if (client->easy == NULL || client->multi == NULL)
        return mem_error(err);
    curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, 1L);
    return kube_client_look(client, err);
}

int kube_client_new(const struct kube_access *access, struct metrics *metrics,
                    struct kube_client **client, struct karta_error *err)
{
    struct kube_client *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mem_error(err);
    made->access = access;
    made->metrics = metrics;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->wake, &clock);
    pthread_condattr_destroy(&clock);
    int rc = start(made, err);
    if (rc != 0) {
        kube_client_free(made);
        return rc;
    }
    made->whom =
        (struct kube_whom){.server = made->server,
                           .token_file = access->token_file,
                           .token_withheld = access->token_file != NULL && !made->token_is_safe};
    *client = made;
    return 0;
}

void kube_client_stop(struct kube_client *client)
{
    if (client == NULL)
        return;
    pthread_mutex_lock(&client->lock);
    atomic_store(&client->stopped, true);
    pthread_cond_broadcast(&client->wake);
    pthread_mutex_unlock(&client->lock);
    curl_multi_wakeup(client->multi);
}

bool kube_client_is_stopped(const struct kube_client *client)
{
    return atomic_load(&client->stopped);
}

void kube_client_pause(struct kube_client *client, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&client->lock);
    int rc = 0;
    while (!atomic_load(&client->stopped) && rc == 0)
        rc = pthread_cond_timedwait(&client->wake, &client->lock, &until);
    pthread_mutex_unlock(&client->lock);
}

void kube_client_free(struct kube_client *client)
{
    if (client == NULL)
        return;
    curl_easy_cleanup(client->easy);
    curl_multi_cleanup(client->multi);
    kube_token_dispose(&client->token);
    free(client->server);
    pthread_cond_destroy(&client->wake);
    pthread_mutex_destroy(&client->lock);
    free(client);
}

/* What an answer that never became whole means. */
static int fail(struct kube_transfer *transfer, struct karta_error *err)
{
    struct kube_client *client = transfer->client;
    const struct kube_request *request = transfer->request;
    bool begun = transfer->answer->status != 0;
    bool watching = transfer->lines != NULL && transfer->accepted;
    int timeout = request->timeout_ms != 0 ? request->timeout_ms : KUBE_TIMEOUT_MS;
    int idle = request->idle_ms != 0 ? request->idle_ms : KUBE_IDLE_MS;
    switch (transfer->end) {
    case KUBE_END_STOPPED:
        transfer->answer->status = 0;
        return kube_error_stopped(request, err);
    case KUBE_END_LATE:
        transfer->answer->status = 0;
        return kube_error_late(request, watching, watching ? idle : timeout, err);
    case KUBE_END_TOO_LONG:
        return kube_error_too_long(request, kube_client_limit(request), err);
    case KUBE_END_NOMEM:
        return mem_error(err);
    default:
        transfer->answer->status = 0;
        return begun ? kube_error_broken(request, client->reason, err)
                     : kube_error_unreached(request, &client->whom, client->reason, err);
    }
}

/* A whole answer: its JSON, and whether it is a success. */
static int read_answer(struct kube_transfer *transfer, struct karta_error *err)
{
    struct kube_answer *answer = transfer->answer;
    const struct strbuf *body = &transfer->body;
    bool success = answer->status >= 200 && answer->status < 300;
    struct karta_error why = {0};
    int rc = 0;
    if (body->size > 0)
        rc = karta_json_parse(body->text, body->size, &answer->body, &why);
    if (answer->status == 304)
        return 0;
    if (!success)
        return kube_error_status(transfer->request, &transfer->client->whom, answer, body->text,
                                 err);
    if (rc == 0)
        return 0;
    if (rc == KARTA_ERR_NOMEM)
        return mem_error(err);
    const char *words = rc == KARTA_ERR_SYNTAX ? "the answer is" : "the answer cannot be read:";
    karta_error_set(err, rc, "%s %s", words, why.message);
    return kube_error_name(transfer->request, rc, err);
}

static int run_once(struct kube_transfer *transfer, struct karta_error *err)
{
    *transfer->answer = (struct kube_answer){0};
    transfer->accepted = false;
    strbuf_init(&transfer->body, kube_client_limit(transfer->request));
    int rc = kube_client_options(transfer, err);
    if (rc != 0)
        return rc;
    kube_client_transfer(transfer);
    if (transfer->end == KUBE_END_ENDED ||
        (transfer->end == KUBE_END_WHOLE && transfer->lines && transfer->accepted))
        return 0;
    return transfer->end == KUBE_END_WHOLE ? read_answer(transfer, err) : fail(transfer, err);
}

static void dispose(struct kube_transfer *transfer)
{
    for (struct curl_slist *header = transfer->headers; header != NULL; header = header->next)
        explicit_bzero(header->data, strlen(header->data)); /* one holds the token */
    curl_slist_free_all(transfer->headers);
    transfer->headers = NULL;
    strbuf_dispose(&transfer->body);
    curl_easy_reset(transfer->client->easy); /* it points to what was just freed */
}

static int ask(struct kube_client *client, const struct kube_request *request,
               struct kube_lines *lines, struct kube_answer *answer, struct karta_error *err)
{
    *answer = (struct kube_answer){0};
    const char *file = client->token_is_safe ? client->access->token_file : NULL;
    if (kube_client_is_stopped(client))
        return kube_error_stopped(request, err);
    int rc = file != NULL ? kube_token_read(&client->token, file, NULL, err) : 0;
    if (rc != 0)
        return kube_error_name(request, rc, err);
    for (bool again = true;; again = false) {
        struct kube_transfer transfer = {
            .client = client, .request = request, .answer = answer, .lines = lines};
        struct karta_error why = {0};
        rc = run_once(&transfer, &why);
        dispose(&transfer);
        bool newer = false;
        if (again && answer->status == 401 && file != NULL)
            kube_token_read(&client->token, file, &newer, NULL);
        if (!newer)
            return rc != 0 ? karta_error_set(err, rc, "%s", why.message) : 0;
        kube_answer_dispose(answer);
    }
}

int kube_client_ask(struct kube_client *client, const struct kube_request *request,
                    struct kube_answer *answer, struct karta_error *err)
{
    return ask(client, request, NULL, answer, err);
}

int kube_client_watch(struct kube_client *client, const struct kube_request *request,
                      const struct kube_watcher *watcher, struct kube_answer *answer,
                      struct karta_error *err)
{
    struct kube_lines lines;
    kube_lines_init(&lines, watcher, KUBE_LINE_MOST);
    int rc = ask(client, request, &lines, answer, err);
    kube_lines_dispose(&lines);
    return rc;
}

void kube_answer_dispose(struct kube_answer *answer)
{
    json_decref(answer->body);
    answer->body = NULL;
}
