/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a Karta: whole, word for word, and when it is not to be written. */
#include "karta_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "support.h"

#define NOW 1767225600 /* 2026-01-01T00:00:00Z */
#define NOW_TEXT "2026-01-01T00:00:00Z"

/* New Karta of generation 3 with these conditions. */
static json_t *karta(const char *conditions)
{
    KARTA_AUTO_TEXT text =
        mem_format("{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': 'x', "
                   "'generation': 3}, 'spec': {'structureDefinition': {'rootComponent': {'kind': "
                   "{'group': 'example.org', 'version': 'v1', 'kind': 'Train'}}}}, 'status': "
                   "{'conditions': [%s]}}",
                   conditions);
    return test_json(text);
}

/* New condition in the quotes of test_json. */
static char *condition(const char *type, const char *status, const char *reason,
                       const char *message, int generation, const char *since)
{
    return mem_format("{'type': '%s', 'status': '%s', 'reason': '%s', 'message': '%s', "
                      "'observedGeneration': %d, 'lastTransitionTime': '%s'}",
                      type, status, reason, message, generation, since);
}

static json_t *status_of(const json_t *object, const char *refusal, enum karta_status_kind kind)
{
    const struct karta_status_facts facts = {object, refusal, kind};
    json_t *body = NULL;
    assert_int_equal(karta_status_new(&facts, NOW, &body, NULL), 0);
    return body;
}

static const json_t *condition_of(const json_t *body, size_t index)
{
    return json_array_get(json_object_get(json_object_get(body, "status"), "conditions"), index);
}

static const char *text_of(const json_t *body, size_t index, const char *key)
{
    return json_string_value(json_object_get(condition_of(body, index), key));
}

/* What all three conditions are, each "status reason message". */
static void assert_conditions(const char *refusal, enum karta_status_kind kind,
                              const char *const expected[3])
{
    json_t *object = karta("");
    json_t *body = status_of(object, refusal, kind);
    for (size_t i = 0; i < 3; i++) {
        KARTA_AUTO_TEXT text = mem_format("%s %s %s", text_of(body, i, "status"),
                                          text_of(body, i, "reason"), text_of(body, i, "message"));
        assert_string_equal(text, expected[i]);
    }
    json_decref(body);
    json_decref(object);
}

static void status__whole(void **state)
{
    (void)state;
    json_t *object = karta("");
    json_t *body = status_of(object, NULL, KARTA_STATUS_KIND_SERVED);
    KARTA_AUTO_TEXT first = condition("KartaValidated", "True", "ValidationSucceeded", "", 3, NOW_TEXT);
    KARTA_AUTO_TEXT second = condition("CRDExists", "True", "CRDFound", "", 3, NOW_TEXT);
    KARTA_AUTO_TEXT third = condition("Ready", "True", "Ready", "", 3, NOW_TEXT);
    KARTA_AUTO_TEXT text =
        mem_format("{'apiVersion': 'run.ai/v1alpha1', 'kind': 'Karta', 'metadata': {'name': 'x'}, "
                   "'status': {'conditions': [%s, %s, %s]}}",
                   first, second, third);
    json_t *expected = test_json(text);
    assert_json_equal(body, expected);
    json_decref(expected);
    json_decref(body);
    json_decref(object);
}

#define VALIDATED "True ValidationSucceeded "
#define REFUSED "False ValidationFailed spec: is wrong"
#define SERVED "True CRDFound "
#define MISSING "False CRDNotFound CRD for example.org/Train not found or does not serve version v1"
#define NOT_KNOWN "Unknown Pending Condition has not been evaluated yet"
#define NOT_READY "False NotReady KartaValidated and CRDExists must both be True"

static void ready__is_both(void **state)
{
    (void)state;
    assert_conditions(NULL, KARTA_STATUS_KIND_SERVED,
                      (const char *[]){VALIDATED, SERVED, "True Ready "});
    assert_conditions(NULL, KARTA_STATUS_KIND_MISSING,
                      (const char *[]){VALIDATED, MISSING, NOT_READY});
    assert_conditions(NULL, KARTA_STATUS_KIND_UNKNOWN,
                      (const char *[]){VALIDATED, NOT_KNOWN, NOT_KNOWN});
    assert_conditions("spec: is wrong", KARTA_STATUS_KIND_SERVED,
                      (const char *[]){REFUSED, SERVED, NOT_READY});
    assert_conditions("spec: is wrong", KARTA_STATUS_KIND_MISSING,
                      (const char *[]){REFUSED, MISSING, NOT_READY});
    assert_conditions("spec: is wrong", KARTA_STATUS_KIND_UNKNOWN,
                      (const char *[]){REFUSED, NOT_KNOWN, NOT_READY});
    assert_conditions(
        "", KARTA_STATUS_KIND_SERVED,
        (const char *[]){"False ValidationFailed Karta validation failed", SERVED, NOT_READY});
}

static void kind__that_cannot_be_read_is_not_named(void **state)
{
    (void)state;
    json_t *object = test_json("{'metadata': {'name': 'x'}, 'spec': 7}");
    json_t *body = status_of(object, "spec: is a number", KARTA_STATUS_KIND_MISSING);
    assert_string_equal(text_of(body, 1, "message"),
                        "CustomResourceDefinition for the root component GVK does not exist in the "
                        "cluster or does not serve the referenced version");
    assert_null(json_object_get(condition_of(body, 1), "observedGeneration"));
    json_decref(body);
    json_decref(object);
}

static void message__is_one_line_and_cut_between_characters(void **state)
{
    (void)state;
    json_t *object = karta("");
    json_t *body = status_of(object, "a\nb\tc\xff", KARTA_STATUS_KIND_SERVED);
    assert_string_equal(text_of(body, 0, "message"), "a b c?");
    json_decref(body);
    for (size_t lead = 0; lead < 3; lead++) {
        char refusal[3 * 400 + 4] = "";
        memset(refusal, 'x', lead);
        for (size_t i = 0; i < 400; i++)
            memcpy(refusal + lead + 3 * i, "\xe2\x82\xac", 4);
        body = status_of(object, refusal, KARTA_STATUS_KIND_SERVED);
        const char *message = text_of(body, 0, "message");
        size_t size = strlen(message);
        assert_true(size <= 1024 && size > 1020);
        assert_int_equal((size - 3 - lead) % 3, 0); /* euro signs are whole */
        assert_memory_equal(message, refusal, size - 3);
        assert_string_equal(message + size - 3, "...");
        json_decref(body);
    }
    char exact[1025];
    memset(exact, 'x', sizeof exact - 1);
    exact[1024] = '\0';
    body = status_of(object, exact, KARTA_STATUS_KIND_SERVED);
    assert_string_equal(text_of(body, 0, "message"), exact);
    json_decref(body);
    json_decref(object);
}

static void transition__is_kept_where_the_status_is(void **state)
{
    (void)state;
    static const char before[] = "2025-06-01T12:00:00Z";
    KARTA_AUTO_TEXT same = condition("KartaValidated", "False", "Other", "other", 2, before);
    KARTA_AUTO_TEXT changed = condition("CRDExists", "Unknown", "Pending", "", 2, before);
    KARTA_AUTO_TEXT all = mem_format(
        "%s, %s, {'type': 'Ready', 'status': 'False'}, 7, {'status': 'True'}", same, changed);
    json_t *object = karta(all);
    json_t *body = status_of(object, "spec: is wrong", KARTA_STATUS_KIND_SERVED);
    assert_string_equal(text_of(body, 0, "lastTransitionTime"), before);
    assert_string_equal(text_of(body, 1, "lastTransitionTime"), NOW_TEXT);
    assert_string_equal(text_of(body, 2, "lastTransitionTime"), NOW_TEXT);
    json_decref(body);
    json_decref(object);
}

/* Whether a Karta with the first condition so, and the others right, shows it all. */
static bool is_shown(const char *first)
{
    KARTA_AUTO_TEXT second =
        condition("CRDExists", "True", "CRDFound", "", 3, "2025-06-01T12:00:00Z");
    KARTA_AUTO_TEXT third = condition("Ready", "True", "Ready", "", 3, "2025-06-01T12:00:00Z");
    KARTA_AUTO_TEXT all =
        mem_format("%s, {'type': 'Another', 'status': 'True'}, %s, %s", third, second, first);
    json_t *object = karta(all);
    json_t *body = status_of(object, NULL, KARTA_STATUS_KIND_SERVED);
    bool result = karta_status_is_shown(object, body);
    json_decref(body);
    json_decref(object);
    return result;
}

static void shown__is_what_says_the_same_whenever_it_was_written(void **state)
{
    (void)state;
    static const struct {
        const char *status, *reason, *message;
        int generation;
        bool same;
    } rows[] = {{"True", "ValidationSucceeded", "", 3, true},
                {"False", "ValidationSucceeded", "", 3, false},
                {"True", "ValidationOkay", "", 3, false},
                {"True", "ValidationSucceeded", "well", 3, false},
                {"True", "ValidationSucceeded", "", 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        KARTA_AUTO_TEXT first =
            condition("KartaValidated", rows[i].status, rows[i].reason, rows[i].message,
                      rows[i].generation, "2020-02-02T02:02:02Z");
        assert_int_equal(is_shown(first), rows[i].same);
    }
    assert_false(is_shown("{'type': 'KartaValidated', 'status': 'True'}"));
    assert_false(is_shown("{'type': 'Other'}"));
}

/* What was written is shown, so nothing is written a second time. */
static void shown__is_what_was_just_applied(void **state)
{
    (void)state;
    static const enum karta_status_kind kinds[] = {
        KARTA_STATUS_KIND_UNKNOWN, KARTA_STATUS_KIND_SERVED, KARTA_STATUS_KIND_MISSING};
    for (size_t i = 0; i < 6; i++) {
        json_t *object = karta("");
        const char *refusal = i < 3 ? "spec: is wrong" : NULL;
        json_t *body = status_of(object, refusal, kinds[i % 3]);
        assert_false(karta_status_is_shown(object, body));
        json_object_set(object, "status", json_object_get(body, "status"));
        assert_true(karta_status_is_shown(object, body));
        json_t *again = status_of(object, refusal, kinds[i % 3]);
        assert_json_equal(again, body);
        json_decref(again);
        json_decref(body);
        json_decref(object);
    }
}

static void karta__without_a_name_is_an_error(void **state)
{
    (void)state;
    static const char *const objects[] = {"{}", "{'metadata': {'name': ''}}", "[]"};
    for (size_t i = 0; i < 3; i++) {
        json_t *object = test_json(objects[i]), *body = object;
        const struct karta_status_facts facts = {object, NULL, KARTA_STATUS_KIND_SERVED};
        struct karta_error err = {0};
        assert_int_equal(karta_status_new(&facts, NOW, &body, &err), KARTA_ERR_SCHEMA);
        assert_string_equal(err.message, "a Karta without metadata.name has no status");
        assert_null(body);
        json_decref(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status__whole),
        cmocka_unit_test(ready__is_both),
        cmocka_unit_test(kind__that_cannot_be_read_is_not_named),
        cmocka_unit_test(message__is_one_line_and_cut_between_characters),
        cmocka_unit_test(transition__is_kept_where_the_status_is),
        cmocka_unit_test(shown__is_what_says_the_same_whenever_it_was_written),
        cmocka_unit_test(shown__is_what_was_just_applied),
        cmocka_unit_test(karta__without_a_name_is_an_error)};
    return cmocka_run_group_tests_name("karta_status", tests, NULL, NULL);
}
