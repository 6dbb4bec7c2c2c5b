/* SPDX-License-Identifier: Apache-2.0 */
/* A client and one request of it, as the three files that know libcurl share them. */
#ifndef KARTA_CLUSTER_KUBE_CLIENT_INTERNAL_H
#define KARTA_CLUSTER_KUBE_CLIENT_INTERNAL_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "kube_error.h"
#include "kube_lines.h"
#include "kube_token.h"

struct kube_client {
    const struct kube_access *access;
    struct metrics *metrics;
    struct kube_token token;
    struct kube_whom whom;
    char *server; /* access->url without a user's name and path */
    bool token_is_safe;
    CURL *easy;
    CURLM *multi;
    char reason[CURL_ERROR_SIZE];
    atomic_bool stopped;
    pthread_mutex_t lock; /* for the condition alone */
    pthread_cond_t wake;
};

/* How a transfer ended. */
enum kube_end {
    KUBE_END_WHOLE,
    KUBE_END_ENDED, /* the watcher has had enough */
    KUBE_END_STOPPED,
    KUBE_END_LATE,
    KUBE_END_TOO_LONG,
    KUBE_END_NOMEM,
    KUBE_END_FAILED /* client->reason says why */
};

struct kube_transfer {
    struct kube_client *client;
    const struct kube_request *request;
    struct kube_answer *answer;
    struct kube_lines *lines; /* NULL: no watch */
    struct strbuf body;
    struct curl_slist *headers;
    bool accepted; /* the head of an answer of success has come */
    bool counted;
    int64_t began_ms, heard_ms, told_ms; /* monotonic; the last: when the watcher was told `open` */
    enum kube_end end;
};

/* Finds out whom the client talks to: `server` and whether a token may be sent there. */
int kube_client_look(struct kube_client *client, struct karta_error *err);
/* Sets every option of the request. KARTA_ERR_NOMEM. */
int kube_client_options(struct kube_transfer *transfer, struct karta_error *err);
/* Runs it to its end, which is then in transfer->end. */
void kube_client_transfer(struct kube_transfer *transfer);

size_t kube_client_on_head(char *bytes, size_t size, size_t count, void *transfer);
size_t kube_client_on_body(char *bytes, size_t size, size_t count, void *transfer);

/* An answer's most bytes. */
static inline size_t kube_client_limit(const struct kube_request *request)
{
    return request->limit != 0 ? request->limit : KUBE_ANSWER_MOST;
}

#endif
