/* SPDX-License-Identifier: Apache-2.0 */
#include "follower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

/* New text "namespace/name". */
static char *key_of(const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *ns = json_string_value(json_object_get(metadata, "namespace"));
    return mem_format("%s/%s", ns != NULL ? ns : "",
                      json_string_value(json_object_get(metadata, "name")));
}

static void note(struct follower *follower, json_t *objects, const json_t *object)
{
    KARTA_AUTO_TEXT key = key_of(object);
    json_t *version = json_object_get(json_object_get(object, "metadata"), "resourceVersion");
    json_object_set(objects, key, version);
    json_decref(follower->last);
    follower->last = json_incref((json_t *)object);
}

static void on_begin(void *arg)
{
    struct follower *follower = arg;
    pthread_mutex_lock(&follower->lock);
    json_decref(follower->listed);
    follower->listed = json_object();
    follower->begins++;
    pthread_mutex_unlock(&follower->lock);
    if (follower->on_begin != NULL)
        follower->on_begin(follower);
}

static void on_present(void *arg, const json_t *object)
{
    struct follower *follower = arg;
    pthread_mutex_lock(&follower->lock);
    follower->wrong += follower->listed == NULL;
    note(follower, follower->listed, object);
    pthread_mutex_unlock(&follower->lock);
}

static void on_end(void *arg)
{
    struct follower *follower = arg;
    pthread_mutex_lock(&follower->lock);
    follower->wrong += follower->listed == NULL;
    json_decref(follower->objects);
    follower->objects = follower->listed;
    follower->listed = NULL;
    follower->ends++;
    pthread_mutex_unlock(&follower->lock);
}

static void on_changed(void *arg, const json_t *object)
{
    struct follower *follower = arg;
    pthread_mutex_lock(&follower->lock);
    follower->wrong += follower->listed != NULL;
    note(follower, follower->objects, object);
    follower->changes++;
    pthread_mutex_unlock(&follower->lock);
}

static void on_gone(void *arg, const json_t *object)
{
    struct follower *follower = arg;
    KARTA_AUTO_TEXT key = key_of(object);
    pthread_mutex_lock(&follower->lock);
    follower->wrong += follower->listed != NULL;
    json_object_del(follower->objects, key);
    follower->removals++;
    pthread_mutex_unlock(&follower->lock);
}

void follower_init_at(struct follower *follower, const char *url)
{
    follower->access.url = url;
    follower->metrics = metrics_new();
    follower->log = (struct log){.level = LOG_LEVEL_INFO, .fd = memfd_create("log", MFD_CLOEXEC)};
    follower->objects = json_object();
    pthread_mutex_init(&follower->lock, NULL);
    metrics_follow_cluster(follower->metrics);
    follower->config = (struct reflector_config){.access = &follower->access,
                                                 .resource = {"run.ai", "v1alpha1", "kartas"},
                                                 .handler = {.begin = on_begin,
                                                             .present = on_present,
                                                             .end = on_end,
                                                             .changed = on_changed,
                                                             .gone = on_gone,
                                                             .arg = follower},
                                                 .metrics = follower->metrics,
                                                 .log = &follower->log,
                                                 .page = 2,
                                                 .retry_ms = 20,
                                                 .retry_refused_ms = 20};
}

void follower_init(struct follower *follower)
{
    *follower = (struct follower){.server = api_server_start(NULL)};
    api_server_kind(follower->server, "run.ai", "v1alpha1", "Karta", "kartas", false, false);
    follower_init_at(follower, api_server_url(follower->server));
}

void follower_start(struct follower *follower)
{
    struct karta_error err = {0};
    if (reflector_start(&follower->config, &follower->reflector, &err) != 0)
        fail_msg("%s", err.message);
}

void follower_stop(struct follower *follower)
{
    reflector_free(follower->reflector);
    follower->reflector = NULL;
}

void follower_dispose(struct follower *follower)
{
    follower_stop(follower);
    if (follower->server != NULL)
        api_server_free(follower->server);
    metrics_free(follower->metrics);
    close(follower->log.fd);
    json_decref(follower->objects);
    json_decref(follower->listed);
    json_decref(follower->last);
    pthread_mutex_destroy(&follower->lock);
}

void put_karta(struct follower *follower, const char *name)
{
    static atomic_int count; /* a put that changes nothing is no event */
    KARTA_AUTO_TEXT text = mem_format("{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', "
                                      "'metadata': {'name': '%s', 'labels': {'first': '%c'}}, "
                                      "'spec': {'count': %d}}",
                                      name, name[0], atomic_fetch_add(&count, 1));
    api_server_put(follower->server, text);
}

void delete_karta(struct follower *follower, const char *name)
{
    api_server_delete(follower->server, follower->config.resource.plural, NULL, name);
}

static bool is_in_store(struct follower *follower, const char *key, const json_t *version)
{
    const char *slash = strchr(key, '/');
    KARTA_AUTO_TEXT ns = strndup(key, (size_t)(slash - key));
    json_auto_t *object = api_server_get(follower->server, follower->config.resource.plural,
                                         ns[0] != '\0' ? ns : NULL, slash + 1);
    return json_equal(json_object_get(json_object_get(object, "metadata"), "resourceVersion"),
                      version);
}

bool follower_is_right(struct follower *follower)
{
    pthread_mutex_lock(&follower->lock);
    bool right = follower->wrong == 0 && follower->ends > 0 &&
                 json_object_size(follower->objects) ==
                     api_server_count(follower->server, follower->config.resource.plural);
    const char *key;
    json_t *version;
    json_object_foreach(follower->objects, key, version)
    {
        right = right && is_in_store(follower, key, version);
    }
    pthread_mutex_unlock(&follower->lock);
    return right;
}

bool follower_has_trouble(struct follower *follower)
{
    char text[512];
    reflector_trouble(follower->reflector, text, sizeof text);
    return text[0] != '\0';
}

size_t follower_begins(struct follower *follower)
{
    pthread_mutex_lock(&follower->lock);
    size_t begins = follower->begins;
    pthread_mutex_unlock(&follower->lock);
    return begins;
}

size_t follower_ends(struct follower *follower)
{
    pthread_mutex_lock(&follower->lock);
    size_t ends = follower->ends;
    pthread_mutex_unlock(&follower->lock);
    return ends;
}

size_t follower_logged(struct follower *follower, const char *text)
{
    static char lines[1 << 20];
    ssize_t size = pread(follower->log.fd, lines, sizeof lines - 1, 0);
    size_t count = 0;
    lines[size > 0 ? size : 0] = '\0';
    for (const char *at = lines; (at = strstr(at, text)) != NULL; at += strlen(text))
        count++;
    return count;
}

long follower_counted(struct follower *follower, const char *series)
{
    struct metrics_state none = {0};
    KARTA_AUTO_TEXT wanted = mem_format("\n%s ", series);
    KARTA_AUTO_STRBUF page;
    strbuf_init(&page, 1U << 20);
    metrics_print(follower->metrics, &none, &page);
    const char *at = strstr(page.text, wanted);
    return at != NULL ? strtol(at + strlen(wanted), NULL, 10) : -1;
}
