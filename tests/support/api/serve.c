/* SPDX-License-Identifier: Apache-2.0 */
/* A request's way: counted, made to fail where a test wants it, who asks, what is asked. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "discovery.h"
#include "read.h"
#include "server.h"
#include "write.h"

static void answer_text(struct api_answer *answer, int status, const char *text)
{
    answer->status = status;
    answer->text = text;
    answer->type = "text/plain; charset=utf-8";
}

static bool is_known(const struct api_server *server, const struct api_request *request)
{
    KARTA_AUTO_TEXT bearer = server->token != NULL ? mem_format("Bearer %s", server->token) : NULL;
    return bearer == NULL || strcmp(request_header(request, "authorization"), bearer) == 0;
}

static void answer_other(struct api_server *server, const struct api_request *request,
                         struct api_answer *answer)
{
    struct discovery_form form = {server->old_discovery, server->beta_discovery, server->stale};
    const char *path = request->path;
    if (strcmp(path, "/version") == 0)
        answer_json(answer, 200,
                    json_pack("{ss ss ss ss}", "major", "1", "minor", "32", "gitVersion", "v1.32.0",
                              "platform", "linux/amd64"));
    else if (strcmp(path, "/healthz") == 0 || strcmp(path, "/livez") == 0 ||
             strcmp(path, "/readyz") == 0)
        answer_text(answer, 200, "ok");
    else if (strcmp(request->verb, "get") != 0 ||
             !discovery_answer(&server->store, &form, request, answer))
        answer_text(answer, 404, "404 page not found\n");
}

static void answer_kind(struct api_server *server, const struct api_kind *kind,
                        const struct api_request *request, struct api_answer *answer)
{
    struct api_store *store = &server->store;
    const char *verb = request->verb;
    bool sub = request->sub[0] != '\0';
    if (request_query(request, "dryRun")[0] != '\0')
        answer_bad_request(answer, "dryRun: the double does not know it");
    else if (strcmp(verb, "list") == 0)
        read_list(store, kind, request, answer);
    else if (strcmp(verb, "get") == 0)
        read_get(store, kind, request, answer);
    else if (strcmp(verb, "create") == 0 && request->name[0] == '\0')
        write_create(store, kind, request, answer);
    else if (strcmp(verb, "update") == 0 && request->name[0] != '\0')
        write_update(store, kind, request, answer);
    else if (strcmp(verb, "patch") == 0 && request->name[0] != '\0')
        write_patch(store, kind, request, answer);
    else if (strcmp(verb, "delete") == 0 && !sub)
        write_delete(store, kind, request, answer);
    else
        answer_no_method(answer);
}

static bool is_everywhere(const struct api_request *request)
{
    return request->name[0] == '\0' && (request->verb[0] == 'l' || request->verb[0] == 'w');
}

/* NULL, with the answer filled: there is no such resource. A group that nobody knows is a page that
 * nobody knows, as in the real one; below a known group it is a Status. */
static struct api_kind *find_kind(struct api_server *server, const struct api_request *request,
                                  struct api_answer *answer)
{
    struct api_kind *kind =
        store_kind(&server->store, request->group, request->version, request->plural);
    if (json_object_get(server->stale, request->group) != NULL) {
        answer_text(answer, 503, "service unavailable\n");
        return NULL;
    }
    bool known = request->group[0] == '\0';
    for (size_t i = 0; i < server->store.kind_count; i++)
        known = known || strcmp(server->store.kinds[i]->group, request->group) == 0;
    bool place =
        kind != NULL && (kind->namespaced ? request->ns[0] != '\0' || is_everywhere(request)
                                          : request->ns[0] == '\0');
    bool sub = kind != NULL &&
               (request->sub[0] == '\0' || (kind->status && strcmp(request->sub, "status") == 0));
    if (place && sub)
        return kind;
    if (known)
        answer_no_resource(answer);
    else
        answer_text(answer, 404, "404 page not found\n");
    return NULL;
}

/* The answer, or (false) the kind is there to be watched. */
static bool decide(struct api_server *server, const struct api_request *request,
                   const struct api_rule *rule, struct api_answer *answer)
{
    if (rule->fault == API_FAULT_STATUS)
        faults_status(server, request, rule->number, answer);
    else if (!is_known(server, request))
        faults_status(server, request, 401, answer);
    else if (request->plural == NULL)
        answer_other(server, request, answer);
    else {
        struct api_kind *kind = find_kind(server, request, answer);
        if (kind != NULL && strcmp(request->verb, "watch") == 0)
            return false;
        if (kind != NULL && rule->fault == API_FAULT_LIE)
            faults_lie(server, request, answer);
        else if (kind != NULL)
            answer_kind(server, kind, request, answer);
    }
    if (request->plural == NULL && rule->fault == API_FAULT_LIE) {
        answer_dispose(answer);
        faults_lie(server, request, answer);
    }
    return true;
}

/* Nothing more until the client has enough. */
static bool hang(struct api_conn *conn)
{
    while (http_pause(conn, -1))
        continue;
    return false;
}

static bool send_answer(struct api_conn *conn, const struct api_request *request,
                        const struct api_answer *answer, const char *text, enum api_fault fault)
{
    static const char garbage[] = "<html>\xff not the API server</html>";
    if (fault == API_FAULT_GARBAGE)
        text = garbage;
    size_t size = strlen(text);
    bool close = strcasecmp(request_header(request, "connection"), "close") == 0;
    KARTA_AUTO_TEXT head = http_head(answer, (ssize_t)size, close);
    if (!http_send(conn, head, strlen(head)))
        return false;
    if (fault == API_FAULT_STALL)
        return hang(conn);
    if (fault == API_FAULT_CUT) {
        http_send(conn, text, size / 2);
        return false;
    }
    return http_send(conn, text, answer->status != 304 ? size : 0) && !close;
}

bool serve(struct api_conn *conn, const struct api_request *request)
{
    struct api_server *server = conn->server;
    struct api_answer answer = {0};
    server_lock(server);
    struct api_rule rule = faults_take(server, request);
    if (rule.fault == API_FAULT_HANG) {
        server_unlock(server);
        return hang(conn);
    }
    bool decided = decide(server, request, &rule, &answer);
    KARTA_AUTO_TEXT json =
        answer.body != NULL ? json_dumps(answer.body, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(answer.body);
    answer.body = NULL;
    server_unlock(server);
    if (!decided)
        return stream_watch(conn, request, &rule);
    if (rule.fault == API_FAULT_GARBAGE)
        answer.status = 200;
    const char *text = json != NULL ? json : answer.text != NULL ? answer.text : "";
    return send_answer(conn, request, &answer, text, rule.fault);
}
