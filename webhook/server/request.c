/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request from its first line to its answer. A refusal is decided early and answered late:
 * the rest of the body is read and thrown away first, because a client that is still sending
 * would lose the answer to the reset of its connection. Only who said Expect: 100-continue, and so
 * waits, is answered at once.
 */
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "body.h"
#include "head.h"
#include "karta/engine.h"
#include "reply.h"
#include "server_internal.h"

/* how much of a refused body is read before the connection is simply dropped */
#define LIMIT_DISCARDED_BYTES ((uint64_t)64 << 20)

/* a longer path is no endpoint of ours */
#define LOGGED_PATH 200

struct request {
    struct connection *entry;
    enum admission_endpoint endpoint;
    struct refusal refusal;
    struct body body;
    uint64_t discarded;
    bool head_seen;
};

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void *server_on_uri(void *arg, const char *uri, struct MHD_Connection *connection)
{
    struct server *server = arg;
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return NULL;
    request->entry = connections_entry(connection);
    request->body.budget = &server->body_bytes;
    connection_request_begins(request->entry);
    head_check_uri(uri, &request->refusal);
    return request;
}

void server_on_completed(void *server, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode how)
{
    (void)server;
    (void)connection;
    struct request *request = *context;
    if (request == NULL)
        return;
    connection_request_ends(request->entry, how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    body_dispose(&request->body);
    free(request);
    *context = NULL;
}

static void log_refusal(const struct server *server, const struct refusal *refusal,
                        const char *method, const char *path)
{
    char start[LOGGED_PATH + 1];
    snprintf(start, sizeof start, "%s", path);
    LOG_WRITE(server->config.log, LOG_LEVEL_INFO, "request refused",
              log_count("status", refusal->status), log_text("method", method),
              log_text("path", start), log_text("error", refusal->text));
}

static enum MHD_Result answer_refusal(struct server *server, const struct request *request,
                                      struct MHD_Connection *connection, bool close)
{
    unsigned status = request->refusal.status;
    struct reply reply = {.status = status,
                          .type = REPLY_JSON,
                          .allow = status == MHD_HTTP_METHOD_NOT_ALLOWED ? "POST" : NULL,
                          .close = close || atomic_load(&server->closing)};
    metrics_http_error(server->config.metrics, status);
    return reply_error(connection, &reply, request->refusal.text);
}

/* Asked once a connection, because a session keeps its peer; and again when the CA was replaced. */
static bool peer_is_trusted(struct server *server, struct request *request,
                            struct MHD_Connection *connection)
{
    struct client_ca *ca = server->config.client_ca;
    unsigned generation = client_ca_generation(ca);
    enum connection_peer known = connection_peer(request->entry, generation);
    if (known != PEER_UNKNOWN)
        return known == PEER_TRUSTED;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    bool trusted = info != NULL && client_ca_trusts(ca, info->tls_session);
    connection_set_peer(request->entry, trusted ? PEER_TRUSTED : PEER_REFUSED, generation);
    return trusted;
}

static enum MHD_Result take_head(struct server *server, struct request *request,
                                 struct MHD_Connection *connection, const char *path,
                                 const char *method)
{
    request->head_seen = true;
    if (server->config.client_ca != NULL && !peer_is_trusted(server, request, connection))
        refuse(&request->refusal, MHD_HTTP_UNAUTHORIZED,
               "no certificate of the client CA was shown: callers need one");
    else if (request->refusal.status == 0)
        head_check(connection, path, method, &request->endpoint, &request->refusal);
    if (request->refusal.status == 0)
        return MHD_YES;
    log_refusal(server, &request->refusal, method, path);
    if (head_expects_continue(connection))
        return answer_refusal(server, request, connection, true);
    return MHD_YES;
}

static enum MHD_Result discard(struct request *request, size_t size)
{
    request->discarded += size;
    return request->discarded <= LIMIT_DISCARDED_BYTES ? MHD_YES : MHD_NO;
}

static enum MHD_Result take_body(struct server *server, struct request *request, const char *data,
                                 size_t size, const char *method, const char *path)
{
    if (request->refusal.status != 0)
        return discard(request, size);
    switch (body_add(&request->body, data, size, LIMIT_BODY_BYTES)) {
    case BODY_TAKEN:
        return MHD_YES;
    case BODY_TOO_LARGE:
        head_refuse_size(&request->refusal);
        break;
    case BODY_NO_ROOM:
        refuse(&request->refusal, MHD_HTTP_SERVICE_UNAVAILABLE,
               "too many large requests are under way: try again");
        break;
    }
    log_refusal(server, &request->refusal, method, path);
    return discard(request, size);
}

static void log_answer(const struct server *server, enum admission_endpoint endpoint,
                       const struct admission_record *record, int64_t us)
{
    if (!log_wants(server->config.log, LOG_LEVEL_INFO))
        return;
    char object[sizeof record->ns + sizeof record->name + 2];
    snprintf(object, sizeof object, "%s%s%s", record->ns, record->ns[0] != '\0' ? "/" : "",
             record->name);
    LOG_WRITE(server->config.log, LOG_LEVEL_INFO, "request", log_text("uid", record->uid),
              log_text("endpoint", admission_path(endpoint)), log_text("kind", record->kind),
              log_text("object", object), log_text("operation", record->operation),
              log_text("verdict", record->verdict), log_text("detail", record->detail),
              log_ms("ms", us));
}

static enum MHD_Result answer_review(struct server *server, struct request *request,
                                     struct MHD_Connection *connection)
{
    int64_t begin = now_us();
    HOLDER_AUTO_SNAPSHOT snapshot = holder_take(server->config.holder);
    struct admission_answer answer;
    struct admission_record record;
    admission_handle(request->endpoint, snapshot, server->config.admission, request->body.bytes,
                     request->body.size, &answer, &record);
    body_dispose(&request->body);
    struct reply reply = {
        .status = answer.status, .type = REPLY_JSON, .close = atomic_load(&server->closing)};
    char *body = answer.body;
    size_t size = answer.size;
    answer.body = NULL; /* the response has it now */
    int64_t us = now_us() - begin;
    if (reply.status == MHD_HTTP_OK)
        metrics_admission(server->config.metrics, request->endpoint, &record, us);
    else
        metrics_http_error(server->config.metrics, reply.status);
    metrics_policies(server->config.metrics, answer.decisions, answer.decision_count);
    admission_answer_dispose(&answer);
    log_answer(server, request->endpoint, &record, us);
    return reply_send(connection, &reply, body, size);
}

static enum MHD_Result finish(struct server *server, struct request *request,
                              struct MHD_Connection *connection, const char *method,
                              const char *path)
{
    connection_body_is_whole(request->entry);
    if (request->refusal.status == 0 && request->body.size == 0) {
        refuse(&request->refusal, MHD_HTTP_BAD_REQUEST,
               "the body is empty: an AdmissionReview belongs there");
        log_refusal(server, &request->refusal, method, path);
    }
    if (request->refusal.status != 0)
        return answer_refusal(server, request, connection,
                              request->refusal.close || request->discarded > 0);
    return answer_review(server, request, connection);
}

static enum MHD_Result take_step(struct server *server, struct request *request,
                                 struct MHD_Connection *connection, const char *path,
                                 const char *method, const char *data, size_t *size)
{
    if (!request->head_seen)
        return take_head(server, request, connection, path, method);
    if (*size > 0) {
        size_t taken = *size;
        *size = 0;
        return take_body(server, request, data, taken, method, path);
    }
    return finish(server, request, connection, method, path);
}

enum MHD_Result server_on_access(void *arg, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *size, void **context)
{
    (void)version;
    struct server *server = arg;
    struct request *request = *context;
    if (request == NULL)
        return MHD_NO; /* memory was out at its first line */
    bool ours = request->head_seen && request->refusal.status == 0;
    workers_enter(server->config.workers, ours ? admission_path(request->endpoint) : "a request",
                  karta_engine_now_ms());
    enum MHD_Result result = take_step(server, request, connection, url, method, data, size);
    workers_leave(server->config.workers);
    return result;
}
