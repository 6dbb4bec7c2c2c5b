/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every field of a policy that states them all, replaced by a value of each JSON type and left out:
 * nothing crashes, a wrong type is refused where it stands, and what is accepted can be asked.
 * Since compiling is what costs, every SAMPLE-th accepted variant is asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/mutate.h"
#include "karta/policy.h"
#include "policy.h"
#include "schema.h"
#include "support.h"

#define SAMPLE 3

static const char everything[] =
    "{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'WorkloadPolicy',"
    " 'metadata': {'name': 'p', 'labels': {'a': 'b'}}, 'spec': {"
    " 'matchConstraints': {'namespaces': ['m*'], 'excludeNamespaces': ['x-*'],"
    "  'kinds': [{'group': 'jobset.x-k8s.io', 'kind': '*'}], 'operations': ['CREATE', 'UPDATE'],"
    "  'objectSelector': {'matchLabels': {'team': 'a'}, 'matchExpressions':"
    "   [{'key': 'team', 'operator': 'In', 'values': ['a', 'b']}, {'key': 'x', 'operator':"
    "    'DoesNotExist'}]}},"
    " 'matchConditions': [{'name': 'c', 'expression': '.totals.gpus > 0'}],"
    " 'validations': [{'expression': '.totals.gpus <= 8', 'message': 'm', 'messageExpression':"
    "  '.workload.name'}],"
    " 'validationActions': ['Warn', 'Audit'], 'failurePolicy': 'Fail', 'exemptUsers': ['u-*'],"
    " 'defaults': {'queue': 'q', 'priorityClassName': 'high'}}}";

static const char *const replacements[] = {"\"x\"", "\"\"", "0",      "-1", "3.5",       "true",
                                           "null",  "[]",   "[null]", "{}", "{\"a\":1}", NULL};

struct walk {
    json_t *document, *object;
    struct karta_snapshot *snapshot;
    size_t variants, accepted, asked;
};

static void ask(struct walk *walk)
{
    KARTA_AUTO_TEXT text = json_dumps(walk->document, 0);
    const struct karta_request request = {
        .operation = "CREATE", .ns = "ml", .object = walk->object, .budget_ms = 60000};
    const struct karta_mutate_options options = {
        .profile = "kai", .ns = "ml", .uid = "u", .gang_all = true};
    struct karta_verdict verdict = {0};
    struct karta_mutation mutation = {0};
    assert_int_equal(karta_snapshot_load(walk->snapshot, text, strlen(text), "walk", NULL, NULL),
                     0);
    assert_true(karta_policy_count(walk->snapshot) > 0);
    assert_int_equal(karta_policies_ask(walk->snapshot, &request, &verdict, NULL), 0);
    assert_int_equal(karta_mutate_create(walk->snapshot, walk->object, &options, &mutation, NULL),
                     0);
    karta_verdict_dispose(&verdict);
    karta_mutation_dispose(&mutation);
    walk->asked++;
}

/* A problem of the field itself or of something in it. */
static bool is_refused_at(const struct karta_problems *problems, const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < karta_problems_count(problems); i++)
        if (strncmp(karta_problem_path(problems, i), path, size) == 0)
            return true;
    return false;
}

/* The document as it is now; `good` is what stood at `at` before, `now` what stands there. */
static void judge(struct walk *walk, const struct at *at, const json_t *good, const json_t *now)
{
    struct karta_problems *problems = karta_problems_new();
    struct karta_policy *policy = policy_new(walk->document, "walk", problems);
    KARTA_AUTO_TEXT path = at_path(at, NULL);
    bool typed = strncmp(path, "spec", 4) == 0; /* the rest is not ours to read */
    if (typed && now != NULL && !json_is_null(now) && json_typeof(now) != json_typeof(good) &&
        !is_refused_at(problems, path)) {
        fprintf(stderr, "%s is not refused\n", path);
        fail();
    }
    walk->variants++;
    if (typed && policy != NULL && walk->accepted++ % SAMPLE == 0)
        ask(walk);
    policy_free(policy);
    karta_problems_free(problems);
}

static void put(json_t *container, const struct at *at, json_t *value)
{
    if (at->key != NULL && value != NULL)
        json_object_set(container, at->key, value);
    else if (at->key != NULL)
        json_object_del(container, at->key);
    else if (value != NULL)
        json_array_set(container, at->index, value);
    else
        json_array_remove(container, at->index);
}

static void put_back(json_t *container, const struct at *at, json_t *good, bool removed)
{
    if (at->key == NULL && removed)
        json_array_insert(container, at->index, good);
    else
        put(container, at, good);
}

static void walk_value(struct walk *walk, json_t *container, const struct at *at, json_t *value);

static void walk_children(struct walk *walk, json_t *value, const struct at *at)
{
    json_auto_t *copy = json_copy(value);
    const char *key;
    json_t *child;
    json_object_foreach(copy, key, child)
    {
        const struct at here = {at, key, 0};
        walk_value(walk, value, &here, child);
    }
    for (size_t i = 0; i < json_array_size(copy); i++) {
        const struct at here = {at, NULL, i};
        walk_value(walk, value, &here, json_array_get(copy, i));
    }
}

static void walk_value(struct walk *walk, json_t *container, const struct at *at, json_t *value)
{
    json_incref(value);
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) {
        json_auto_t *now =
            replacements[i] != NULL ? json_loads(replacements[i], JSON_DECODE_ANY, NULL) : NULL;
        put(container, at, now);
        judge(walk, at, value, now);
        put_back(container, at, value, now == NULL);
    }
    walk_children(walk, value, at);
    json_decref(value);
}

static void policy__of_any_shape_is_refused_or_works(void **state)
{
    (void)state;
    struct walk walk = {.document = test_json(everything), .snapshot = test_snapshot()};
    walk.object = test_json(
        "{'apiVersion': 'jobset.x-k8s.io/v1alpha2', 'kind': 'JobSet', 'metadata': {'name': 't',"
        " 'labels': {'team': 'a'}}, 'spec': {'replicatedJobs': [{'name': 'a', 'replicas': 2,"
        " 'template': {'spec': {'template': {'spec': {'containers': [{'name': 'c', 'resources':"
        " {'limits': {'nvidia.com/gpu': 8}}}]}}}}}]}}");
    json_t *before = json_deep_copy(walk.document);
    walk_children(&walk, walk.document, NULL);
    assert_json_equal(walk.document, before);
    assert_true(walk.variants > 500);
    assert_true(walk.asked > 20);
    json_decref(before);
    json_decref(walk.document);
    json_decref(walk.object);
    karta_snapshot_unref(walk.snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(policy__of_any_shape_is_refused_or_works)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("policy_walk", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
