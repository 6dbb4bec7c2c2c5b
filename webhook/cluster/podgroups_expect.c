/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of objects that profiles make: followed from the first on, so that what is there is known
 * before it is written; and waited for where the cluster does not have them yet. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/objects.h"
#include "podgroups_internal.h"
#include "podgroups_watch.h"

#define EXAMPLE_MS 1000

/* A kind that nobody could be made of is there now. */
void groups_look_for_missing(struct podgroups *groups)
{
    const char *name;
    json_t *parts;
    void *next;
    json_object_foreach_safe(groups->missing, next, name, parts)
    {
        const char *group = json_string_value(json_array_get(parts, 0));
        const char *version = json_string_value(json_array_get(parts, 1));
        const char *kind = json_string_value(json_array_get(parts, 2));
        if (discovery_plural(groups->discovery, group, version, kind, NULL) == NULL)
            continue;
        LOG_WRITE(groups->config.log, LOG_LEVEL_INFO, "the cluster has what pod groups need",
                  log_text("kind", name));
        json_object_del(groups->missing, name);
        pthread_mutex_lock(&groups->lock);
        queue_unblock(groups);
        pthread_mutex_unlock(&groups->lock);
    }
}

static const char *group_of(const char *api_version, char *group, size_t room)
{
    const char *slash = strchr(api_version, '/');
    snprintf(group, room, "%.*s", slash != NULL ? (int)(slash - api_version) : 0, api_version);
    return slash != NULL ? slash + 1 : api_version;
}

/* Said once for each kind, until it is there. */
static void note_missing(struct podgroups *groups, const char *group, const char *version,
                         const char *api_version, const char *kind)
{
    KARTA_AUTO_TEXT name = mem_format("%s, %s", api_version, kind);
    if (name == NULL || json_object_get(groups->missing, name) != NULL ||
        json_object_size(groups->missing) >= WATCHES)
        return;
    json_object_set_new(groups->missing, name, json_pack("[s, s, s]", group, version, kind));
    LOG_WRITE(groups->config.log, LOG_LEVEL_WARN,
              "pod groups not made: the cluster does not have their kind", log_text("kind", name));
}

static struct watch *find_made_watch(struct podgroups *groups, const char *api_version,
                                     const char *kind, bool *missing, struct karta_error *err)
{
    char group[256];
    bool namespaced = false;
    const char *version = group_of(api_version, group, sizeof group);
    const char *plural = discovery_plural(groups->discovery, group, version, kind, &namespaced);
    *missing = plural == NULL;
    if (plural == NULL) {
        note_missing(groups, group, version, api_version, kind);
        karta_error_set(err, KARTA_ERR_NOT_FOUND, "the cluster has no %s of %s", kind, api_version);
        return NULL;
    }
    if (!namespaced) {
        karta_error_set(err, KARTA_ERR_SCHEMA,
                        "%s of %s is not namespaced, so no workload can own it", kind, api_version);
        return NULL;
    }
    struct kube_resource resource = {group, version, plural};
    struct watch *watch = watch_find_or_start(groups, WATCH_MADE, &resource, kind);
    if (watch == NULL)
        karta_error_set(err, KARTA_ERR_LIMIT, "%s of %s can't be followed", kind, api_version);
    return watch;
}

struct watch *groups_made_watch(struct podgroups *groups, const char *api_version, const char *kind,
                                bool *missing, struct karta_error *err)
{
    pthread_mutex_lock(&groups->shared);
    struct watch *watch = find_made_watch(groups, api_version, kind, missing, err);
    pthread_mutex_unlock(&groups->shared);
    return watch;
}

/* A pod as a template of the profile would make it, so that its objects can be seen before there is
 * a workload. New. */
static json_t *example_of(const char *profile)
{
    json_auto_t *memory =
        json_pack("{s:{s:s, s:s, s:s, s:s}, s:s, s:s, s:s, s:[s], s:s, s:i, s:i, s:i}", "for",
                  "group", "", "kind", "Example", "namespace", "default", "name", "example",
                  "profile", profile, "group", "example", "nonce", "00000000", "keys",
                  ".metadata.labels.key", "queue", "example", "minMember", 2, "pods", 2, "v", 1);
    KARTA_AUTO_TEXT text = memory != NULL ? json_dumps(memory, JSON_COMPACT) : NULL;
    return text != NULL
               ? json_pack("{s:{s:s, s:s, s:{s:s, s:s}, s:{s:s}}}", "metadata", "name", "example",
                           "namespace", "default", "labels", "workloadmap.dev/pod-phase", "true",
                           "key", "0", "annotations", "workloadmap.dev/pod-group", text)
               : NULL;
}

void groups_expect_made(struct podgroups *groups)
{
    const char *profile = groups->config.profile != NULL ? *groups->config.profile : NULL;
    json_auto_t *pod = profile != NULL ? example_of(profile) : NULL;
    const struct karta_object_options options = {.ns = "default",
                                                 .deadline_ms = karta_engine_now_ms() + EXAMPLE_MS};
    struct karta_objects objects = {0};
    if (pod == NULL || karta_pod_objects(groups->snapshot, pod, &options, &objects, NULL) != 0) {
        karta_objects_dispose(&objects);
        return; /* what it makes is seen with the first workload */
    }
    size_t index;
    json_t *object;
    json_array_foreach(objects.objects, index, object)
    {
        bool missing;
        struct karta_error err = {0};
        groups_made_watch(groups, json_string_value(json_object_get(object, "apiVersion")),
                          json_string_value(json_object_get(object, "kind")), &missing, &err);
    }
    karta_objects_dispose(&objects);
}
