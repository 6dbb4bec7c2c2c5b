/* SPDX-License-Identifier: Apache-2.0 */
/* What tests do to the double without a request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "write.h"

void api_server_kind(struct api_server *server, const char *group, const char *version,
                     const char *kind, const char *plural, bool namespaced, bool status)
{
    server_lock(server);
    store_teach(&server->store, group, version, kind, plural, namespaced, status);
    server_unlock(server);
}

void api_server_forget_kind(struct api_server *server, const char *group, const char *version,
                            const char *kind)
{
    server_lock(server);
    store_forget(&server->store, group, version, kind);
    server_unlock(server);
}

void api_server_stale(struct api_server *server, const char *group, bool stale)
{
    server_lock(server);
    if (stale)
        json_object_set_new(server->stale, group, json_true());
    else
        json_object_del(server->stale, group);
    server_unlock(server);
}

static void die(const char *what, const char *detail)
{
    fprintf(stderr, "api server double: %s: %s\n", what, detail);
    abort();
}

void api_server_put_json(struct api_server *server, const json_t *object)
{
    const char *version = json_string_value(json_object_get(object, "apiVersion"));
    const char *name = json_string_value(json_object_get(object, "kind"));
    server_lock(server);
    struct api_kind *kind = store_kind_named(&server->store, version, name);
    if (kind == NULL)
        die("put of a kind it does not know", name != NULL ? name : "(none)");
    if (kind->namespaced == (object_meta(object, "namespace")[0] == '\0'))
        die("put with or without a namespace", name);
    write_put(&server->store, kind, object);
    server_unlock(server);
}

void api_server_put(struct api_server *server, const char *object)
{
    char *text = strdup(object);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_error_t error;
    json_auto_t *value = json_loads(text, 0, &error);
    if (value == NULL)
        die(error.text, text);
    free(text);
    api_server_put_json(server, value);
}

/* Dies where the double does not know it: a test's own slip. */
static struct api_kind *known(struct api_server *server, const char *plural)
{
    struct api_kind *kind = store_kind(&server->store, NULL, NULL, plural);
    if (kind == NULL)
        die("a plural it does not know", plural);
    return kind;
}

void api_server_delete(struct api_server *server, const char *plural, const char *ns,
                       const char *name)
{
    server_lock(server);
    store_write(&server->store, known(server, plural), ns != NULL ? ns : "", name, NULL);
    server_unlock(server);
}

json_t *api_server_get(struct api_server *server, const char *plural, const char *ns,
                       const char *name)
{
    server_lock(server);
    json_t *value = store_get(&server->store, known(server, plural), ns != NULL ? ns : "", name);
    json_t *copy = json_deep_copy(value);
    server_unlock(server);
    return copy;
}

size_t api_server_count(struct api_server *server, const char *plural)
{
    size_t count = 0;
    server_lock(server);
    const char *resource = known(server, plural)->resource;
    for (size_t i = 0; i < server->store.object_count; i++)
        count += strcmp(server->store.objects[i].resource, resource) == 0 ? 1 : 0;
    server_unlock(server);
    return count;
}

void api_server_end_watches(struct api_server *server)
{
    server_lock(server);
    server->ends++;
    server_unlock(server);
}

void api_server_compact(struct api_server *server)
{
    server_lock(server);
    store_compact(&server->store);
    server_unlock(server);
}

void api_server_bookmark(struct api_server *server)
{
    server_lock(server);
    server->bookmarks++;
    server_unlock(server);
}

size_t api_server_watches(struct api_server *server, const char *plural)
{
    size_t count = 0;
    server_lock(server);
    for (struct api_conn *conn = server->conns; conn != NULL; conn = conn->next)
        if (conn->watching != NULL && (plural == NULL || strcmp(conn->watching, plural) == 0))
            count++;
    server_unlock(server);
    return count;
}
