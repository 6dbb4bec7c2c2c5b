/* SPDX-License-Identifier: Apache-2.0 */
/* What /mutate/definitions makes of a Karta's labels. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "handlers.h"
#include "karta/patch.h"
#include "support.h"

#define TRAIN "{'group': 'batch.example.org', 'version': 'v1', 'kind': 'Train'}"
#define RIGHT                                                                                      \
    "'run.ai/karta-group': 'batch.example.org', 'run.ai/karta-version': 'v1', "                    \
    "'run.ai/karta-kind': 'Train'"
#define PUT_BACK                                                                                   \
    "[{'op': 'add', 'path': '/metadata/labels', 'value': {" RIGHT "}}]" /* where there were none   \
                                                                         */

/* New Karta in quotes of JSON as test_json has them. */
static char *karta(const char *metadata, const char *root_kind)
{
    return mem_format("{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta'%s%s, 'spec': "
                      "{'structureDefinition': {'rootComponent': {'name': 'train', 'kind': %s}}}}",
                      metadata != NULL ? ", 'metadata': " : "", metadata != NULL ? metadata : "",
                      root_kind);
}

/* New review of an object that is in that state and was in the other (NULL: there was none). */
static struct review review_of(const char *operation, const char *now, const char *before)
{
    struct review review = {.operation = operation, .sub_resource = ""};
    review.root = json_object();
    if (now != NULL)
        json_object_set_new(review.root, "object", test_json(now));
    if (before != NULL)
        json_object_set_new(review.root, "oldObject", test_json(before));
    review.object = json_object_get(review.root, "object");
    review.old_object = json_object_get(review.root, "oldObject");
    return review;
}

/* Expects that patch, NULL: none; applies it and expects none the second time. */
static void assert_patch_of(struct review *review, const char *expected)
{
    struct response response = {0}, again = {0};
    assert_int_equal(handle_definition_labels(review, &response), 0);
    assert_true(response.allowed);
    json_t *wanted = test_json(expected != NULL ? expected : "[]"), *changed = NULL;
    json_t *none = json_array();
    assert_json_equal(response.patch != NULL ? response.patch : none, wanted);
    assert_int_equal(karta_patch_apply(review->object, wanted, &changed, NULL), 0);
    review->object = changed;
    assert_int_equal(handle_definition_labels(review, &again), 0);
    assert_true(again.allowed);
    assert_int_equal(json_array_size(again.patch), 0);
    response_dispose(&response);
    response_dispose(&again);
    json_decref(none);
    json_decref(wanted);
    json_decref(changed);
    review_dispose(review);
}

static void assert_create(const char *metadata, const char *root_kind, const char *expected)
{
    KARTA_AUTO_TEXT now = karta(metadata, root_kind);
    struct review review = review_of("CREATE", now, NULL);
    assert_patch_of(&review, expected);
}

static void assert_update(const char *now_metadata, const char *old_metadata, const char *expected)
{
    KARTA_AUTO_TEXT now = karta(now_metadata, TRAIN);
    KARTA_AUTO_TEXT before = karta(old_metadata, TRAIN);
    struct review review = review_of("UPDATE", now, before);
    assert_patch_of(&review, expected);
}

static void create__adds_the_labels_and_what_they_stand_in(void **state)
{
    (void)state;
    assert_create("{'name': 'x'}", TRAIN, PUT_BACK);
    assert_create("{'labels': null}", TRAIN, PUT_BACK);
    assert_create("{'labels': {}}", TRAIN,
                  "[{'op': 'add', 'path': '/metadata/labels/run.ai~1karta-group', 'value': "
                  "'batch.example.org'}, {'op': 'add', 'path': "
                  "'/metadata/labels/run.ai~1karta-version', 'value': 'v1'}, {'op': 'add', 'path': "
                  "'/metadata/labels/run.ai~1karta-kind', 'value': 'Train'}]");
    static const char whole[] =
        "[{'op': 'add', 'path': '/metadata', 'value': {'labels': {" RIGHT "}}}]";
    assert_create(NULL, TRAIN, whole);
    assert_create("null", TRAIN, whole);
}

static void create__puts_wrong_ones_right_and_leaves_others(void **state)
{
    (void)state;
    assert_create("{'labels': {'a': 'b', 'run.ai/karta-group': 'batch.example.org', "
                  "'run.ai/karta-version': 'v2', 'run.ai/karta-kind': null}}",
                  TRAIN,
                  "[{'op': 'replace', 'path': '/metadata/labels/run.ai~1karta-version', 'value': "
                  "'v1'}, {'op': 'add', 'path': '/metadata/labels/run.ai~1karta-kind', 'value': "
                  "'Train'}]");
    assert_create("{'labels': {" RIGHT "}}", TRAIN, NULL);
}

/* A selector for the core group asks for a label that is there and empty. */
static void create__of_the_core_group_has_an_empty_label(void **state)
{
    (void)state;
    static const char empty[] =
        "[{'op': 'add', 'path': '/metadata/labels', 'value': {'run.ai/karta-group': '', "
        "'run.ai/karta-version': 'v1', 'run.ai/karta-kind': 'Pod'}}]";
    assert_create("{'name': 'x'}", "{'version': 'v1', 'kind': 'Pod'}", empty);
    assert_create("{'name': 'x'}", "{'group': null, 'version': 'v1', 'kind': 'Pod'}", empty);
    assert_create("{'name': 'x'}", "{'group': '', 'version': 'v1', 'kind': 'Pod'}", empty);
}

static void create__leaves_out_what_no_label_can_hold(void **state)
{
    (void)state;
    assert_create("{'name': 'x'}", "{'group': 'a/b', 'version': '-v1', 'kind': 'Train'}",
                  "[{'op': 'add', 'path': '/metadata/labels', 'value': {'run.ai/karta-kind': "
                  "'Train'}}]");
    assert_create("{'name': 'x'}",
                  "{'group': 'a-group-of-more-than-sixty-three-characters-is-no-label.example.org',"
                  " 'version': 'v 1', 'kind': '.'}",
                  NULL);
}

static void update__puts_missing_ones_back(void **state)
{
    (void)state;
    assert_update("{'name': 'x'}", "{'labels': {" RIGHT "}}", PUT_BACK);
    assert_update("{'labels': {" RIGHT "}}", "{'name': 'x'}", NULL);
}

/* Stored before we were there: whoever touches the Karta for another reason is not to blame. */
static void update__mends_what_was_wrong_before(void **state)
{
    (void)state;
    assert_update("{'labels': {'run.ai/karta-kind': 'Old', 'run.ai/karta-group': "
                  "'batch.example.org', 'run.ai/karta-version': 'v1', 'a': 'b'}}",
                  "{'labels': {'run.ai/karta-kind': 'Old'}}",
                  "[{'op': 'replace', 'path': '/metadata/labels/run.ai~1karta-kind', 'value': "
                  "'Train'}]");
}

static void assert_refused(const char *labels, const char *old_labels, const char *message,
                           size_t causes)
{
    KARTA_AUTO_TEXT now = karta(labels, TRAIN);
    KARTA_AUTO_TEXT before = karta(old_labels, TRAIN);
    struct review review = review_of("UPDATE", now, before);
    struct response response = {0};
    assert_int_equal(handle_definition_labels(&review, &response), 0);
    assert_false(response.allowed);
    assert_int_equal(response.code, 422);
    assert_string_equal(response.reason, "Invalid");
    assert_string_equal(response.message, message);
    assert_int_equal(json_array_size(response.causes), causes);
    assert_null(response.patch);
    response_dispose(&response);
    review_dispose(&review);
}

static void update__that_edits_one_is_refused(void **state)
{
    (void)state;
#define KIND_IS                                                                                    \
    "run.ai/karta-kind is \"Plane\"; it must be \"Train\", the root's kind, by which others find " \
    "this Karta"
    static const char one[] = "metadata.labels: " KIND_IS;
    assert_refused("{'labels': {'run.ai/karta-kind': 'Plane'}}", "{'labels': {" RIGHT "}}", one, 1);
    assert_refused("{'labels': {'run.ai/karta-kind': 'Plane'}}", "{'name': 'x'}", one, 1);
    assert_refused("{'labels': {'run.ai/karta-kind': 'Plane'}}",
                   "{'labels': {'run.ai/karta-kind': 'Boat'}}", one, 1);
    assert_refused("{'labels': {'run.ai/karta-kind': 'Plane', 'run.ai/karta-group': ''}}",
                   "{'labels': {" RIGHT "}}",
                   "2 problems: metadata.labels: run.ai/karta-group is \"\"; it must be "
                   "\"batch.example.org\", the root's group, by which others find this Karta; "
                   "metadata.labels: " KIND_IS,
                   2);
}

static void assert_untouched(struct review review)
{
    struct response response = {0};
    assert_int_equal(handle_definition_labels(&review, &response), 0);
    assert_true(response.allowed);
    assert_int_equal(json_array_size(response.patch), 0);
    response_dispose(&response);
    review_dispose(&review);
}

/* /validate/definitions says of these what is wrong, and says it better. */
static void roots__that_cannot_be_read_pass(void **state)
{
    (void)state;
    static const char *const kinds[] = {"null",
                                        "'Train'",
                                        "[]",
                                        "{}",
                                        "{'group': 'a', 'version': 'v1'}",
                                        "{'group': 'a', 'kind': 'Train'}",
                                        "{'group': 1, 'version': 'v1', 'kind': 'Train'}",
                                        "{'group': 'a', 'version': '', 'kind': 'Train'}",
                                        "{'group': 'a', 'version': 'v1', 'kind': 'Tr\\u0000ain'}",
                                        "{'group': '\\u0000a', 'version': 'v1', 'kind': 'Train'}",
                                        "{'group': 'a', 'version': 'v1', 'kind': ['Train']}"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        KARTA_AUTO_TEXT now = karta("{'labels': {'run.ai/karta-kind': 'Plane'}}", kinds[i]);
        assert_untouched(review_of("CREATE", now, NULL));
    }
    assert_untouched(
        review_of("CREATE", "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta'}", NULL));
}

static void update__of_the_root_itself_passes(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT now = karta("{'labels': {'run.ai/karta-kind': 'Plane'}}",
                                "{'group': 'batch.example.org', 'version': 'v1', 'kind': 'Plane'}");
    KARTA_AUTO_TEXT before = karta("{'labels': {" RIGHT "}}", TRAIN);
    assert_untouched(review_of("UPDATE", now, before));
}

static void others__pass_untouched(void **state)
{
    (void)state;
    KARTA_AUTO_TEXT plain = karta("{'name': 'x'}", TRAIN);
    KARTA_AUTO_TEXT leaving = karta("{'deletionTimestamp': '2026-01-01T00:00:00Z'}", TRAIN);
    assert_untouched(review_of("CREATE", leaving, NULL));
    assert_untouched(review_of("UPDATE", leaving, plain));
    assert_untouched(review_of("DELETE", NULL, plain));
    assert_untouched(review_of("CONNECT", plain, NULL));
    struct review status = review_of("UPDATE", plain, plain);
    status.sub_resource = "status";
    assert_untouched(status);
    assert_untouched(review_of("CREATE", "[]", NULL));
    static const char *const documents[] = {
        "{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'GangProfile'}",
        "{'apiVersion': 'workloadmap.dev/v1alpha1', 'kind': 'Karta', 'spec': {"
        "'structureDefinition': {'rootComponent': {'kind': " TRAIN "}}}}",
        "{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Kart', 'spec': {'structureDefinition': "
        "{'rootComponent': {'kind': " TRAIN "}}}}"};
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
        assert_untouched(review_of("CREATE", documents[i], NULL));
}

/* The API server says what is wrong with them. */
static void metadata__of_another_type_passes(void **state)
{
    (void)state;
    static const char *const metadata[] = {"'x'", "[]", "{'labels': 'x'}", "{'labels': ['x']}"};
    for (size_t i = 0; i < sizeof metadata / sizeof metadata[0]; i++) {
        KARTA_AUTO_TEXT now = karta(metadata[i], TRAIN);
        assert_untouched(review_of("CREATE", now, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create__adds_the_labels_and_what_they_stand_in),
        cmocka_unit_test(create__puts_wrong_ones_right_and_leaves_others),
        cmocka_unit_test(create__of_the_core_group_has_an_empty_label),
        cmocka_unit_test(create__leaves_out_what_no_label_can_hold),
        cmocka_unit_test(update__puts_missing_ones_back),
        cmocka_unit_test(update__mends_what_was_wrong_before),
        cmocka_unit_test(update__that_edits_one_is_refused),
        cmocka_unit_test(roots__that_cannot_be_read_pass),
        cmocka_unit_test(update__of_the_root_itself_passes),
        cmocka_unit_test(others__pass_untouched),
        cmocka_unit_test(metadata__of_another_type_passes)};
    return cmocka_run_group_tests_name("definitions_labels", tests, NULL, NULL);
}
