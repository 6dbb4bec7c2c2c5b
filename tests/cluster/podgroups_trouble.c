/* SPDX-License-Identifier: Apache-2.0 */
/* Pod groups where something is wrong: forged metadata, objects of somebody else, no CRD, no RBAC,
 * an API server that comes and goes, makers that end at any step, two makers at once. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "karta/patch.h"
#include "podgroups_world.h"

static struct world world;

static int setup(void **state)
{
    (void)state;
    world_init(&world);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_dispose(&world);
    return 0;
}

#define WORKERS "/spec/subGroups/1/minMember"
#define FAILED(reason) "karta_podgroups_failures_total{reason=\"" reason "\"}"
#define QUEUED "karta_podgroups_workloads{state=\"queued\"}"

static bool follows_jobsets(void)
{
    return podgroups_follow(world.makers[0].groups, "jobset.x-k8s.io", "JobSet");
}

static void podgroups__forged_and_copied_annotations_are_ignored(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    json_auto_t *copy = api_server_get(world.base.server, "jobsets", "ml", "train");
    json_t *metadata = json_object_get(copy, "metadata");
    json_object_set_new(metadata, "name", json_string("copy"));
    json_object_del(metadata, "uid");
    api_server_put_json(world.base.server, copy);
    /* a name that its hash does not fit is nobody's */
    world_create_jobset(&world, "u2", "forged", 2);
    KARTA_AUTO_TEXT right = world_group(&world, "jobsets", "forged");
    KARTA_AUTO_TEXT wrong = mem_format("%.*s00000000", (int)strlen(right) - 8, right);
    json_auto_t *forged = api_server_get(world.base.server, "jobsets", "ml", "forged");
    json_t *annotations = karta_pointer_get(forged, "/metadata/annotations");
    json_auto_t *gang = json_loads(
        json_string_value(json_object_get(annotations, "workloadmap.dev/gang")), 0, NULL);
    json_object_set_new(karta_pointer_get(gang, "/groups/0"), "name", json_string(wrong));
    KARTA_AUTO_TEXT text = json_dumps(gang, JSON_COMPACT | JSON_SORT_KEYS);
    json_object_set_new(annotations, "workloadmap.dev/gang", json_string(text));
    api_server_put_json(world.base.server, forged);
    KARTA_AUTO_TEXT train = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_has(&world, train));
    WAIT_FOR(world_has(&world, right));
    WAIT_FOR(world_counted(&world, QUEUED) == 0);
    assert_int_equal(api_server_count(world.base.server, "podgroups"), 2);
}

static void podgroups__a_foreign_one_is_left_alone(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    KARTA_AUTO_TEXT text =
        mem_format("{'apiVersion': 'scheduling.run.ai/v2alpha2', 'kind': 'PodGroup', 'metadata': "
                   "{'name': '%s', 'namespace': 'ml', 'ownerReferences': [{'apiVersion': 'v1', "
                   "'kind': 'Pod', 'name': 'x', 'uid': 'other'}]}, 'spec': {'minMember': 7}}",
                   name);
    api_server_put(world.base.server, text);
    json_auto_t *before = world_podgroup(&world, name);
    world_start(&world);
    WAIT_FOR(world_counted(&world, FAILED("foreign")) >= 3);
    json_auto_t *after = world_podgroup(&world, name);
    assert_json_equal(after, before);
    assert_int_equal(api_server_count(world.base.server, "events"), 1);
    assert_int_equal(world_logged(&world, "belongs to somebody else, so it is left alone"), 1);
    api_server_delete(world.base.server, "podgroups", "ml", name);
    WAIT_FOR(world_number(&world, name, WORKERS) == 2);
}

/* Taken by hand: never forced. */
static void podgroups__fields_that_somebody_took_stay_theirs(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_has(&world, name));
    json_auto_t *group = world_podgroup(&world, name);
    json_object_set_new(json_object_get(group, "spec"), "queue", json_string("by-hand"));
    api_server_put_json(world.base.server, group);
    world_change(&world, "jobsets", "train", "/metadata/labels/kai.scheduler~1queue", "'team-b'");
    WAIT_FOR(world_counted(&world, FAILED("conflict")) >= 2);
    assert_true(world_says(&world, name, "/spec/queue", "by-hand"));
    assert_int_equal(api_server_count(world.base.server, "events"), 1);
}

static void podgroups__a_missing_kind_is_said_once_and_waited_for(void **state)
{
    (void)state;
    api_server_forget_kind(world.base.server, "scheduling.run.ai", "v2alpha2", "PodGroup");
    for (int i = 0; i < 5; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        world_create_jobset(&world, name, name, 2);
    }
    world_start(&world);
    WAIT_FOR(world_counted(&world, "karta_podgroups_workloads{state=\"blocked\"}") == 5);
    size_t asked = api_server_asked(world.base.server, "get", "jobsets");
    WAIT_FOR(api_server_asked(world.base.server, "get", "/apis") > 5);
    assert_int_equal(api_server_asked(world.base.server, "get", "jobsets"), asked);
    assert_int_equal(world_logged(&world, "the cluster does not have their kind"), 1);
    api_server_kind(world.base.server, "scheduling.run.ai", "v2alpha2", "PodGroup", "podgroups",
                    true, true);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 5);
}

static void podgroups__kinds_come_and_go(void **state)
{
    (void)state;
    api_server_forget_kind(world.base.server, "jobset.x-k8s.io", "v1alpha2", "JobSet");
    world_start(&world);
    WAIT_FOR(podgroups_follow(world.makers[0].groups, "batch", "Job"));
    assert_false(follows_jobsets());
    api_server_kind(world.base.server, "jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", true,
                    true);
    world_create_jobset(&world, "u1", "train", 2);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 1);
    WAIT_FOR(follows_jobsets());
    api_server_forget_kind(world.base.server, "jobset.x-k8s.io", "v1alpha2", "JobSet");
    WAIT_FOR(!follows_jobsets());
}

static void podgroups__a_kind_that_may_not_be_watched_is_not_followed(void **state)
{
    (void)state;
    char text[256];
    api_server_fault(world.base.server, "list", "jobsets", API_FAULT_STATUS, 403, 0);
    world_start(&world);
    WAIT_FOR(!podgroups_wait(world.makers[0].groups, text, sizeof text));
    assert_false(follows_jobsets());
    assert_true(podgroups_follow(world.makers[0].groups, "batch", "Job"));
    assert_true(podgroups_follow(world.makers[0].groups, "", "Pod"));
    WAIT_FOR(world_counted(&world, "karta_podgroups_kinds{state=\"refused\"}") == 1);
    api_server_fault(world.base.server, "list", "jobsets", API_FAULT_NONE, 0, 0);
    WAIT_FOR(follows_jobsets());
    api_server_fault(world.base.server, "watch", "jobsets", API_FAULT_STATUS, 403, 0);
    api_server_end_watches(world.base.server);
    WAIT_FOR(!follows_jobsets());
    api_server_fault(world.base.server, "watch", "jobsets", API_FAULT_NONE, 0, 0);
    WAIT_FOR(follows_jobsets());
    world_create_jobset(&world, "u1", "train", 2);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 1);
}

static void podgroups__rights_taken_and_given_back(void **state)
{
    (void)state;
    static const struct {
        const char *verb, *plural;
    } rights[] = {{"get", "jobsets"}, {"get", "podgroups"}, {"patch", "podgroups"}};
    world_start(&world);
    for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%zu", i);
        long before = world_counted(&world, FAILED("refused"));
        api_server_fault(world.base.server, rights[i].verb, rights[i].plural, API_FAULT_STATUS, 403,
                         0);
        world_create_jobset(&world, name, name, 2);
        WAIT_FOR(world_counted(&world, FAILED("refused")) >= before + 3);
        WAIT_FOR(follows_jobsets() == (i > 0)); /* what can't be read isn't ganged */
        assert_int_equal(api_server_count(world.base.server, "podgroups"), i);
        api_server_fault(world.base.server, rights[i].verb, rights[i].plural, API_FAULT_NONE, 0, 0);
        WAIT_FOR(api_server_count(world.base.server, "podgroups") == i + 1);
    }
    assert_int_equal(api_server_count(world.base.server, "events"), 0);
    assert_int_equal(world_logged(&world, "pod groups not made"), 3);
}

/* Each is looked at then before it is written. */
static void podgroups__are_made_where_they_may_not_be_listed(void **state)
{
    (void)state;
    api_server_fault(world.base.server, "list", "podgroups", API_FAULT_STATUS, 403, 0);
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start(&world);
    WAIT_FOR(world_number(&world, name, WORKERS) == 2);
    world_change(&world, "jobsets", "train", "/metadata/labels/kai.scheduler~1queue", "'team-b'");
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-b"));
}

/* Ends a maker while a request of the kind hangs, is cut or is answered but not heard; the next one
 * makes it right. */
static void end_at(const char *verb, const char *plural, enum api_fault fault)
{
    static int count;
    KARTA_AUTO_TEXT name = mem_format("end-%d", count++);
    size_t asked = api_server_asked(world.base.server, verb, plural);
    api_server_fault(world.base.server, verb, plural, fault, 500, 0);
    world_create_jobset(&world, name, name, 2);
    world_start(&world);
    WAIT_FOR(api_server_asked(world.base.server, verb, plural) > asked);
    world_stop(&world);
    api_server_fault(world.base.server, verb, plural, API_FAULT_NONE, 0, 0);
    world_start(&world);
    KARTA_AUTO_TEXT group = world_group(&world, "jobsets", name);
    WAIT_FOR(world_number(&world, group, WORKERS) == 2);
    world_stop(&world);
}

static void podgroups__a_maker_may_end_at_any_step(void **state)
{
    (void)state;
    static const struct {
        const char *verb, *plural;
    } steps[] = {{"list", "jobsets"},   {"watch", "jobsets"},  {"get", "/apis"},
                 {"get", "jobsets"},    {"list", "podgroups"}, {"get", "podgroups"},
                 {"patch", "podgroups"}};
    static const enum api_fault faults[] = {API_FAULT_HANG,    API_FAULT_STALL, API_FAULT_CUT,
                                            API_FAULT_GARBAGE, API_FAULT_LIE,   API_FAULT_STATUS};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
            end_at(steps[i].verb, steps[i].plural, faults[k]);
    assert_int_equal(api_server_count(world.base.server, "podgroups"),
                     api_server_count(world.base.server, "jobsets"));
}

static void podgroups__outlive_the_api_server(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "first", 2);
    world_start(&world);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 1);
    api_server_die(world.base.server);
    world_create_jobset(&world, "u2", "second", 2);
    KARTA_AUTO_TEXT first = world_group(&world, "jobsets", "first");
    api_server_delete(world.base.server, "podgroups", "ml", first);
    api_server_return(world.base.server);
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 2);
}

static void podgroups__only_who_leads_writes(void **state)
{
    (void)state;
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    world_start_maker(&world, 0);
    WAIT_FOR(follows_jobsets());
    WAIT_FOR(api_server_watches(world.base.server, "jobsets") == 1);
    world_change(&world, "jobsets", "train", "/metadata/labels/kai.scheduler~1queue", "'team-b'");
    WAIT_FOR(api_server_asked(world.base.server, "get", "/apis") > 5);
    assert_int_equal(api_server_count(world.base.server, "podgroups"), 0);
    assert_int_equal(world_counted(&world, QUEUED), 0);
    atomic_store(&world.makers[0].leads, true);
    WAIT_FOR(world_says(&world, name, "/spec/queue", "team-b"));
}

/* Both believe that they lead, which two of one Lease never do for long. */
static void podgroups__two_makers_agree(void **state)
{
    (void)state;
    world_start(&world);
    atomic_store(&world.makers[1].leads, true);
    world_start_maker(&world, 1);
    for (int i = 0; i < 20; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        world_create_jobset(&world, name, name, 2);
    }
    WAIT_FOR(api_server_count(world.base.server, "podgroups") == 20);
    for (int i = 0; i < 20; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        world_change(&world, "jobsets", name, "/metadata/labels/kai.scheduler~1queue", "'team-b'");
    }
    for (int i = 0; i < 20; i++) {
        KARTA_AUTO_TEXT name = mem_format("train-%d", i);
        KARTA_AUTO_TEXT group = world_group(&world, "jobsets", name);
        WAIT_FOR(world_says(&world, group, "/spec/queue", "team-b"));
    }
    /* and then they are quiet */
    WAIT_FOR(world_counted(&world, QUEUED) == 0);
    world_stop(&world);
    assert_true(api_server_asked(world.base.server, "patch", "podgroups") <= 160);
    assert_int_equal(api_server_count(world.base.server, "podgroups"), 20);
}

static void podgroups__wait_for_a_profile_that_is_gone(void **state)
{
    (void)state;
    struct karta_snapshot *other = karta_snapshot_new();
    for (size_t i = 0; i < karta_snapshot_definitions(world.snapshot); i++) {
        size_t from = 0;
        karta_snapshot_adopt_origin(
            other, world.snapshot,
            karta_definition_origin(karta_snapshot_definition(world.snapshot, i)), &from);
    }
    size_t from = 0;
    const struct karta_profile *volcano = karta_snapshot_profile(world.snapshot, "volcano");
    karta_snapshot_adopt_origin(other, world.snapshot, karta_profile_origin(volcano), &from);
    world_create_jobset(&world, "u1", "train", 2);
    KARTA_AUTO_TEXT name = world_group(&world, "jobsets", "train");
    atomic_store(&world.in_force, other);
    world_start(&world);
    WAIT_FOR(world_counted(&world, FAILED("unresolved")) >= 1);
    assert_int_equal(world_logged(&world, "no profile \\\"kai\\\" is loaded"), 1);
    atomic_store(&world.in_force, world.snapshot);
    podgroups_wake(world.makers[0].groups);
    WAIT_FOR(world_has(&world, name));
    world_stop(&world);
    karta_snapshot_unref(other);
}

static pthread_mutex_t deleting = PTHREAD_MUTEX_INITIALIZER;
static bool armed;

/* Between the look at what stands there and the write; nobody writes meanwhile. */
static void delete_it(struct maker *maker)
{
    struct api_server *server = maker->world->base.server;
    pthread_mutex_lock(&deleting);
    if (armed && api_server_asked(server, "get", "podgroups") > 0) {
        armed = false;
        api_server_delete(server, "jobsets", "ml", "train");
        struct timespec pause = {.tv_sec = 2}; /* time for the watch to tell */
        nanosleep(&pause, NULL);
    }
    pthread_mutex_unlock(&deleting);
}

/* No garbage collector runs here: it is taken back at once. */
static void podgroups__nothing_is_left_of_a_workload_that_goes_meanwhile(void **state)
{
    (void)state;
    armed = true;
    world.before_write = delete_it;
    world_create_jobset(&world, "u1", "train", 2);
    world_start(&world);
    WAIT_FOR(world_counted(&world, "karta_podgroups_written_total{result=\"deleted\"}") == 1);
    assert_int_equal(api_server_count(world.base.server, "podgroups"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(podgroups__forged_and_copied_annotations_are_ignored),
        TEST(podgroups__a_foreign_one_is_left_alone),
        TEST(podgroups__fields_that_somebody_took_stay_theirs),
        TEST(podgroups__a_missing_kind_is_said_once_and_waited_for),
        TEST(podgroups__kinds_come_and_go),
        TEST(podgroups__a_kind_that_may_not_be_watched_is_not_followed),
        TEST(podgroups__rights_taken_and_given_back),
        TEST(podgroups__are_made_where_they_may_not_be_listed),
        TEST(podgroups__a_maker_may_end_at_any_step),
        TEST(podgroups__outlive_the_api_server),
        TEST(podgroups__only_who_leads_writes),
        TEST(podgroups__two_makers_agree),
        TEST(podgroups__wait_for_a_profile_that_is_gone),
        TEST(podgroups__nothing_is_left_of_a_workload_that_goes_meanwhile),
    };
    return cmocka_run_group_tests_name("podgroups_trouble", tests, NULL, NULL);
}
