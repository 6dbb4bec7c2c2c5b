/* SPDX-License-Identifier: Apache-2.0 */
/* The newest rule that fits a request decides. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "server.h"

static bool fits(const char *wanted, const char *is)
{
    return wanted == NULL || strcmp(wanted, is) == 0;
}

static void rule_remove(struct api_server *server, size_t at)
{
    free(server->rules[at].verb);
    free(server->rules[at].plural);
    server->rule_count--;
    memmove(&server->rules[at], &server->rules[at + 1],
            (server->rule_count - at) * sizeof *server->rules);
}

void faults_dispose(struct api_server *server)
{
    while (server->rule_count > 0)
        rule_remove(server, server->rule_count - 1);
    free(server->rules);
}

/* What `verb` and `plural` of a call cover. */
static void take_back(struct api_server *server, const char *verb, const char *plural)
{
    for (size_t i = server->rule_count; i-- > 0;) {
        struct api_rule *rule = &server->rules[i];
        if (fits(verb, rule->verb != NULL ? rule->verb : "") &&
            fits(plural, rule->plural != NULL ? rule->plural : ""))
            rule_remove(server, i);
    }
}

void api_server_fault(struct api_server *server, const char *verb, const char *plural,
                      enum api_fault fault, int number, int times)
{
    server_lock(server);
    if (fault == API_FAULT_NONE) {
        take_back(server, verb, plural);
    } else {
        struct api_rule *grown =
            realloc(server->rules, (server->rule_count + 1) * sizeof *server->rules);
        if (grown == NULL)
            abort();
        server->rules = grown;
        server->rules[server->rule_count++] =
            (struct api_rule){verb != NULL ? strdup(verb) : NULL,
                              plural != NULL ? strdup(plural) : NULL, fault, number, times};
    }
    server_unlock(server);
}

static void count(struct api_server *server, const struct api_request *request)
{
    KARTA_AUTO_TEXT key = mem_format("%s %s", request->verb, request_what(request));
    json_int_t before = json_integer_value(json_object_get(server->asked, key));
    json_object_set_new(server->asked, key, json_integer(before + 1));
}

size_t api_server_asked(struct api_server *server, const char *verb, const char *plural)
{
    size_t total = 0;
    server_lock(server);
    const char *key;
    json_t *value;
    json_object_foreach(server->asked, key, value)
    {
        KARTA_AUTO_TEXT is = strndup(key, strcspn(key, " "));
        if (fits(verb, is) && fits(plural, strchr(key, ' ') + 1))
            total += (size_t)json_integer_value(value);
    }
    server_unlock(server);
    return total;
}

struct api_rule faults_take(struct api_server *server, const struct api_request *request)
{
    count(server, request);
    for (size_t i = server->rule_count; i-- > 0;) {
        struct api_rule *rule = &server->rules[i];
        if (!fits(rule->verb, request->verb) || !fits(rule->plural, request_what(request)))
            continue;
        struct api_rule taken = {NULL, NULL, rule->fault, rule->number, 0};
        if (rule->times > 0 && --rule->times == 0)
            rule_remove(server, i);
        return taken;
    }
    return (struct api_rule){.fault = API_FAULT_NONE};
}

static void forbid(struct api_server *server, const struct api_request *request,
                   struct api_answer *answer)
{
    static const char user[] = "system:serviceaccount:karta:karta-webhook";
    struct api_kind *kind = request->plural != NULL ? store_kind(&server->store, request->group,
                                                                 request->version, request->plural)
                                                    : NULL;
    if (kind == NULL) {
        answer_status(answer, 403, "Forbidden", json_object(),
                      "forbidden: User \"%s\" cannot %s path \"%s\"", user, request->verb,
                      request->path);
        return;
    }
    const char *name = request->name[0] != '\0' ? request->name : NULL;
    KARTA_AUTO_TEXT quoted = mem_format(name != NULL ? " \"%s\"" : "%s", request->name);
    KARTA_AUTO_TEXT scope = request->ns[0] != '\0'
                                ? mem_format("in the namespace \"%s\"", request->ns)
                                : mem_format("at the cluster scope");
    const char *sub = request->sub;
    answer_status(answer, 403, "Forbidden", status_details(kind, name),
                  "%s%s is forbidden: User \"%s\" cannot %s resource \"%s%s%s\" in API group "
                  "\"%s\" %s",
                  kind->resource, quoted, user, request->verb, kind->plural,
                  sub[0] != '\0' ? "/" : "", sub, kind->group, scope);
}

void faults_status(struct api_server *server, const struct api_request *request, int code,
                   struct api_answer *answer)
{
    json_t *retry = code == 429 || code == 503 ? json_pack("{si}", "retryAfterSeconds", 1) : NULL;
    if (code == 429)
        answer->retry_after = 1;
    if (code == 401)
        answer_status(answer, 401, "Unauthorized", NULL, "Unauthorized");
    else if (code == 403)
        forbid(server, request, answer);
    else if (code == 404)
        answer_no_resource(answer);
    else if (code == 409)
        answer_status(answer, 409, "Conflict", json_object(),
                      "Operation cannot be fulfilled on %s \"%s\": the object has been modified; "
                      "please apply your changes to the latest version and try again",
                      request_what(request), request->name);
    else if (code == 410)
        answer_json(answer, 410, status_too_old(1, server->store.version));
    else if (code == 429)
        answer_status(answer, 429, "TooManyRequests", retry,
                      "Too many requests, please try again later.");
    else if (code == 503)
        answer_status(answer, 503, "ServiceUnavailable", retry,
                      "the server is currently unable to handle the request");
    else
        answer_status(answer, code, "InternalError", NULL,
                      "Internal error occurred: the double was told to fail");
}

void faults_lie(struct api_server *server, const struct api_request *request,
                struct api_answer *answer)
{
    KARTA_AUTO_TEXT version = mem_format("%lu", server->store.version);
    if (strcmp(request->verb, "list") == 0)
        answer_json(answer, 200,
                    json_pack("{ss ss s{ss}}", "kind", "List", "apiVersion", "v1", "metadata",
                              "resourceVersion", version));
    else
        answer_json(answer, 200, json_array());
}
