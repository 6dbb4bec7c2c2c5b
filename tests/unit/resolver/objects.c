/* SPDX-License-Identifier: Apache-2.0 */
/* Objects beside the pods: who is ganged only where they will be made, and those of groups that
 * only pods name. */
#include "karta/objects.h"

#include <stdlib.h>
#include <string.h>

#include "karta/mutate.h"
#include "karta/patch.h"
#include "support.h"

static struct karta_snapshot *snapshot;
static const char *followed; /* the one kind that is followed; "*": all */

static int setup(void **state)
{
    (void)state;
    snapshot = test_snapshot();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    karta_snapshot_unref(snapshot);
    return 0;
}

static bool follows(void *arg, const char *group, const char *kind)
{
    (void)arg;
    (void)group;
    return strcmp(followed, "*") == 0 || strcmp(followed, kind) == 0;
}

static json_t *new_lws(void)
{
    return test_json("{'apiVersion': 'leaderworkerset.x-k8s.io/v1', 'kind': 'LeaderWorkerSet', "
                     "'metadata': {'name': 'serve', 'namespace': 'ml', 'labels': "
                     "{'workloadmap.dev/queue': 'team-a'}}, 'spec': {'replicas': 2, "
                     "'leaderWorkerTemplate': {'size': 3, 'workerTemplate': {'spec': "
                     "{'containers': [{'name': 'main', 'image': 'i', 'resources': {'requests': "
                     "{'cpu': '2'}}}]}}}}}");
}

/* The first warning of a CREATE under a profile, "" where it is ganged; *patched is new then. */
static const char *admit(const char *profile, json_t *object, json_t **patched)
{
    static char text[512];
    struct karta_mutation mutation = {0};
    const struct karta_mutate_options options = {
        .profile = profile, .ns = "ml", .uid = "u", .follows = followed != NULL ? follows : NULL};
    assert_int_equal(karta_mutate_create(snapshot, object, &options, &mutation, NULL), 0);
    const char *warning = json_string_value(json_array_get(mutation.warnings, 0));
    strcpy(text, warning != NULL ? warning : "");
    assert_true((mutation.patch != NULL) == (text[0] == '\0'));
    if (patched != NULL)
        assert_int_equal(karta_patch_apply(object, mutation.patch, patched, NULL), 0);
    karta_mutation_dispose(&mutation);
    return text;
}

static void create__gangs_only_what_objects_will_be_made_for(void **state)
{
    (void)state;
    json_auto_t *object = new_lws();
    followed = "Job";
    assert_string_equal(admit("kai", object, NULL),
                        "not ganged: what profile kai needs beside the pods can't be made: "
                        "LeaderWorkerSet.leaderworkerset.x-k8s.io isn't watched");
    followed = "LeaderWorkerSet"; /* its groups are known from pods alone */
    assert_string_equal(admit("kai", object, NULL),
                        "not ganged: what profile kai needs beside the pods can't be made: Pod "
                        "isn't watched");
    followed = "*";
    assert_string_equal(admit("kai", object, NULL), "");
    followed = "Job"; /* this one needs nothing beside the pods */
    assert_string_equal(admit("yunikorn", object, NULL), "");
    followed = NULL;
    assert_string_equal(admit("kai", object, NULL), "");
}

static void objects__are_given_for_each_replica_that_is_asked_for(void **state)
{
    (void)state;
    json_auto_t *object = new_lws();
    json_auto_t *patched = NULL;
    followed = NULL;
    assert_string_equal(admit("volcano", object, &patched), "");
    const struct karta_replica replicas[] = {
        {"replica", "serve/0"}, {"other", "serve/0"}, {"replica", "serve/1"}};
    const struct karta_object_options options = {.replicas = replicas, .replica_count = 3};
    struct karta_objects objects = {0};
    assert_int_equal(karta_group_objects(snapshot, patched, &options, &objects, NULL), 0);
    assert_int_equal(json_array_size(objects.objects), 2);
    const json_t *first = json_array_get(objects.objects, 0);
    json_auto_t *spec =
        test_json("{'minMember': 3, 'queue': 'team-a', 'minResources': {'cpu': '6'}}");
    assert_json_equal(json_object_get(first, "spec"), spec);
    assert_memory_equal(json_string_value(karta_pointer_get(first, "/metadata/name")),
                        "serve-replica-serve-0-", 22);
    karta_objects_dispose(&objects);
    assert_int_equal(
        karta_group_objects(snapshot, patched, &(struct karta_object_options){0}, &objects, NULL),
        0);
    assert_int_equal(json_array_size(objects.objects), 0);
    assert_int_equal(json_array_size(objects.per_replica), 1);
    karta_objects_dispose(&objects);
}

/* What the workload's controller computes and what its pod was told are one name. */
static void pod_gang__names_the_group_that_the_workload_gives(void **state)
{
    (void)state;
    json_auto_t *object = new_lws();
    json_auto_t *patched = NULL;
    followed = NULL;
    assert_string_equal(admit("kai", object, &patched), "");
    json_auto_t *metadata = json_deep_copy(
        karta_pointer_get(patched, "/spec/leaderWorkerTemplate/workerTemplate/metadata"));
    json_auto_t *pod = json_pack("{s:O}", "metadata", metadata);
    json_t *labels = json_object_get(metadata, "labels");
    struct karta_pod_gang gang;
    assert_int_equal(karta_pod_gang_read(pod, "ml", &gang), 0); /* the keys aren't there yet */
    karta_pod_gang_dispose(&gang);
    json_object_set_new(labels, "leaderworkerset.sigs.k8s.io/group-index", json_string("1"));
    json_object_set_new(labels, "leaderworkerset.sigs.k8s.io/name", json_string("serve"));
    assert_int_equal(karta_pod_gang_read(pod, "other", &gang), 0);
    karta_pod_gang_dispose(&gang);
    assert_int_equal(karta_pod_gang_read(pod, "ml", &gang), 1);
    struct karta_gang of_workload;
    assert_int_equal(karta_gang_read(patched, "ml", &of_workload), 1);
    assert_string_equal(gang.nonce, of_workload.nonce);
    assert_string_equal(gang.owner_kind, "LeaderWorkerSet");
    const struct karta_replica replica = {gang.group, gang.key};
    const struct karta_object_options options = {.replicas = &replica, .replica_count = 1};
    struct karta_objects objects = {0};
    assert_int_equal(karta_group_objects(snapshot, patched, &options, &objects, NULL), 0);
    assert_string_equal(json_string_value(karta_pointer_get(objects.objects, "/0/metadata/name")),
                        gang.name);
    karta_objects_dispose(&objects);
    karta_gang_dispose(&of_workload);
    karta_pod_gang_dispose(&gang);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create__gangs_only_what_objects_will_be_made_for),
        cmocka_unit_test(objects__are_given_for_each_replica_that_is_asked_for),
        cmocka_unit_test(pod_gang__names_the_group_that_the_workload_gives),
    };
    return cmocka_run_group_tests_name("objects", tests, setup, teardown);
}
