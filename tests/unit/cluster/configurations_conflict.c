/* SPDX-License-Identifier: Apache-2.0 */
/* What of a webhook configuration is left to others, by what the API server says is in conflict. */
#include "configurations_conflict.h"

#include <string.h>

#include "base/mem.h"
#include "support.h"

/* New configuration of two webhooks. */
static json_t *configuration(void)
{
    return test_json("{'webhooks': [{'name': 'a.x.dev', 'namespaceSelector': {}, 'objectSelector': "
                     "{}, 'rules': []}, {'name': 'b.x.dev', 'namespaceSelector': {}, 'rules': "
                     "[]}]}");
}

/* What is left of it after conflicts in these fields (separated by spaces), and what was told. */
static bool leave(const char *fields, const char *expected, size_t expected_left)
{
    json_t *causes = json_array(), *wanted = configuration(), *after = test_json(expected);
    KARTA_AUTO_TEXT copy = strdup(fields);
    for (char *rest = NULL, *field = strtok_r(copy, " ", &rest); field != NULL;
         field = strtok_r(NULL, " ", &rest))
        json_array_append_new(causes, json_pack("{s:s, s:s, s:s}", "reason", "FieldManagerConflict",
                                                "message", "conflict with \"kubectl-edit\"",
                                                "field", field));
    json_t *status = json_pack("{s:i, s:{s:o}}", "code", 409, "details", "causes", causes);
    size_t left = 0;
    bool others = conflict_leave_selectors(status, wanted, &left);
    assert_json_equal(wanted, after);
    assert_int_equal(left, expected_left);
    json_decref(status);
    json_decref(wanted);
    json_decref(after);
    return others;
}

#define WHOLE                                                                                      \
    "{'webhooks': [{'name': 'a.x.dev', 'namespaceSelector': {}, 'objectSelector': {}, 'rules': "   \
    "[]}, {'name': 'b.x.dev', 'namespaceSelector': {}, 'rules': []}]}"

static void selectors__in_conflict_are_left_to_others(void **state)
{
    (void)state;
    assert_false(leave(".webhooks[name=\"a.x.dev\"].namespaceSelector",
                       "{'webhooks': [{'name': 'a.x.dev', 'objectSelector': {}, 'rules': []}, "
                       "{'name': 'b.x.dev', 'namespaceSelector': {}, 'rules': []}]}",
                       1));
    assert_false(leave(".webhooks[name=\"a.x.dev\"].objectSelector "
                       ".webhooks[name=\"b.x.dev\"].namespaceSelector.matchExpressions "
                       ".webhooks[name=\"b.x.dev\"].namespaceSelector.matchLabels",
                       "{'webhooks': [{'name': 'a.x.dev', 'namespaceSelector': {}, 'rules': []}, "
                       "{'name': 'b.x.dev', 'rules': []}]}",
                       2));
}

static void others__are_ours_to_keep_right(void **state)
{
    (void)state;
    static const char *const fields[] = {".webhooks[name=\"a.x.dev\"].rules",
                                         ".webhooks[name=\"a.x.dev\"].clientConfig.caBundle",
                                         ".webhooks[name=\"a.x.dev\"].failurePolicy",
                                         ".webhooks[name=\"a.x.dev\"].namespaceSelectors",
                                         ".webhooks[name=\"a.x.dev\"]",
                                         ".webhooks[name=\"a.x.dev",
                                         ".webhooks",
                                         ".metadata.labels.app.kubernetes.io/name"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        assert_true(leave(fields[i], WHOLE, 0));
    assert_true(leave(".webhooks[name=\"b.x.dev\"].rules "
                      ".webhooks[name=\"b.x.dev\"].namespaceSelector",
                      "{'webhooks': [{'name': 'a.x.dev', 'namespaceSelector': {}, "
                      "'objectSelector': {}, 'rules': []}, {'name': 'b.x.dev', 'rules': []}]}",
                      1));
}

/* Nothing that a Status may hold makes us insist, or stumble. */
static void statuses__of_other_kinds_change_nothing(void **state)
{
    (void)state;
    static const char *const statuses[] = {
        "[]", "{}", "{'details': 7}", "{'details': {'causes': 'x'}}",
        "{'details': {'causes': [7, {}, {'reason': 'Other', 'field': '.webhooks'}]}}"};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        json_t *status = test_json(statuses[i]), *wanted = configuration(),
               *before = configuration();
        size_t left = 0;
        assert_false(conflict_leave_selectors(status, wanted, &left));
        assert_json_equal(wanted, before);
        assert_int_equal(left, 0);
        json_decref(status);
        json_decref(wanted);
        json_decref(before);
    }
    json_t *wanted = configuration();
    size_t left = 0;
    assert_false(conflict_leave_selectors(NULL, wanted, &left));
    json_decref(wanted);
}

static void ours__is_known_by_its_label(void **state)
{
    (void)state;
    static const struct {
        const char *live;
        bool ours;
    } rows[] = {
        {"{'metadata': {'labels': {'app.kubernetes.io/managed-by': 'karta-webhook'}}}", true},
        {"{'metadata': {'labels': {'app.kubernetes.io/managed-by': 'Helm'}}}", false},
        {"{'metadata': {'labels': {'app.kubernetes.io/name': 'karta-webhook'}}}", false},
        {"{'metadata': {'labels': null}}", false},
        {"{}", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *live = test_json(rows[i].live);
        assert_int_equal(configuration_is_ours(live), rows[i].ours);
        json_decref(live);
    }
}

static void stale__webhooks_are_those_that_are_not_wanted(void **state)
{
    (void)state;
    json_t *live = test_json("{'webhooks': [{'name': 'old.x.dev'}, {'name': 'b.x.dev', 'more': 1}, "
                             "{'name': 'a.x.dev.not'}]}");
    json_t *wanted = configuration(), *expected = test_json("[{'name': 'b.x.dev', 'more': 1}]");
    size_t stale = 0;
    json_t *kept = configuration_without_stale(live, wanted, &stale);
    assert_json_equal(kept, expected);
    assert_int_equal(stale, 2);
    json_decref(kept);
    kept = configuration_without_stale(NULL, wanted, &stale);
    assert_int_equal(json_array_size(kept), 0);
    assert_int_equal(stale, 0);
    json_decref(kept);
    json_decref(expected);
    json_decref(wanted);
    json_decref(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors__in_conflict_are_left_to_others),
        cmocka_unit_test(others__are_ours_to_keep_right),
        cmocka_unit_test(statuses__of_other_kinds_change_nothing),
        cmocka_unit_test(ours__is_known_by_its_label),
        cmocka_unit_test(stale__webhooks_are_those_that_are_not_wanted)};
    return cmocka_run_group_tests_name("configurations_conflict", tests, NULL, NULL);
}
