/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for every workload, definition and profile. KARTA_PROPERTY_ROUNDS and
 * KARTA_PROPERTY_SEED choose how many and which; a failure prints what it takes to see it again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gang_make.h"
#include "karta/engine.h"
#include "karta/mutate.h"
#include "karta/objects.h"
#include "karta/patch.h"
#include "support.h"

#define GANG "workloadmap.dev/gang"

static struct karta_snapshot *snapshot;
static json_t *corpus, *seen; /* seen: pod group's name -> whose it is */
static unsigned long long seed = 20240817;
static size_t ganged, restored;

/* One workload's way through the test. */
struct life {
    size_t round;
    const char *profile, *ns;
    char uid[32];
    json_t *original, *stored;
};

static void die(const struct life *life, const char *what, const json_t *detail)
{
    KARTA_AUTO_TEXT original = json_dumps(life->original, JSON_INDENT(1));
    KARTA_AUTO_TEXT text =
        detail != NULL ? json_dumps(detail, JSON_INDENT(1) | JSON_ENCODE_ANY) : NULL;
    fprintf(stderr,
            "%s\nKARTA_PROPERTY_SEED=%llu, round %zu, profile %s, namespace %s\n%s\nof %s\n", what,
            seed, life->round, life->profile, life->ns, text != NULL ? text : "", original);
    fail();
}

static struct karta_mutate_options options_of(const struct life *life)
{
    return (struct karta_mutate_options){
        .profile = life->profile, .ns = life->ns, .uid = life->uid};
}

/* What a CREATE (old NULL) or UPDATE makes of `object`, new; NULL where there is no patch. */
static json_t *pass(const struct life *life, const json_t *object, const json_t *old)
{
    struct karta_mutate_options options = options_of(life);
    struct karta_mutation mutation = {0};
    struct karta_error err = {0};
    json_t *result = NULL;
    int code = old == NULL ? karta_mutate_create(snapshot, object, &options, &mutation, &err)
                           : karta_mutate_update(snapshot, object, old, &options, &mutation, &err);
    if ((code != 0 && old == NULL) || mutation.denial != NULL)
        assert_null(mutation.patch); /* no half patch */
    if (mutation.patch != NULL && karta_patch_apply(object, mutation.patch, &result, &err) != 0)
        die(life, err.message, mutation.patch);
    karta_mutation_dispose(&mutation);
    return result;
}

static void assert_settled(const struct life *life, const json_t *object, const json_t *old)
{
    json_auto_t *again = pass(life, object, old);
    if (again != NULL)
        die(life, "a second pass changes it again", again);
}

static const char *annotation(const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    return json_string_value(json_object_get(json_object_get(metadata, "annotations"), GANG));
}

static json_t *memory_of(const json_t *object)
{
    const char *text = annotation(object);
    return text != NULL ? json_loads(text, 0, NULL) : NULL;
}

/* Keys that some profile writes, or that are ours; anything else is the user's. */
static bool may_write(const char *key)
{
    static const char *const keys[] = {"schedulerName",
                                       "podGroupName",
                                       "pod-group-name",
                                       "scheduling.k8s.io/group-name",
                                       "scheduling.x-k8s.io/pod-group",
                                       "volcano.sh/task-spec"};
    static const char *const prefixes[] = {"workloadmap.dev/", "kai.scheduler/", "kueue.x-k8s.io/",
                                           "yunikorn.apache.org/"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool only_ours(const char *key, const json_t *before, const json_t *after);

static bool only_ours_object(const json_t *before, const json_t *after)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)before, key, value)
    {
        if (json_object_get(after, key) == NULL)
            return false;
    }
    json_object_foreach((json_t *)after, key, value)
    {
        if (!only_ours(key, json_object_get(before, key), value))
            return false;
    }
    return true;
}

/* True where all that tells `after` from `before` is keys of ours. */
static bool only_ours(const char *key, const json_t *before, const json_t *after)
{
    bool nothing = before == NULL || json_is_null(before);
    if (before != NULL && json_equal((json_t *)before, (json_t *)after))
        return true;
    if (json_is_object(after) && (nothing || json_is_object(before)))
        return (json_object_size(after) > 0 || nothing) && only_ours_object(before, after);
    if (json_is_array(after) && json_array_size(after) == json_array_size(before)) {
        for (size_t i = 0; i < json_array_size(after); i++)
            if (!only_ours("", json_array_get(before, i), json_array_get(after, i)))
                return false;
        return true;
    }
    return may_write(key) && !json_is_array(after);
}

static void assert_only_ours(const struct life *life, const json_t *before, const json_t *after)
{
    if (!only_ours("", before, after))
        die(life, "something else than our keys has changed", after);
}

static bool is_dns_label(const char *text)
{
    size_t size = text != NULL ? strlen(text) : 0;
    return size > 0 && size <= 63 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == size && text[0] != '-' &&
           text[size - 1] != '-';
}

/* A name is given once: to this object, of this admission. */
static void assert_name(const struct life *life, const json_t *memory, const char *name)
{
    json_auto_t *owner =
        json_pack("[O, O]", json_object_get(memory, "for"), json_object_get(memory, "nonce"));
    const json_t *other = json_object_get(seen, name);
    if (!is_dns_label(name))
        die(life, "a group's name is no DNS label", memory);
    if (other != NULL && !json_equal((json_t *)other, owner))
        die(life, "two workloads share a pod group", other);
    json_object_set(seen, name, owner);
}

/* A group that has subgroups starts with the sum of theirs, and with no more pods than it has. */
static void assert_sums(const struct life *life, const json_t *group)
{
    const json_t *subgroups = json_object_get(group, "subGroups");
    json_int_t least = json_integer_value(json_object_get(group, "minMember")), sum = 0;
    for (size_t s = 0; s < json_array_size(subgroups); s++)
        sum += json_integer_value(json_object_get(json_array_get(subgroups, s), "minMember"));
    if (least > json_integer_value(json_object_get(group, "pods")) ||
        (subgroups != NULL && least != sum))
        die(life, "a minimum is no sum, or out of reach", group);
}

static void assert_names(const struct life *life, const json_t *object)
{
    json_auto_t *memory = memory_of(object);
    const json_t *groups = json_object_get(memory, "groups");
    if (memory == NULL)
        die(life, "a ganged object remembers nothing", object);
    for (size_t g = 0; g < json_array_size(groups); g++) {
        const json_t *group = json_array_get(groups, g);
        const json_t *subgroups = json_object_get(group, "subGroups");
        json_auto_t *own = json_object();
        assert_sums(life, group);
        if (!json_is_true(json_object_get(group, "perReplica")))
            assert_name(life, memory, json_string_value(json_object_get(group, "name")));
        for (size_t s = 0; s < json_array_size(subgroups); s++) {
            const char *name =
                json_string_value(json_object_get(json_array_get(subgroups, s), "name"));
            if (!is_dns_label(name) || json_object_get(own, name) != NULL)
                die(life, "a subgroup's name is no DNS label, or there twice", group);
            json_object_set_new(own, name, json_true());
        }
    }
}

/* Every object of the groups is of a group that is remembered. */
static void assert_objects(const struct life *life)
{
    const struct karta_object_options options = {.ns = life->ns};
    struct karta_objects objects = {0};
    struct karta_error err = {0};
    const char *text = annotation(life->stored);
    if (karta_group_objects(snapshot, life->stored, &options, &objects, &err) != 0)
        die(life, err.message, life->stored);
    for (size_t i = 0; i < json_array_size(objects.objects); i++) {
        const json_t *metadata = json_object_get(json_array_get(objects.objects, i), "metadata");
        const char *name = json_string_value(json_object_get(metadata, "name"));
        KARTA_AUTO_TEXT quoted = mem_format("\"name\":\"%s\"", name);
        if (strstr(text, quoted) == NULL)
            die(life, "an object is of no group", objects.objects);
    }
    karta_objects_dispose(&objects);
}

/* A gang of the user's own making is nothing. */
static void assert_forged(const struct life *life)
{
    json_auto_t *forged = json_deep_copy(life->stored);
    json_auto_t *theirs = memory_of(life->stored);
    json_t *metadata = json_object_get(forged, "metadata");
    json_object_set_new(theirs, "nonce", json_string("00000000"));
    json_object_set_new(theirs, "groups", json_array());
    KARTA_AUTO_TEXT text = json_dumps(theirs, 0);
    json_object_set_new(json_object_get(metadata, "annotations"), GANG, json_string(text));
    json_object_set_new(json_object_get(metadata, "labels"), "workloadmap.dev/profile",
                        json_string("another"));
    json_auto_t *updated = pass(life, forged, life->stored);
    if (updated == NULL || !json_equal(updated, life->stored))
        die(life, "a forged gang was believed", updated);
}

/* The user applies the same file again. */
static void assert_restored(const struct life *life)
{
    json_auto_t *updated = pass(life, life->original, life->stored);
    if (updated == NULL || !json_equal(updated, life->stored))
        die(life, "an update with the user's file gives another object", updated);
    assert_settled(life, life->stored, life->stored);
    assert_forged(life);
    restored++;
}

/* Whether the same pod specs name a scheduler. */
static bool same_schedulers(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    const json_t *mine = json_object_get(a, "schedulerName"),
                 *other = json_object_get(b, "schedulerName");
    if (a == NULL || b == NULL)
        return a == b;
    if (json_typeof(a) != json_typeof(b))
        return true; /* null, where another group needs no labels */
    if (json_array_size(a) != json_array_size(b))
        return false;
    if ((mine == NULL) != (other == NULL) || (mine != NULL && !json_equal(mine, other)))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!same_schedulers(json_array_get(a, i), json_array_get(b, i)))
            return false;
    json_object_foreach((json_t *)a, key, value)
    {
        const json_t *there = json_object_get(b, key);
        if (there != NULL && !same_schedulers(value, there))
            return false;
    }
    return true;
}

/* A template that is added later gets what it would have got at the start. */
static void assert_new_templates(const struct life *life, const json_t *changed,
                                 const json_t *updated)
{
    json_auto_t *created = pass(life, changed, NULL);
    if (created != NULL &&
        !same_schedulers(json_object_get(created, "spec"), json_object_get(updated, "spec")))
        die(life, "an update gangs other templates than a creation", updated);
}

/* Instances come and go; names, nonce and profile stay. */
static void assert_changed(struct life *life, struct dice *dice)
{
    json_auto_t *changed = json_deep_copy(life->original);
    change_instances(dice, changed);
    json_auto_t *updated = pass(life, changed, life->stored);
    json_auto_t *before = memory_of(life->stored), *after = memory_of(updated);
    if (updated == NULL)
        die(life, "an update that dropped the gang got nothing back", changed);
    static const char *const frozen[] = {"for", "nonce", "profile", "queue"};
    for (size_t i = 0; i < 4; i++) {
        json_t *then = json_object_get(before, frozen[i]);
        if (then != NULL && !json_equal(then, json_object_get(after, frozen[i])))
            die(life, "an update changed what is frozen", after);
    }
    assert_only_ours(life, changed, updated);
    assert_new_templates(life, changed, updated);
    assert_names(life, updated);
    assert_settled(life, updated, life->stored);
    assert_settled(life, updated, updated);
}

/* Somebody copies the ganged object; `submitted` says how it can be told. */
static void assert_copied(const struct life *life, struct dice *dice)
{
    struct life other = *life;
    json_auto_t *copy = json_deep_copy(life->stored);
    json_t *metadata = json_object_get(copy, "metadata");
    if (chance(dice, 2))
        json_object_set_new(metadata, "managedFields",
                            json_pack("[{s:{s:{s:{s:{}}}}}]", "fieldsV1", "f:metadata",
                                      "f:annotations", "f:" GANG));
    else
        other.ns = "elsewhere";
    snprintf(other.uid, sizeof other.uid, "copy-%zu", life->round);
    json_auto_t *created = pass(&other, copy, NULL);
    json_auto_t *theirs = memory_of(life->stored), *own = memory_of(created);
    if (created == NULL)
        die(life, "a copy kept the gang of another", copy);
    if (json_equal(json_object_get(theirs, "nonce"), json_object_get(own, "nonce")))
        die(life, "a copy has the nonce of another", created);
    assert_names(&other, created);
    assert_settled(&other, created, created);
    KARTA_AUTO_TEXT text = json_dumps(created, 0);
    const json_t *groups = json_object_get(theirs, "groups");
    for (size_t g = 0; g < json_array_size(groups); g++) {
        const char *name = json_string_value(json_object_get(json_array_get(groups, g), "name"));
        if (name != NULL && strstr(text, name) != NULL)
            die(life, "a copy is in the pod group of another", created);
    }
}

static void live(struct life *life, struct dice *dice)
{
    life->stored = pass(life, life->original, NULL);
    if (life->stored == NULL)
        return;
    ganged++;
    assert_only_ours(life, life->original, life->stored);
    assert_settled(life, life->stored, NULL);
    assert_settled(life, life->stored, life->original); /* an update never gangs */
    assert_names(life, life->stored);
    assert_objects(life);
    assert_restored(life);
    assert_changed(life, dice);
    assert_copied(life, dice);
}

static size_t number_of(const char *variable, size_t otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? (size_t)strtoull(text, NULL, 10) : otherwise;
}

static void gang__keeps_its_promises_all_its_life(void **state)
{
    (void)state;
    static const char *const profiles[] = {"kai",     "kai-native",   "kueue",    "kueue-pods",
                                           "volcano", "coscheduling", "yunikorn", "native"};
    static const char *const namespaces[] = {"ml", "ml-2", "default"};
    size_t rounds = number_of("KARTA_PROPERTY_ROUNDS", 2000);
    seed = number_of("KARTA_PROPERTY_SEED", (size_t)seed);
    struct dice dice = {seed * 0x9E3779B97F4A7C15U | 1U};
    for (size_t round = 0; round < rounds; round++) {
        struct life life = {
            .round = round, .profile = profiles[roll(&dice, 8)], .ns = namespaces[roll(&dice, 3)]};
        const json_t *object = json_array_get(corpus, roll(&dice, json_array_size(corpus)));
        life.original = make_workload(&dice, object);
        /* the API server never repeats one; what else tells names apart holds even so */
        bool prefix =
            json_object_get(json_object_get(life.original, "metadata"), "generateName") != NULL;
        snprintf(life.uid, sizeof life.uid, "uid-%zu", prefix || chance(&dice, 2) ? round : 0);
        live(&life, &dice);
        json_decref(life.original);
        json_decref(life.stored);
    }
    print_message("%zu rounds, %zu ganged\n", rounds, ganged);
    assert_true(ganged * 4 > rounds);
    assert_int_equal(restored, ganged);
}

static int set_up(void **state)
{
    (void)state;
    snapshot = test_snapshot();
    corpus = make_corpus();
    seen = json_object();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    karta_snapshot_unref(snapshot);
    json_decref(corpus);
    json_decref(seen);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gang__keeps_its_promises_all_its_life)};
    if (karta_engine_init(NULL) != 0)
        return 2;
    int code = cmocka_run_group_tests(tests, set_up, tear_down);
    karta_engine_shutdown();
    return code;
}
