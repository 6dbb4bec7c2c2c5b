/* SPDX-License-Identifier: Apache-2.0 */
/* A watch looks at the store whenever it is woken and sends what is new since. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "clock.h"
#include "events.h"
#include "server.h"

static bool send_line(struct api_conn *conn, const char *text)
{
    KARTA_AUTO_TEXT line = mem_format("%s\n", text);
    return http_chunk(conn, line, strlen(line));
}

/* Those of a watch that goes on: a line of garbage, or an event without its object. False: the
 * client is gone. */
static bool send_wrong_line(struct api_conn *conn, enum api_fault fault)
{
    if (fault == API_FAULT_GARBAGE_LINE)
        return send_line(conn, "{\"type\": \xff garbage");
    if (fault == API_FAULT_LIE)
        return send_line(conn, "{\"type\":\"MODIFIED\"}");
    return true;
}

/* New: what there is to say, as texts; *goes_on false: and then no more. Takes the lock. */
static json_t *look(struct api_conn *conn, struct api_watch *watch, const struct api_rule *rule,
                    bool *goes_on)
{
    struct api_server *server = conn->server;
    json_auto_t *events = json_array();
    server_lock(server);
    if (rule->fault == API_FAULT_ERROR_EVENT) {
        struct api_answer status = {0};
        faults_status(server, watch->request, rule->number, &status);
        json_array_append_new(events, json_pack("{ss so}", "type", "ERROR", "object", status.body));
        *goes_on = false;
    } else {
        *goes_on = watch_look(&server->store, watch, events);
    }
    if (conn->bookmarks != server->bookmarks && request_flag(watch->request, "allowWatchBookmarks"))
        json_array_append_new(events, watch_bookmark(&server->store, watch, false));
    conn->bookmarks = server->bookmarks;
    *goes_on = *goes_on && conn->ends == server->ends;
    json_t *lines = json_array();
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        KARTA_AUTO_TEXT line = json_dumps(event, JSON_COMPACT);
        json_array_append_new(lines, json_string(line));
    }
    server_unlock(server);
    return lines;
}

static bool send_lines(struct api_conn *conn, const json_t *lines)
{
    size_t index;
    json_t *line;
    json_array_foreach(lines, index,
                       line) if (!send_line(conn, json_string_value(line))) return false;
    return true;
}

/* Half of the first event, or of one that there is not. */
static bool cut(struct api_conn *conn, const json_t *lines)
{
    const char *line = json_string_value(json_array_get(lines, 0));
    if (line == NULL)
        line = "{\"type\":\"MODIFIED\",\"object\":{}}";
    http_chunk(conn, line, strlen(line) / 2);
    return false;
}

/* Nobody counts it any more. */
static void end(struct api_conn *conn)
{
    server_lock(conn->server);
    free(conn->watching);
    conn->watching = NULL;
    server_unlock(conn->server);
}

/* Until its time is over; false: the connection is of no more use. */
static bool run(struct api_conn *conn, struct api_watch *watch, const struct api_rule *rule)
{
    int64_t seconds = strtol(request_query(watch->request, "timeoutSeconds"), NULL, 10);
    int64_t until = seconds > 0 ? clock_ms() + seconds * 1000 : INT64_MAX;
    for (;;) {
        bool goes_on;
        json_auto_t *lines = look(conn, watch, rule, &goes_on);
        if (rule->fault == API_FAULT_CUT)
            return cut(conn, lines);
        if (!send_lines(conn, lines))
            return false;
        int64_t left = until == INT64_MAX ? -1 : until - clock_ms();
        if (!goes_on || (until != INT64_MAX && left <= 0)) {
            end(conn);
            return http_chunk(conn, "", 0);
        }
        if (!http_pause(conn, (int)left))
            return false;
    }
}

static bool begin(struct api_conn *conn, const struct api_request *request, struct api_watch *watch,
                  struct api_answer *answer)
{
    struct api_server *server = conn->server;
    server_lock(server);
    bool ok = watch_begin(&server->store, request, watch, answer);
    if (ok)
        conn->watching = strdup(request->plural);
    conn->ends = server->ends;
    conn->bookmarks = server->bookmarks;
    server_unlock(server);
    return ok;
}

static bool refuse(struct api_conn *conn, struct api_answer *answer)
{
    KARTA_AUTO_TEXT text = json_dumps(answer->body, JSON_COMPACT);
    KARTA_AUTO_TEXT head = http_head(answer, (ssize_t)strlen(text), false);
    bool ok = http_send(conn, head, strlen(head)) && http_send(conn, text, strlen(text));
    answer_dispose(answer);
    return ok;
}

bool stream_watch(struct api_conn *conn, const struct api_request *request,
                  const struct api_rule *rule)
{
    struct api_watch watch;
    struct api_answer answer = {0};
    if (!begin(conn, request, &watch, &answer))
        return refuse(conn, &answer);
    answer.status = 200;
    KARTA_AUTO_TEXT head = http_head(&answer, -1, false);
    bool ok = http_send(conn, head, strlen(head));
    while (ok && rule->fault == API_FAULT_STALL)
        ok = http_pause(conn, -1);
    if (ok && rule->fault == API_FAULT_GARBAGE)
        ok = send_line(conn, "<html>\xff not the API server</html>") && http_chunk(conn, "", 0);
    else
        ok = ok && send_wrong_line(conn, rule->fault) && run(conn, &watch, rule);
    end(conn);
    return ok;
}
