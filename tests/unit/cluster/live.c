/* SPDX-License-Identifier: Apache-2.0 */
/* What the cluster's objects make of a snapshot: who wins, what is shared, what is told. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "support.h"

static struct log quiet;
static struct live *live;
static struct karta_snapshot *files, *now;
static int notified, version;
static char told[4096]; /* "origin: problem\n" of each report */

static void on_notify(void *arg)
{
    (void)arg;
    notified++;
}

static void on_report(void *arg, const char *origin, const char *problem,
                      enum karta_severity severity)
{
    (void)arg;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s%s: %s\n",
             severity == KARTA_REFUSAL ? "" : "(flaw) ", origin, problem);
}

static char *karta_text(const char *name, const char *kind, const char *replicas)
{
    return mem_format(
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': '%s', "
        "'annotations': {'workloadmap.dev/plural': 'trains'}}, 'spec': {'structureDefinition': "
        "{'rootComponent': {'name': 'train', 'kind': {'group': 'example.org', 'version': 'v1', "
        "'kind': '%s'}, 'specDefinition': {'podTemplateSpecPath': '.spec.template'}, "
        "'scaleDefinition': {'replicasPath': '%s'}, 'statusDefinition': {'phaseDefinition': "
        "{'path': '.status.phase'}, 'statusMappings': {'running': [{'byPhase': "
        "'Running'}]}}}}}}",
        name, kind, replicas);
}

/* Another resourceVersion each time. */
static json_t *karta(const char *name, const char *kind, const char *replicas, const char *created)
{
    KARTA_AUTO_TEXT quoted = karta_text(name, kind, replicas);
    json_t *object = test_json(quoted), *metadata = json_object_get(object, "metadata");
    char number[16];
    snprintf(number, sizeof number, "%d", ++version);
    json_object_set_new(metadata, "creationTimestamp", json_string(created));
    json_object_set_new(metadata, "resourceVersion", json_string(number));
    json_object_set_new(metadata, "generation", json_integer(1));
    return object;
}

static json_t *profile(const char *name, const char *scheduler)
{
    KARTA_AUTO_TEXT text =
        mem_format("{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'GangProfile', 'metadata': "
                   "{'name': '%s', 'resourceVersion': '7'}, 'spec': {'schedulerName': '%s', "
                   "'podTemplate': {'labels': {'example.org/gang': '.podGroup.name'}}}}",
                   name, scheduler);
    return test_json(text);
}

static json_t *policy(const char *name)
{
    KARTA_AUTO_TEXT text =
        mem_format("{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'WorkloadPolicy', "
                   "'metadata': {'name': '%s'}, 'spec': {'validations': [{'expression': "
                   "'.totals.gpus <= 8', 'message': 'too many'}]}}",
                   name);
    return test_json(text);
}

/* Events; the object is taken. */
static void changed(enum live_kind kind, json_t *object)
{
    struct reflector_handler handler = live_handler(live, kind);
    handler.changed(handler.arg, object);
    json_decref(object);
}

static void gone(enum live_kind kind, json_t *object)
{
    struct reflector_handler handler = live_handler(live, kind);
    handler.gone(handler.arg, object);
    json_decref(object);
}

/* A whole list of at most two. */
static void list(enum live_kind kind, json_t *one, json_t *other)
{
    struct reflector_handler handler = live_handler(live, kind);
    handler.begin(handler.arg);
    if (one != NULL)
        handler.present(handler.arg, one);
    if (other != NULL)
        handler.present(handler.arg, other);
    handler.end(handler.arg);
    json_decref(one);
    json_decref(other);
}

static void compose_last(const char *last)
{
    struct karta_snapshot *made = NULL;
    told[0] = '\0';
    assert_int_equal(live_compose(live, files, last, on_report, NULL, &made, NULL), 0);
    karta_snapshot_unref(now);
    now = made;
}

static void compose(void)
{
    compose_last(NULL);
}

static const char *origin_of(const char *kind)
{
    const struct karta_definition *found = karta_snapshot_find(now, "example.org", "v1", kind);
    return found != NULL ? karta_definition_origin(found) : "";
}

/* One file with a definition of kind Train and a profile. */
static int setup(void **state)
{
    (void)state;
    notified = 0;
    quiet = (struct log){.fd = memfd_create("log", MFD_CLOEXEC), .level = LOG_LEVEL_DEBUG};
    live = live_new(&quiet, on_notify, NULL);
    files = karta_snapshot_new();
    json_t *object = karta("of-a-file", "Train", "1", "");
    json_t *other = profile("mine", "of-a-file");
    char *text = json_dumps(object, 0), *profile_text = json_dumps(other, 0);
    assert_int_equal(karta_snapshot_load(files, text, strlen(text), "train.yaml", NULL, NULL), 0);
    assert_int_equal(
        karta_snapshot_load(files, profile_text, strlen(profile_text), "mine.yaml", NULL, NULL), 0);
    free(text);
    free(profile_text);
    json_decref(object);
    json_decref(other);
    return live != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    karta_snapshot_unref(now);
    now = NULL;
    karta_snapshot_unref(files);
    live_free(live);
    close(quiet.fd);
    return 0;
}

static size_t logged(const char *text)
{
    static char all[65536];
    size_t count = 0;
    ssize_t size = pread(quiet.fd, all, sizeof all - 1, 0);
    assert_true(size >= 0);
    all[size] = '\0';
    for (const char *at = all; (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

static void compose__older_wins_and_the_deleted_one_loses(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("b", "Train", "2", "2026-01-02T00:00:00Z"));
    changed(LIVE_KARTAS, karta("c", "Train", "2", "2026-01-01T00:00:00Z"));
    changed(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-02T00:00:00Z"));
    compose();
    assert_string_equal(origin_of("Train"), "cluster:c");
    json_t *leaving = karta("c", "Train", "2", "2026-01-01T00:00:00Z");
    json_object_set_new(json_object_get(leaving, "metadata"), "deletionTimestamp",
                        json_string("2026-01-03T00:00:00Z"));
    changed(LIVE_KARTAS, leaving);
    compose();
    assert_string_equal(origin_of("Train"), "cluster:a"); /* of one age: the earlier name */
}

static void compose__removal_restores_the_file(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"));
    compose();
    assert_string_equal(origin_of("Train"), "cluster:a");
    gone(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"));
    assert_int_equal(notified, 2);
    compose();
    assert_string_equal(origin_of("Train"), "train.yaml");
    assert_ptr_equal(karta_snapshot_find(now, "example.org", "v1", "Train"),
                     karta_snapshot_find(files, "example.org", "v1", "Train"));
}

static void compose__a_bad_object_is_told_once_and_skipped(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("bad", "Train", "(1", "2026-01-01T00:00:00Z"));
    changed(LIVE_KARTAS, karta("good", "Plane", "1", "2026-01-01T00:00:00Z"));
    compose();
    assert_string_equal(origin_of("Train"), "train.yaml");
    assert_string_equal(origin_of("Plane"), "cluster:good");
    assert_string_equal(
        told, "cluster:bad: spec.structureDefinition.rootComponent.scaleDefinition."
              "replicasPath: the \"(\" that opens here is never closed, at column 1 of `(1`\n");
    assert_int_equal(karta_problems_refusals(karta_snapshot_problems(now, "cluster:bad")), 1);
    compose();
    assert_string_equal(told, "");
    changed(LIVE_KARTAS, karta("bad", "Train", "1", "2026-01-01T00:00:00Z"));
    compose();
    assert_string_equal(origin_of("Train"), "cluster:bad");
}

/* As the API server shows old objects after their schema has changed, or a CRD without one. */
static void compose__objects_without_a_spec(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, test_json("{'metadata': {'name': 'empty'}}"));
    changed(LIVE_PROFILES,
            test_json("{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'GangProfile', "
                      "'metadata': {'name': 'empty'}}"));
    changed(LIVE_POLICIES,
            test_json("{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'WorkloadPolicy', "
                      "'metadata': {'name': 'empty'}, 'spec': 7}"));
    changed(LIVE_KARTAS, test_json("{'metadata': {'name': 7}}"));
    changed(LIVE_KARTAS, test_json("{'metadata': []}"));
    changed(LIVE_KARTAS, test_json("{}"));
    compose();
    assert_string_equal(origin_of("Train"), "train.yaml");
    assert_true(karta_problems_refusals(karta_snapshot_problems(now, "cluster:empty")) > 0);
    assert_int_equal(karta_snapshot_count(now, "failed"), 3);
}

static void compose__what_did_not_change_is_shared(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"));
    changed(LIVE_KARTAS, karta("b", "Plane", "2", "2026-01-01T00:00:00Z"));
    compose();
    const struct karta_definition *train = karta_snapshot_find(now, "example.org", "v1", "Train");
    const struct karta_definition *plane = karta_snapshot_find(now, "example.org", "v1", "Plane");
    changed(LIVE_KARTAS, karta("b", "Plane", "3", "2026-01-01T00:00:00Z"));
    changed(LIVE_KARTAS, karta("0", "Ship", "3", "2026-01-03T00:00:00Z"));
    struct karta_snapshot *before = karta_snapshot_ref(now); /* or its memory is used again */
    compose();
    assert_ptr_equal(karta_snapshot_find(now, "example.org", "v1", "Train"), train);
    assert_ptr_not_equal(karta_snapshot_find(now, "example.org", "v1", "Plane"), plane);
    assert_string_equal(origin_of("Ship"), "cluster:0");
    karta_snapshot_unref(before);
}

static void changed__status_and_labels_stir_nothing(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"));
    assert_int_equal(notified, 1);
    compose();
    json_t *object = karta("a", "Train", "2", "2026-01-01T00:00:00Z");
    json_t *metadata = json_object_get(object, "metadata");
    json_object_set_new(metadata, "labels", test_json("{'a': 'b'}"));
    json_object_set_new(metadata, "managedFields", test_json("[{'manager': 'x'}]"));
    json_object_set_new(json_object_get(metadata, "annotations"),
                        "kubectl.kubernetes.io/last-applied-configuration", json_string("{}"));
    json_object_set_new(object, "status",
                        test_json("{'conditions': [{'type': 'Ready', 'status': 'True'}, {'type': "
                                  "'Others', 'status': 'True'}]}"));
    changed(LIVE_KARTAS, object);
    assert_int_equal(notified, 1);
    json_t *kartas = live_kartas(live, now);
    json_t *expected = test_json("[{'metadata': {'name': 'a', 'generation': 1}, 'spec': "
                                 "{'structureDefinition': {'rootComponent': {'kind': {'group': "
                                 "'example.org', 'version': 'v1', 'kind': 'Train'}}}}, 'status': "
                                 "{'conditions': [{'type': 'Ready', 'status': 'True'}]}}]");
    assert_json_equal(kartas, expected);
    json_decref(kartas);
    json_decref(expected);
    json_t *annotated = karta("a", "Train", "2", "2026-01-01T00:00:00Z");
    json_object_set_new(json_object_get(json_object_get(annotated, "metadata"), "annotations"),
                        "workloadmap.dev/plural", json_string("trainz"));
    changed(LIVE_KARTAS, annotated);
    assert_int_equal(notified, 2);
}

/* What a snapshot knows of a Karta is not about what the Karta is now. */
static void kartas__only_as_the_snapshot_has_them(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"));
    changed(LIVE_KARTAS, karta("b", "Plane", "2", "2026-01-01T00:00:00Z"));
    compose();
    changed(LIVE_KARTAS, karta("a", "Train", "(", "2026-01-01T00:00:00Z"));
    json_t *kartas = live_kartas(live, now);
    assert_int_equal(json_array_size(kartas), 1);
    json_decref(kartas);
    struct karta_snapshot *before = karta_snapshot_ref(now);
    compose();
    kartas = live_kartas(live, before);
    assert_int_equal(json_array_size(kartas), 0);
    json_decref(kartas);
    kartas = live_kartas(live, now);
    assert_int_equal(json_array_size(kartas), 2);
    json_decref(kartas);
    karta_snapshot_unref(before);
}

static void list__drops_what_is_gone(void **state)
{
    (void)state;
    list(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"),
         karta("b", "Plane", "2", "2026-01-01T00:00:00Z"));
    assert_int_equal(notified, 1);
    compose();
    list(LIVE_KARTAS, karta("b", "Plane", "2", "2026-01-01T00:00:00Z"), NULL);
    assert_int_equal(notified, 2);
    compose();
    assert_string_equal(origin_of("Train"), "train.yaml");
    assert_string_equal(origin_of("Plane"), "cluster:b");
    list(LIVE_KARTAS, karta("b", "Plane", "2", "2026-01-01T00:00:00Z"), NULL);
    assert_int_equal(notified, 2);
}

/* What the broken list had named must not count as seen by the next. */
static void list__that_is_begun_again(void **state)
{
    (void)state;
    struct reflector_handler handler = live_handler(live, LIVE_KARTAS);
    list(LIVE_KARTAS, karta("a", "Train", "2", "2026-01-01T00:00:00Z"), NULL);
    json_t *object = karta("a", "Train", "2", "2026-01-01T00:00:00Z");
    handler.begin(handler.arg);
    handler.present(handler.arg, object);
    list(LIVE_KARTAS, NULL, NULL);
    json_decref(object);
    compose();
    assert_string_equal(origin_of("Train"), "train.yaml");
}

static void live__is_whole_once_every_kind_was_listed(void **state)
{
    (void)state;
    assert_false(live_is_whole(live));
    list(LIVE_KARTAS, NULL, NULL);
    list(LIVE_PROFILES, NULL, NULL);
    assert_false(live_is_whole(live));
    list(LIVE_POLICIES, NULL, NULL);
    assert_true(live_is_whole(live));
    assert_int_equal(notified, 3);
}

static void compose__one_name_in_every_kind(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("x", "Train", "2", "2026-01-01T00:00:00Z"));
    changed(LIVE_PROFILES, profile("x", "one"));
    changed(LIVE_POLICIES, policy("x"));
    compose();
    assert_string_equal(told, "");
    assert_string_equal(origin_of("Train"), "cluster:x");
    assert_string_equal(karta_profile_origin(karta_snapshot_profile(now, "x")),
                        "cluster:gangprofiles/x");
    assert_non_null(karta_snapshot_problems(now, "cluster:workloadpolicies/x"));
    json_t *all = karta_snapshot_list(now);
    live_describe(live, all);
    json_t *entry = json_array_get(all, json_array_size(all) - 2);
    assert_string_equal(json_string_value(json_object_get(entry, "origin")),
                        "cluster:gangprofiles/x");
    assert_string_equal(json_string_value(json_object_get(entry, "version")), "7");
    json_decref(all);
    gone(LIVE_POLICIES, policy("x"));
    gone(LIVE_PROFILES, profile("x", "one"));
    compose();
    assert_string_equal(origin_of("Train"), "cluster:x");
    assert_null(karta_snapshot_profile(now, "x"));
}

static void compose__the_profile_file_has_the_last_word(void **state)
{
    (void)state;
    changed(LIVE_PROFILES, profile("mine", "of-the-cluster"));
    compose();
    assert_string_equal(karta_profile_origin(karta_snapshot_profile(now, "mine")),
                        "cluster:gangprofiles/mine");
    compose_last("mine.yaml");
    assert_string_equal(karta_profile_origin(karta_snapshot_profile(now, "mine")), "mine.yaml");
}

static void limits__of_objects_are_said_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LIVE_OBJECTS + 2; i++) {
        KARTA_AUTO_TEXT name = mem_format("n%u", i);
        KARTA_AUTO_TEXT text = mem_format("{'metadata': {'name': '%s'}, 'spec': {}}", name);
        changed(LIVE_KARTAS, test_json(text));
    }
    assert_int_equal(notified, LIVE_OBJECTS);
    assert_int_equal(logged("an object of the cluster is not taken"), 1);
    assert_int_equal(logged("name=n5000 problem=\"there are too many\""), 1);
    gone(LIVE_KARTAS, test_json("{'metadata': {'name': 'n0'}}"));
    changed(LIVE_KARTAS, karta("late", "Train", "1", "2026-01-01T00:00:00Z"));
    assert_int_equal(notified, LIVE_OBJECTS + 2);
}

static json_t *large(const char *name, size_t size)
{
    json_t *object = karta(name, "Train", "1", "2026-01-01T00:00:00Z");
    char *text = calloc(1, size + 1);
    memset(text, 'x', size);
    json_object_set_new(json_object_get(object, "spec"), "note", json_string(text));
    free(text);
    return object;
}

/* Its version before is not what the cluster has: the file's is better than a wrong one. */
static void limits__of_one_object_and_of_all(void **state)
{
    (void)state;
    changed(LIVE_KARTAS, karta("a", "Train", "1", "2026-01-01T00:00:00Z"));
    changed(LIVE_KARTAS, large("a", LIVE_OBJECT_BYTES));
    compose();
    assert_string_equal(origin_of("Train"), "train.yaml");
    assert_int_equal(logged("name=a problem=\"it is larger than 4 MiB\""), 1);
    int before = notified;
    for (int i = 0; i < 33; i++) {
        KARTA_AUTO_TEXT name = mem_format("n%d", i);
        changed(LIVE_POLICIES, large(name, LIVE_BYTES / 32));
    }
    assert_int_equal(notified, before + 31);
    assert_int_equal(logged("is not taken"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compose__older_wins_and_the_deleted_one_loses),
        TEST(compose__removal_restores_the_file),
        TEST(compose__a_bad_object_is_told_once_and_skipped),
        TEST(compose__objects_without_a_spec),
        TEST(compose__what_did_not_change_is_shared),
        TEST(changed__status_and_labels_stir_nothing),
        TEST(kartas__only_as_the_snapshot_has_them),
        TEST(list__drops_what_is_gone),
        TEST(list__that_is_begun_again),
        TEST(live__is_whole_once_every_kind_was_listed),
        TEST(compose__one_name_in_every_kind),
        TEST(compose__the_profile_file_has_the_last_word),
        TEST(limits__of_objects_are_said_once),
        TEST(limits__of_one_object_and_of_all),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
