/* SPDX-License-Identifier: Apache-2.0 */
/* A reflector for each followed resource, metadata only; what it told is forgotten with it. */
#include "podgroups_watch.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "karta/engine.h"

static const char *const selectors[] = {[WATCH_WORKLOADS] = "workloadmap.dev/profile",
                                        [WATCH_PODS] = "workloadmap.dev/pod-phase",
                                        [WATCH_MADE] = PODGROUPS_LABEL "=" PODGROUPS_MANAGER};

static void free_watch(struct watch *watch)
{
    if (watch == NULL)
        return;
    free((char *)watch->resource.group);
    free((char *)watch->resource.version);
    free((char *)watch->resource.plural);
    free(watch->kind);
    free(watch->api_version);
    free(watch);
}

static void forget(const struct watch *watch, bool stale)
{
    if (watch->what == WATCH_WORKLOADS)
        groups_forget_workloads(watch->groups, watch, stale);
    else if (watch->what == WATCH_PODS)
        groups_forget_pods(watch->groups, watch, stale);
    else
        groups_forget_made(watch->groups, watch, stale);
}

static void on_begin(void *arg)
{
    groups_begin(arg);
}

/* What the list did not name is gone. */
static void on_end(void *arg)
{
    struct watch *watch = arg;
    pthread_mutex_lock(&watch->groups->lock);
    forget(watch, true);
    groups_end(watch);
    pthread_mutex_unlock(&watch->groups->lock);
}

/* Lists begin and end alike; what is told of one object differs. */
static struct reflector_handler handler_of(struct watch *watch)
{
    struct reflector_handler handler = watch->what == WATCH_WORKLOADS
                                           ? groups_workload_handler(watch)
                                       : watch->what == WATCH_PODS ? groups_pod_handler(watch)
                                                                   : groups_made_handler(watch);
    handler.begin = on_begin;
    handler.end = on_end;
    return handler;
}

static struct watch *new_watch(struct podgroups *groups, enum watch_what what,
                               const struct kube_resource *resource, const char *kind)
{
    const char *parts[] = {resource->group, kind};
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return NULL;
    *watch = (struct watch){
        .groups = groups,
        .what = what,
        .resource = {strdup(resource->group), strdup(resource->version), strdup(resource->plural)},
        .kind = strdup(kind),
        .kind_id = hash_u64(parts, 2),
        .began_ms = karta_engine_now_ms()};
    bool core = resource->group[0] == '\0';
    watch->api_version = mem_format("%s%s%s", resource->group, core ? "" : "/", resource->version);
    if (watch->resource.group != NULL && watch->resource.version != NULL &&
        watch->resource.plural != NULL && watch->kind != NULL && watch->api_version != NULL)
        return watch;
    free_watch(watch);
    return NULL;
}

static int start(struct watch *watch, struct karta_error *err)
{
    struct podgroups *groups = watch->groups;
    struct reflector_config config = {.access = &groups->config.access,
                                      .resource = watch->resource,
                                      .label_selector = selectors[watch->what],
                                      .metadata_only = true,
                                      .handler = handler_of(watch),
                                      .metrics = groups->config.metrics,
                                      .log = groups->config.log,
                                      .retry_refused_ms = groups->config.retry_ms};
    return reflector_start(&config, &watch->reflector, err);
}

static bool is_it(const struct watch *watch, enum watch_what what,
                  const struct kube_resource *resource, const char *kind)
{
    return watch->what == what && strcmp(watch->kind, kind) == 0 &&
           strcmp(watch->resource.group, resource->group) == 0 &&
           strcmp(watch->resource.version, resource->version) == 0 &&
           strcmp(watch->resource.plural, resource->plural) == 0;
}

/* Handlers may call from here on, so it is in the list before. */
static struct watch *add(struct podgroups *groups, struct watch *watch)
{
    struct karta_error err = {0};
    pthread_mutex_lock(&groups->lock);
    int rc = start(watch, &err);
    if (rc == 0)
        groups->watches[groups->watch_count++] = watch;
    pthread_mutex_unlock(&groups->lock);
    if (rc == 0)
        return watch;
    LOG_WRITE(groups->config.log, LOG_LEVEL_WARN, "a kind cannot be followed",
              log_text("kind", watch->kind), log_text("error", err.message));
    free_watch(watch);
    return NULL;
}

struct watch *watch_find_or_start(struct podgroups *groups, enum watch_what what,
                                  const struct kube_resource *resource, const char *kind)
{
    struct watch *watch = NULL;
    for (size_t i = 0; i < groups->watch_count && watch == NULL; i++)
        if (is_it(groups->watches[i], what, resource, kind))
            watch = groups->watches[i];
    if (watch == NULL && groups->watch_count < WATCHES &&
        (watch = new_watch(groups, what, resource, kind)) != NULL)
        watch = add(groups, watch);
    if (watch != NULL)
        watch->wanted = true;
    return watch;
}

/* Its thread ends first, since the handler wants the lock. */
static void end_watch(struct podgroups *groups, struct watch *watch)
{
    pthread_mutex_lock(&groups->lock);
    for (size_t i = 0; i < groups->watch_count; i++)
        if (groups->watches[i] == watch) {
            groups->watches[i] = groups->watches[--groups->watch_count];
            break;
        }
    pthread_mutex_unlock(&groups->lock);
    reflector_free(watch->reflector);
    pthread_mutex_lock(&groups->lock);
    forget(watch, false);
    pthread_mutex_unlock(&groups->lock);
    free_watch(watch);
}

void watch_end_unwanted(struct podgroups *groups)
{
    for (size_t i = groups->watch_count; i-- > 0;)
        if (!groups->watches[i]->wanted)
            end_watch(groups, groups->watches[i]);
}

void watch_stop_all(struct podgroups *groups)
{
    pthread_mutex_lock(&groups->lock);
    for (size_t i = 0; i < groups->watch_count; i++)
        reflector_stop(groups->watches[i]->reflector);
    pthread_mutex_unlock(&groups->lock);
}

void watch_end_all(struct podgroups *groups)
{
    while (groups->watch_count > 0)
        end_watch(groups, groups->watches[groups->watch_count - 1]);
}
