/* SPDX-License-Identifier: Apache-2.0 */
#include "podgroups_world.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/mutate.h"
#include "karta/patch.h"

static struct karta_snapshot *in_force(void *arg)
{
    struct world *world = arg;
    return karta_snapshot_ref(atomic_load(&world->in_force));
}

static bool leads(void *arg)
{
    struct maker *maker = arg;
    if (maker->world->before_write != NULL)
        maker->world->before_write(maker);
    return atomic_load(&maker->leads);
}

void world_init(struct world *world)
{
    *world = (struct world){.profile = "kai"};
    follower_init(&world->base);
    struct api_server *server = world->base.server;
    api_server_kind(server, "batch", "v1", "Job", "jobs", true, true);
    api_server_kind(server, "jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", true, true);
    api_server_kind(server, "leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets",
                    true, true);
    api_server_kind(server, "scheduling.run.ai", "v2alpha2", "PodGroup", "podgroups", true, true);
    world->snapshot = test_snapshot();
    atomic_store(&world->in_force, world->snapshot);
    world->config = (struct podgroups_config){.access = world->base.access,
                                              .metrics = world->base.metrics,
                                              .log = &world->base.log,
                                              .in_force = in_force,
                                              .in_force_arg = world,
                                              .profile = &world->profile,
                                              .leads = leads,
                                              .look_ms = 100,
                                              .linger_ms = 50,
                                              .retry_ms = 20,
                                              .per_second = 5000};
    for (size_t i = 0; i < MAKERS; i++)
        world->makers[i].world = world;
}

void world_start_maker(struct world *world, size_t index)
{
    struct karta_error err = {0};
    struct podgroups_config config = world->config;
    config.leads_arg = &world->makers[index];
    if (podgroups_start(&config, &world->makers[index].groups, &err) != 0)
        fail_msg("%s", err.message);
}

void world_start(struct world *world)
{
    atomic_store(&world->makers[0].leads, true);
    world_start_maker(world, 0);
}

void world_stop_maker(struct world *world, size_t index)
{
    podgroups_free(world->makers[index].groups);
    world->makers[index].groups = NULL;
}

void world_stop(struct world *world)
{
    for (size_t i = 0; i < MAKERS; i++)
        world_stop_maker(world, i);
}

void world_dispose(struct world *world)
{
    world_stop(world);
    karta_snapshot_unref(world->snapshot);
    follower_dispose(&world->base);
}

void world_create(struct world *world, const char *uid, const char *text)
{
    json_auto_t *object = test_json(text);
    json_auto_t *patched = NULL;
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    const struct karta_mutate_options options = {
        .profile = world->profile, .ns = "ml", .uid = uid, .opted_in = true};
    if (karta_mutate_create(world->snapshot, object, &options, &mutation, &err) != 0 ||
        mutation.patch == NULL || karta_patch_apply(object, mutation.patch, &patched, &err) != 0)
        fail_msg("not ganged: %s", err.message);
    karta_mutation_dispose(&mutation);
    api_server_put_json(world->base.server, patched);
}

void world_create_jobset(struct world *world, const char *uid, const char *name, int workers)
{
    KARTA_AUTO_TEXT text = mem_format(
        "{'apiVersion': 'jobset.x-k8s.io/v1alpha2', 'kind': 'JobSet', 'metadata': {'name': '%s', "
        "'namespace': 'ml', 'labels': {'kai.scheduler/queue': 'team-a'}}, 'spec': "
        "{'replicatedJobs': [{'name': 'leader', 'replicas': 1, 'template': {'spec': {'template': "
        "{'spec': {'containers': [{'name': 'main', 'image': 'i'}]}}}}}, {'name': 'workers', "
        "'replicas': 1, 'template': {'spec': {'parallelism': %d, 'completions': %d, 'template': "
        "{'spec': {'containers': [{'name': 'main', 'image': 'i'}]}}}}}]}}",
        name, workers, workers);
    world_create(world, uid, text);
}

void world_create_lws(struct world *world, const char *uid, const char *name, int replicas)
{
    KARTA_AUTO_TEXT text = mem_format(
        "{'apiVersion': 'leaderworkerset.x-k8s.io/v1', 'kind': 'LeaderWorkerSet', 'metadata': "
        "{'name': '%s', 'namespace': 'ml', 'labels': {'kai.scheduler/queue': 'team-a'}}, 'spec': "
        "{'replicas': %d, 'leaderWorkerTemplate': {'size': 3, 'workerTemplate': {'spec': "
        "{'containers': [{'name': 'main', 'image': 'i'}]}}}}}",
        name, replicas);
    world_create(world, uid, text);
}

void world_create_lws_pod(struct world *world, const char *name, const char *lws, int group)
{
    json_auto_t *owner = api_server_get(world->base.server, "leaderworkersets", "ml", lws);
    const json_t *template =
        karta_pointer_get(owner, "/spec/leaderWorkerTemplate/workerTemplate/metadata");
    KARTA_AUTO_TEXT index = mem_format("%d", group);
    json_auto_t *metadata = json_deep_copy(template);
    json_object_set_new(metadata, "name", json_string(name));
    json_object_set_new(metadata, "namespace", json_string("ml"));
    json_t *labels = json_object_get(metadata, "labels");
    json_object_set_new(labels, "leaderworkerset.sigs.k8s.io/group-index", json_string(index));
    json_object_set_new(labels, "leaderworkerset.sigs.k8s.io/name", json_string(lws));
    json_auto_t *pod = json_pack("{s:s, s:s, s:O, s:{}}", "apiVersion", "v1", "kind", "Pod",
                                 "metadata", metadata, "spec");
    api_server_put_json(world->base.server, pod);
}

void world_change(struct world *world, const char *plural, const char *name, const char *pointer,
                  const char *value)
{
    json_auto_t *object = api_server_get(world->base.server, plural, "ml", name);
    json_auto_t *patch = value != NULL ? json_pack("[{s:s, s:s, s:o}]", "op", "add", "path",
                                                   pointer, "value", test_json(value))
                                       : json_pack("[{s:s, s:s}]", "op", "remove", "path", pointer);
    json_auto_t *changed = NULL;
    struct karta_error err = {0};
    if (karta_patch_apply(object, patch, &changed, &err) != 0)
        fail_msg("%s", err.message);
    api_server_put_json(world->base.server, changed);
}

char *world_group(struct world *world, const char *plural, const char *name)
{
    json_auto_t *object = api_server_get(world->base.server, plural, "ml", name);
    const char *text =
        json_string_value(karta_pointer_get(object, "/metadata/annotations/workloadmap.dev~1gang"));
    json_auto_t *gang = json_loads(text, 0, NULL);
    return strdup(json_string_value(karta_pointer_get(gang, "/groups/0/name")));
}

json_t *world_podgroup(struct world *world, const char *name)
{
    return api_server_get(world->base.server, "podgroups", "ml", name);
}

bool world_has(struct world *world, const char *name)
{
    json_auto_t *object = world_podgroup(world, name);
    return object != NULL;
}

json_int_t world_number(struct world *world, const char *name, const char *pointer)
{
    json_auto_t *object = world_podgroup(world, name);
    const json_t *value = karta_pointer_get(object, pointer);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

bool world_says(struct world *world, const char *name, const char *pointer, const char *text)
{
    json_auto_t *object = world_podgroup(world, name);
    const char *is = json_string_value(karta_pointer_get(object, pointer));
    return is != NULL && strcmp(is, text) == 0;
}

size_t world_logged(struct world *world, const char *text)
{
    return follower_logged(&world->base, text);
}

long world_counted(struct world *world, const char *series)
{
    return follower_counted(&world->base, series);
}
