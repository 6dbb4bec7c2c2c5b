/* SPDX-License-Identifier: Apache-2.0 */
/* One list, page after page; a page is given back before the next is read. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "reflector_internal.h"

#define PAGE 500
#define LIMIT_QUERY 65536U

/* far above what etcd holds: a server that gives page after page must end somewhere */
#define LIMIT_OBJECTS 2000000U

/* New path and query of one page; NULL: memory is out. */
static char *page_path(const struct reflector *reflector, const char *token)
{
    KARTA_AUTO_TEXT path = kube_path(&reflector->config.resource, NULL, NULL, NULL);
    KARTA_AUTO_STRBUF query;
    strbuf_init(&query, LIMIT_QUERY);
    char number[16];
    snprintf(number, sizeof number, "%d", reflector->page);
    if (path == NULL)
        return NULL;
    strbuf_adds(&query, path);
    kube_query(&query, "limit", number);
    if (token != NULL)
        kube_query(&query, "continue", token);
    if (reflector->config.label_selector != NULL)
        kube_query(&query, "labelSelector", reflector->config.label_selector);
    return strbuf_take(&query);
}

static void judge(int rc, int status, bool continued, struct turn *turn)
{
    if (status == 404)
        turn->end = TURN_ABSENT;
    else if (status == 410 && continued)
        turn->end = TURN_EXPIRED;
    else if (rc == KARTA_ERR_LIMIT && status == 200)
        turn->end = TURN_TOO_LARGE;
    else if (status == 0)
        turn->end = TURN_UNREACHED;
    else
        turn->end = TURN_REFUSED;
    turn->status = status;
}

static bool ask(struct reflector *reflector, const char *token, struct kube_answer *answer,
                struct turn *turn)
{
    KARTA_AUTO_TEXT path = page_path(reflector, token);
    if (path == NULL) {
        mem_error(&turn->err);
        turn->end = TURN_REFUSED;
        return false;
    }
    struct kube_request request = {
        .verb = "list",
        .resource = &reflector->config.resource,
        .path = path,
        .accept = reflector->config.metadata_only
                      ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                        "application/json"
                      : NULL,
        .timeout_ms = reflector_timeout_ms(reflector)};
    int rc = kube_client_ask(reflector->client, &request, answer, &turn->err);
    turn->retry_after_ms = answer->retry_after_ms;
    if (rc != 0)
        judge(rc, answer->status, token != NULL, turn);
    return rc == 0;
}

static bool refuse_shape(const struct reflector *reflector, const char *what, struct turn *turn)
{
    turn->end = TURN_REFUSED;
    turn->status = 200;
    karta_error_set(&turn->err, KARTA_ERR_SCHEMA, "list %s: the answer is no list: %s",
                    reflector->name, what);
    return false;
}

/* Hands a page on; *next is the token of the one after it, NULL at the end. */
static bool take_page(struct reflector *reflector, const json_t *body, size_t *count, char **next,
                      struct turn *turn)
{
    const struct reflector_handler *handler = &reflector->config.handler;
    const json_t *items = json_object_get(body, "items");
    const json_t *metadata = json_object_get(body, "metadata");
    if (!json_is_array(items) && !json_is_null(items))
        return refuse_shape(reflector, "it has no items", turn);
    if (!reflector_remember(reflector, metadata))
        return refuse_shape(reflector, "it has no resourceVersion", turn);
    const char *token = json_string_value(json_object_get(metadata, "continue"));
    if (token != NULL && token[0] != '\0' && (*next = strdup(token)) == NULL) {
        turn->end = TURN_REFUSED;
        mem_error(&turn->err);
        return false;
    }
    if (*count == 0)
        handler->begin(handler->arg);
    *count += 1; /* an empty page counts too */
    size_t index;
    json_t *object;
    json_array_foreach(items, index, object)
    {
        *count += 1;
        if (reflector_is_object(object)) {
            handler->present(handler->arg, object);
        } else {
            turn->left_out++;
            reflector_skip(reflector, METRICS_SKIP_SHAPE);
        }
    }
    return *count < LIMIT_OBJECTS || refuse_shape(reflector, "it does not end", turn);
}

void reflector_list(struct reflector *reflector, struct turn *turn)
{
    KARTA_AUTO_TEXT token = NULL;
    size_t count = 0;
    bool more = true;
    if (reflector->page == 0)
        reflector->page = reflector->config.page != 0 ? reflector->config.page : PAGE;
    while (more) {
        struct kube_answer answer;
        KARTA_AUTO_TEXT next = NULL;
        bool taken = ask(reflector, token, &answer, turn) &&
                     take_page(reflector, answer.body, &count, &next, turn);
        kube_answer_dispose(&answer);
        if (!taken) {
            reflector->version[0] = '\0';
            return;
        }
        free(token);
        token = mem_take_text(&next);
        more = token != NULL;
    }
    reflector->config.handler.end(reflector->config.handler.arg);
    reflector_synced(reflector);
    turn->end = TURN_LISTED;
}
