/* SPDX-License-Identifier: Apache-2.0 */
/* karta_explain: what each expression of a definition gives on one object. */
#include "karta/explain.h"

#include <string.h>

#include "karta/engine.h"
#include "support.h"
#include "ticker.h"

/* A snapshot of one Karta of kind example.com/v1 Train with this in its spec. */
static struct karta_snapshot *snapshot_with(const char *metadata, const char *spec)
{
    json_t *karta = test_json("{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'spec': {"
                              "'structureDefinition': {'rootComponent': {'name': 'train', 'kind': "
                              "{'group': 'example.com', 'version': 'v1', 'kind': 'Train'}, "
                              "'statusDefinition': {'statusMappings': {}}}}}}");
    json_t *own_metadata = test_json(metadata), *own_spec = test_json(spec);
    json_object_set_new(karta, "metadata", own_metadata);
    json_object_update_recursive(json_object_get(karta, "spec"), own_spec);
    char *text = json_dumps(karta, 0);
    struct karta_snapshot *snapshot = karta_snapshot_new();
    struct karta_problems *problems = karta_problems_new();
    struct karta_error err = {0};
    assert_int_equal(karta_snapshot_load(snapshot, text, strlen(text), "x", problems, &err), 0);
    char *summary = karta_problems_summary(problems);
    assert_string_equal(summary, "");
    free(summary);
    karta_problems_free(problems);
    free(text);
    json_decref(own_spec);
    json_decref(karta);
    return snapshot;
}

static json_t *explain(const struct karta_snapshot *snapshot, const json_t *object,
                       int64_t limit_ms)
{
    struct karta_error err = {0};
    json_t *report = NULL;
    const struct karta_definition *definition =
        karta_snapshot_find(snapshot, "example.com", "v1", "Train");
    assert_non_null(definition);
    assert_int_equal(karta_explain(definition, object, limit_ms, &report, &err), 0);
    return report;
}

#define ROOT(what) "{'structureDefinition': {'rootComponent': {" what "}}}"
#define SPEC_PATH "spec.structureDefinition.rootComponent."
#define NAMED "{'name': 'x', 'annotations': {'workloadmap.dev/plural': 'trains'}}"

/* Explains one object by one definition and compares the report. */
static void check(const char *metadata, const char *spec, const char *object, const char *expected)
{
    struct karta_snapshot *snapshot = snapshot_with(metadata, spec);
    json_t *input = object != NULL ? test_json(object) : NULL;
    json_t *report = explain(snapshot, input, 0), *wanted = test_json(expected);
    assert_json_equal(report, wanted);
    json_decref(report);
    json_decref(wanted);
    json_decref(input);
    karta_snapshot_unref(snapshot);
}

static void explain__gives_results_in_document_order(void **state)
{
    (void)state;
    check(NAMED,
          ROOT("'scaleDefinition': {'maxReplicasPath': '.spec.most // null', 'replicasPath': "
               "'.spec.cars[]'}"),
          "{'spec': {'cars': [1, 'two', null]}}",
          "[{'field': '" SPEC_PATH "scaleDefinition.maxReplicasPath', 'expression': '.spec.most // "
          "null', 'component': 'train', 'results': [null]}, {'field': '" SPEC_PATH
          "scaleDefinition.replicasPath', 'expression': '.spec.cars[]', 'component': 'train', "
          "'results': [1, 'two', null]}]");
}

static void explain__gives_places_and_what_stands_there(void **state)
{
    (void)state;
    check(NAMED,
          ROOT("'specDefinition': {'podSpecPath': '.spec[\\'a/b\\'][-1], .spec.no.where', "
               "'metadataPath': '.spec.none[]'}"),
          "{'spec': {'a/b': [{}, {'hostname': 'h'}]}}",
          "[{'field': '" SPEC_PATH "specDefinition.podSpecPath', 'expression': "
          "'.spec[\\'a/b\\'][-1], .spec.no.where', 'component': 'train', 'results': ["
          "{'pointer': '/spec/a~1b/1', 'value': {'hostname': 'h'}}, "
          "{'pointer': '/spec/no/where', 'value': null}]}, "
          "{'field': '" SPEC_PATH "specDefinition.metadataPath', 'expression': '.spec.none[]', "
          "'component': 'train', 'results': []}]");
}

/* Fragments that are no path are read only, so their values come. */
static void explain__tells_places_from_projections(void **state)
{
    (void)state;
    check(NAMED,
          ROOT("'specDefinition': {'fragmentedPodSpecDefinition': {'labelsPath': '.spec.labels', "
               "'imagePath': '.spec.image // \\'i:1\\'', 'containerPath': '.spec.main'}}"),
          "{'spec': {'main': 1}}",
          "[{'field': '" SPEC_PATH "specDefinition.fragmentedPodSpecDefinition.labelsPath', "
          "'expression': '.spec.labels', 'component': 'train', 'results': [{'pointer': "
          "'/spec/labels', 'value': null}]}, "
          "{'field': '" SPEC_PATH "specDefinition.fragmentedPodSpecDefinition.imagePath', "
          "'expression': '.spec.image // \\'i:1\\'', 'component': 'train', 'results': ['i:1']}, "
          "{'field': '" SPEC_PATH "specDefinition.fragmentedPodSpecDefinition.containerPath', "
          "'expression': '.spec.main', 'component': 'train', 'results': [{'pointer': "
          "'/spec/main', 'value': 1}]}]");
}

static void explain__names_a_broken_one_and_runs_the_rest(void **state)
{
    (void)state;
    check(NAMED,
          ROOT("'scaleDefinition': {'replicasPath': '.spec.cars.x', 'minReplicasPath': '1'}"),
          "{'spec': {'cars': 'none'}}",
          "[{'field': '" SPEC_PATH "scaleDefinition.replicasPath', 'expression': '.spec.cars.x', "
          "'component': 'train', 'error': 'Cannot index string with string \\'x\\''}, {'field': "
          "'" SPEC_PATH "scaleDefinition.minReplicasPath', 'expression': '1', 'component': "
          "'train', 'results': [1]}]");
}

static void explain__runs_nothing_without_an_object(void **state)
{
    (void)state;
    check(NAMED, ROOT("'scaleDefinition': {'replicasPath': '.spec.cars // 1'}"), NULL,
          "[{'field': '" SPEC_PATH "scaleDefinition.replicasPath', 'expression': '.spec.cars // "
          "1', 'component': 'train'}]");
}

#define MATCHER(expected)                                                                          \
    "[{'byExpression': {'expression': '.status.left == 0', 'expectedResult': '" expected "'}}]"
#define MAPPING(status, verdict)                                                                   \
    "{'field': '" SPEC_PATH "statusDefinition.statusMappings." status                              \
    "[0].byExpression.expression', 'expression': '.status.left == 0', 'component': 'train', "      \
    "'results': [true], 'expected': " verdict "}"

static void explain__says_which_status_matches(void **state)
{
    (void)state;
    check(NAMED,
          ROOT("'statusDefinition': {'statusMappings': {'completed': " MATCHER(
              "true") ", 'running': " MATCHER("false") "}}"),
          "{'status': {'left': 0}}",
          "[" MAPPING("completed", "'true', 'matches': true") ", " MAPPING(
              "running", "'false', 'matches': false") "]");
}

static void explain__understands_pod_expressions(void **state)
{
    (void)state;
    check(NAMED,
          ROOT("'podSelector': {'componentTypeSelector': {'keyPath': "
               "'.metadata.labels[\\'e.x/part\\']', 'value': 'train'}, 'replicaSelector': "
               "{'keyPath': '.metadata.annotations.index | tonumber'}}"),
          "{}",
          "[{'field': '" SPEC_PATH "podSelector.componentTypeSelector.keyPath', 'expression': "
          "'.metadata.labels[\\'e.x/part\\']', 'component': 'train', 'pod': true, 'label': "
          "'e.x/part', 'value': 'train'}, "
          "{'field': '" SPEC_PATH "podSelector.replicaSelector.keyPath', 'expression': "
          "'.metadata.annotations.index | tonumber', 'component': 'train', 'pod': true}]");
}

#define GANG "spec.optimizationInstructions.gangScheduling.podGroups[0].members[0]."
#define OLDER                                                                                      \
    "'podGroups': [{'name': 'g', 'members': [{'componentName': 'train', 'groupByKeyPaths': "       \
    "['.metadata.annotations.k'], 'filters': ['true']}]}]"

static void explain__lists_what_gangs_ask(void **state)
{
    (void)state;
    check(NAMED, "{'optimizationInstructions': {'gangScheduling': {" OLDER "}}}", "{}",
          "[{'field': '" GANG "groupByKeyPaths[0]', 'expression': '.metadata.annotations.k', "
          "'component': 'train', 'pod': true, 'annotation': 'k'}, "
          "{'field': '" GANG "filters[0]', 'expression': 'true', 'component': 'train', 'pod': "
          "true}]");
    check(NAMED,
          "{'optimizationInstructions': {'gangScheduling': {" OLDER ", 'podGroup': {'name': 'g', "
          "'subGroups': [{'componentName': 'train'}]}}}}",
          "{}", "[]");
}

#define OURS "metadata.annotations.workloadmap.dev/"

static void explain__reads_annotations(void **state)
{
    (void)state;
    check("{'name': 'x', 'annotations': {'workloadmap.dev/plural': 'trains', "
          "'workloadmap.dev/starts-later': '{\\'train\\': \\'.spec.late // false\\'}', "
          "'workloadmap.dev/constant-keys': '[\\'.metadata.labels.k\\']', "
          "'workloadmap.dev/min-member-path': '{\\'g\\': \\'.spec.least\\'}'}}",
          "{'optimizationInstructions': {'gangScheduling': {'podGroup': {'name': 'g', "
          "'subGroups': [{'componentName': 'train'}]}}}}",
          "{'spec': {'least': 3}}",
          "[{'field': '" OURS "starts-later.train', 'expression': '.spec.late // false', "
          "'component': 'train', 'results': [false]}, "
          "{'field': '" OURS "constant-keys[0]', 'expression': '.metadata.labels.k', 'pod': true, "
          "'label': 'k'}, "
          "{'field': '" OURS "min-member-path.g', 'expression': '.spec.least', 'results': [3]}]");
}

static json_t *list_of(size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)i));
    return list;
}

static const char *text_at(const json_t *report, size_t index, const char *key)
{
    return json_string_value(json_object_get(json_array_get(report, index), key));
}

static void explain__stops_a_slow_one_and_runs_the_rest(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot = snapshot_with(
        NAMED, ROOT("'scaleDefinition': {'replicasPath': '.l as $l | [$l[] | . as $x | $l[] | . as "
                    "$y | $l[] | select(. + $x + $y < 0)] | length', 'minReplicasPath': '1'}"));
    json_t *object = json_pack("{s:o}", "l", list_of(2000));
    struct ticker ticker;
    assert_int_equal(ticker_start(&ticker), 0);
    json_t *report = explain(snapshot, object, 50);
    ticker_stop(&ticker);
    assert_string_equal(text_at(report, 0, "error"), "the deadline passed");
    json_t *one = test_json("[1]");
    assert_json_equal(json_object_get(json_array_get(report, 1), "results"), one);
    json_decref(one);
    json_decref(report);
    json_decref(object);
    karta_snapshot_unref(snapshot);
}

static void explain__refuses_an_object_that_is_too_large(void **state)
{
    (void)state;
    struct karta_snapshot *snapshot =
        snapshot_with(NAMED, ROOT("'scaleDefinition': {'replicasPath': '.l | length'}"));
    json_t *object = json_pack("{s:o}", "l", list_of(65537)), *report = NULL;
    struct karta_error err = {0};
    assert_int_equal(karta_explain(karta_snapshot_find(snapshot, "example.com", "v1", "Train"),
                                   object, 0, &report, &err),
                     KARTA_ERR_LIMIT);
    assert_null(report);
    json_decref(object);
    karta_snapshot_unref(snapshot);
}

static int start(void **state)
{
    (void)state;
    return karta_engine_init(NULL);
}

static int stop(void **state)
{
    (void)state;
    karta_engine_shutdown();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explain__gives_results_in_document_order),
        cmocka_unit_test(explain__gives_places_and_what_stands_there),
        cmocka_unit_test(explain__tells_places_from_projections),
        cmocka_unit_test(explain__names_a_broken_one_and_runs_the_rest),
        cmocka_unit_test(explain__runs_nothing_without_an_object),
        cmocka_unit_test(explain__says_which_status_matches),
        cmocka_unit_test(explain__understands_pod_expressions),
        cmocka_unit_test(explain__lists_what_gangs_ask),
        cmocka_unit_test(explain__reads_annotations),
        cmocka_unit_test(explain__stops_a_slow_one_and_runs_the_rest),
        cmocka_unit_test(explain__refuses_an_object_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
