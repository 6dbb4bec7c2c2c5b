/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "karta/engine.h"
#include "support.h"

static struct karta_profile *profile_of(const char *spec)
{
    json_t *document =
        json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "workloadmap.dev/v1alpha1", "kind",
                  "GangProfile", "metadata", "name", "mine", "spec", test_json(spec));
    struct karta_problems *problems = karta_problems_new();
    struct karta_profile *profile = profile_new(document, "test", problems);
    assert_int_equal(karta_problems_refusals(problems), 0);
    karta_problems_free(problems);
    json_decref(document);
    return profile;
}

/* Evaluates the one label `x` of a profile with this expression; the error's text, or NULL. */
static char *evaluate(const char *place, const char *expression, json_t **values)
{
    json_t *spec =
        json_pack("{s:{s:{s:s}}}", "podTemplate", place, place[0] == 'f' ? "/x" : "x", expression);
    char *text = json_dumps(spec, 0);
    struct karta_profile *profile = profile_of(text);
    json_t *input = test_json("{'queue': 'q', 'n': 3, 'list': [1, 2]}");
    struct karta_error err = {0};
    struct jq_input *jq_input = NULL;
    assert_int_equal(jq_input_new(input, &jq_input, NULL), 0);
    int code = profile_evaluate(profile->keys, profile->key_count, profile->program, jq_input, 0,
                                values, &err);
    jq_input_free(jq_input);
    free(text);
    json_decref(spec);
    json_decref(input);
    profile_free(profile);
    return code == 0 ? NULL : strdup(err.message);
}

static void evaluate__writes_text_and_leaves_out_nothing(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"labels", ".queue", "['q']"},         {"labels", ".absent", "[null]"},
        {"labels", "\"\"", "[null]"},          {"labels", "empty", "[null]"},
        {"annotations", "\"a b\"", "['a b']"}, {"fields", "{a: .queue}", "[{'a': 'q'}]"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *values = NULL, *expected = test_json(rows[i][2]);
        assert_null(evaluate(rows[i][0], rows[i][1], &values));
        assert_json_equal(values, expected);
        json_decref(values);
        json_decref(expected);
    }
}

static void evaluate__refuses_what_cannot_be_written(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"labels", ".n", "label x is no text"},
        {"annotations", ".list", "annotation x is no text"},
        {"labels", "\"a b\"",
         "label x cannot hold \"a b\": at most 63 letters, digits, '-', '_' and '.', with a letter "
         "or digit at both ends"},
        {"labels", ".queue, .queue", "x: gives 2 values where one belongs"},
        {"fields", ".n", "field /x would hold a number"},
        {"fields", "{a: .list}", "field /x would hold a number"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *values = NULL;
        char *message = evaluate(rows[i][0], rows[i][1], &values);
        assert_non_null(message);
        assert_string_equal(message, rows[i][2]);
        free(message);
    }
}

static void refuses__says_which_kinds_and_why(void **state)
{
    (void)state;
    struct karta_profile *profile =
        profile_of("{'kinds': [{'group': 'batch', 'kind': 'Job'}],"
                   " 'excludeKinds': [{'group': 'g', 'kind': 'K', 'reason': 'it says no'}]}");
    assert_null(profile_refuses(profile, "batch", "Job"));
    char *text = profile_refuses(profile, "g", "K");
    assert_string_equal(text, "profile mine excludes K: it says no");
    free(text);
    text = profile_refuses(profile, "apps", "Job");
    assert_string_equal(text, "profile mine does not take Job");
    free(text);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluate__writes_text_and_leaves_out_nothing),
        cmocka_unit_test(evaluate__refuses_what_cannot_be_written),
        cmocka_unit_test(refuses__says_which_kinds_and_why)};
    if (karta_engine_init(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests_name("profile", tests, NULL, NULL);
    karta_engine_shutdown();
    return failed;
}
