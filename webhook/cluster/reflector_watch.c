/* SPDX-License-Identifier: Apache-2.0 */
/* One watch, event by event. What cannot be understood ends it: an event that was skipped can only
 * be made good by another list. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/document.h"
#include "karta/engine.h"
#include "reflector_internal.h"

#define WATCH_SECONDS 300
/* a little less than the shortest life that a server can be asked for, a second */
#define SETTLED_MS 800
#define LIMIT_QUERY 65536U

struct watching {
    struct reflector *reflector;
    struct turn *turn;
    bool over; /* the turn's end is known */
};

/* Servers end all watches of one age at once otherwise. */
static int seconds(struct reflector *reflector)
{
    int least =
        reflector->config.watch_seconds != 0 ? reflector->config.watch_seconds : WATCH_SECONDS;
    return least + rand_r(&reflector->random) % (least / 2 + 1);
}

static char *watch_path(struct reflector *reflector)
{
    KARTA_AUTO_TEXT path = kube_path(&reflector->config.resource, NULL, NULL, NULL);
    KARTA_AUTO_STRBUF query;
    strbuf_init(&query, LIMIT_QUERY);
    char number[16];
    snprintf(number, sizeof number, "%d", seconds(reflector));
    if (path == NULL)
        return NULL;
    strbuf_adds(&query, path);
    kube_query(&query, "watch", "1");
    kube_query(&query, "allowWatchBookmarks", "true");
    kube_query(&query, "resourceVersion", reflector->version);
    kube_query(&query, "timeoutSeconds", number);
    if (reflector->config.label_selector != NULL)
        kube_query(&query, "labelSelector", reflector->config.label_selector);
    return strbuf_take(&query);
}

static void on_open(void *arg)
{
    struct watching *watching = arg;
    struct reflector *reflector = watching->reflector;
    int64_t now = karta_engine_now_ms();
    if (reflector->open_ms == 0)
        reflector->open_ms = now;
    reflector->settled = now - reflector->open_ms >= SETTLED_MS;
    if (watching->over)
        return;
    reflector_out_of_trouble(reflector, reflector->settled);
    if (!reflector->settled)
        return;
    reflector->attempts = 0;
    reflector->refusals = 0;
}

static bool skip(struct watching *watching, enum metrics_skip reason, const char *what)
{
    reflector_skip(watching->reflector, reason);
    watching->over = true;
    watching->turn->end = TURN_GAP;
    karta_error_set(&watching->turn->err, KARTA_ERR_SYNTAX,
                    "watch %s: an event that %s was skipped", watching->reflector->name, what);
    return false;
}

/* An ERROR event: the object is a Status. */
static bool take_error(struct watching *watching, const json_t *status)
{
    struct turn *turn = watching->turn;
    json_int_t said = json_integer_value(json_object_get(status, "code"));
    int code = said > 0 && said < 1000 ? (int)said : 0;
    const char *message = json_string_value(json_object_get(status, "message"));
    const char *reason = json_string_value(json_object_get(status, "reason"));
    bool expired =
        reason != NULL && (strcmp(reason, "Expired") == 0 || strcmp(reason, "Gone") == 0);
    watching->over = true;
    turn->end = code == 410 || expired ? TURN_EXPIRED : TURN_REFUSED;
    turn->status = code;
    karta_error_set(&turn->err, KARTA_ERR_IO, "watch %s: the API server reports an error (%d): %s",
                    watching->reflector->name, code, message != NULL ? message : "no message");
    return false;
}

static bool take_event(struct watching *watching, const json_t *event)
{
    struct reflector *reflector = watching->reflector;
    const struct reflector_handler *handler = &reflector->config.handler;
    const char *type = json_string_value(json_object_get(event, "type"));
    const json_t *object = json_object_get(event, "object");
    const json_t *metadata = json_object_get(object, "metadata");
    if (type == NULL)
        return skip(watching, METRICS_SKIP_SHAPE, "has no type");
    if (!json_is_object(object))
        return skip(watching, METRICS_SKIP_SHAPE, "has no object");
    if (strcmp(type, "ERROR") == 0)
        return take_error(watching, object);
    bool bookmark = strcmp(type, "BOOKMARK") == 0;
    if (!bookmark && !reflector_is_object(object))
        return skip(watching, METRICS_SKIP_SHAPE, "has an object without a name");
    bool changed = strcmp(type, "ADDED") == 0 || strcmp(type, "MODIFIED") == 0;
    if (!bookmark && !changed && strcmp(type, "DELETED") != 0)
        return skip(watching, METRICS_SKIP_SHAPE, "is of no known type");
    if (!reflector_remember(reflector, metadata))
        return skip(watching, METRICS_SKIP_SHAPE, "has an object without a resourceVersion");
    if (changed)
        handler->changed(handler->arg, object);
    else if (!bookmark)
        handler->gone(handler->arg, object);
    reflector->refusals = 0;
    reflector->silences = 0;
    reflector_synced(reflector);
    return true;
}

static bool on_line(void *arg, const char *line, size_t size, bool truncated)
{
    struct watching *watching = arg;
    if (truncated)
        return skip(watching, METRICS_SKIP_TOO_LONG, "is too long");
    json_auto_t *event = NULL;
    if (karta_json_parse(line, size, &event, NULL) != 0)
        return skip(watching, METRICS_SKIP_GARBAGE, "is not JSON");
    return take_event(watching, event);
}

static void judge(struct watching *watching, int rc, int status, const struct karta_error *err)
{
    struct reflector *reflector = watching->reflector;
    struct turn *turn = watching->turn;
    bool silent = rc == KARTA_ERR_TIMEOUT && reflector->open_ms != 0;
    if (rc == 0 || silent) {
        turn->end = silent ? TURN_SILENT : TURN_ENDED;
        karta_error_set(&turn->err, KARTA_ERR_IO, "watch %s: the API server ends it at once",
                        reflector->name);
        return;
    }
    turn->err = *err;
    turn->status = status;
    if (status == 410)
        turn->end = TURN_EXPIRED;
    else if (status == 404)
        turn->end = TURN_ABSENT;
    else
        turn->end = status == 0 ? TURN_UNREACHED : TURN_REFUSED;
}

void reflector_watch(struct reflector *reflector, struct turn *turn)
{
    struct watching watching = {.reflector = reflector, .turn = turn};
    struct kube_watcher watcher = {.open = on_open, .line = on_line, .arg = &watching};
    KARTA_AUTO_TEXT path = watch_path(reflector);
    if (path == NULL) {
        turn->end = TURN_REFUSED;
        mem_error(&turn->err);
        return;
    }
    struct kube_request request = {
        .verb = "watch",
        .resource = &reflector->config.resource,
        .path = path,
        .accept = reflector->config.metadata_only
                      ? "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                        "application/json"
                      : NULL,
        .timeout_ms = reflector_timeout_ms(reflector),
        .idle_ms = reflector_idle_ms(reflector)};
    if (reflector->watched_before)
        metrics_watch_restart(reflector->config.metrics);
    reflector->watched_before = true;
    reflector->open_ms = 0;
    reflector->settled = false;
    struct kube_answer answer;
    struct karta_error err = {0};
    int rc = kube_client_watch(reflector->client, &request, &watcher, &answer, &err);
    turn->retry_after_ms = answer.retry_after_ms;
    if (reflector->open_ms != 0) /* it may have ended since it was last looked at */
        reflector->settled = karta_engine_now_ms() - reflector->open_ms >= SETTLED_MS;
    if (!watching.over)
        judge(&watching, rc, answer.status, &err);
    kube_answer_dispose(&answer);
}
