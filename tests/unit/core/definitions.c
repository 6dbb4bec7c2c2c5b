/* SPDX-License-Identifier: Apache-2.0 */
/* What /validate/definitions answers: messages, causes and warnings, word for word. */
#include <stdlib.h>
#include <string.h>

#include "admission.h"
#include "base/mem.h"
#include "karta/document.h"
#include "karta/engine.h"
#include "support.h"

#define KIND "spec.structureDefinition.rootComponent.kind"
#define CHILD "spec.structureDefinition.childComponents[0]"

static const struct admission_config config = {.profile = "kai", .deadline_ms = 60000};

/* The first document of a file, to be changed. */
static json_t *document_of(const char *path)
{
    size_t size;
    KARTA_AUTO_TEXT bytes = test_read(path, &size);
    json_t *documents = NULL;
    assert_int_equal(karta_documents_parse(bytes, size, &documents, NULL), 0);
    json_t *document = json_incref(json_array_get(documents, 0));
    json_decref(documents);
    return document;
}

static json_t *fixture(const char *name)
{
    KARTA_AUTO_TEXT path = mem_format("tests/fixtures/validate/%s/karta.yaml", name);
    return document_of(path);
}

static json_t *component(json_t *karta, const char *key)
{
    json_t *structure = json_object_get(json_object_get(karta, "spec"), "structureDefinition");
    json_t *value = json_object_get(structure, key);
    return json_is_array(value) ? json_array_get(value, 0) : value;
}

/* What is in force while the review comes in; freed by the call. */
static struct karta_snapshot *in_force;

/* New response to the review; `object` and `old` are taken. */
static json_t *answer(const char *operation, json_t *object, json_t *old)
{
    struct admission_answer out;
    struct admission_record record;
    json_t *request = json_pack("{s:s, s:s, s:{s:s, s:s, s:s}, s:o, s:o?}", "uid", "u", "operation",
                                operation, "kind", "group", "run.ai", "version", "v1alpha1", "kind",
                                "Karta", "object", object, "oldObject", old);
    json_t *review = json_pack("{s:s, s:s, s:o}", "apiVersion", "admission.k8s.io/v1", "kind",
                               "AdmissionReview", "request", request);
    char *text = json_dumps(review, 0);
    struct karta_snapshot *snapshot = in_force != NULL ? in_force : karta_snapshot_new();
    in_force = NULL;
    admission_handle(ADMISSION_VALIDATE_DEFINITIONS, snapshot, &config, text, strlen(text), &out,
                     &record);
    json_t *body = json_loadb(out.body, out.size, 0, NULL);
    json_t *response = json_incref(json_object_get(body, "response"));
    json_decref(body);
    admission_answer_dispose(&out);
    karta_snapshot_unref(snapshot);
    free(text);
    json_decref(review);
    return response;
}

static const char *message_of(const json_t *response)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(response, "status"), "message"));
    return text != NULL ? text : "allowed";
}

static void create__names_every_problem_whole(void **state)
{
    (void)state;
    json_t *karta = fixture("good"), *head = component(karta, "childComponents");
    const char *const text = ".spec.head.replicas + .spec.head.replicas + .spec.head.replicas + "
                             ".spec.head.replicas + .spec.head.replicas + now";
    json_object_set_new(json_object_get(head, "scaleDefinition"), "replicasPath",
                        json_string(text));
    json_object_set_new(head, "ownerRef", json_string("thin"));
    json_t *response = answer("CREATE", karta, NULL);
    assert_string_equal(
        message_of(response),
        "2 problems: " CHILD ".ownerRef: names no component: \"thin\" (did you mean thing?); " CHILD
        ".scaleDefinition.replicasPath: \"now\" is refused: an expression reads no clock, and "
        "dates crash libjq, at column 111 of `.spec.head.replicas + .spec.head.replicas + "
        ".spec.head.replicas + .spec.head.rep...`");
    json_t *expected = test_json(
        "[{'reason': 'FieldValueInvalid', 'field': '" CHILD ".ownerRef', 'message':"
        " 'names no component: \\'thin\\' (did you mean thing?)'}, {'reason': 'FieldValueInvalid',"
        " 'field': '" CHILD ".scaleDefinition.replicasPath', 'message': '\\'now\\' is refused: an"
        " expression reads no clock, and dates crash libjq, at column 111 of `.spec.head.replicas +"
        " .spec.head.replicas + .spec.head.replicas + .spec.head.replicas + .spec.head.replicas +"
        " now`'}]");
    const json_t *status = json_object_get(response, "status");
    assert_int_equal(json_integer_value(json_object_get(status, "code")), 422);
    assert_json_equal(json_object_get(json_object_get(status, "details"), "causes"), expected);
    json_decref(expected);
    json_decref(response);
}

static void create__warns_and_allows(void **state)
{
    (void)state;
    json_t *response = answer("CREATE", fixture("upper-name"), NULL);
    json_t *expected =
        test_json("['" CHILD ".name: \\'Head\\' cannot stand as it is in names of subgroups, which "
                  "have lower-case letters, digits and \\'-\\', at most 63']");
    assert_true(json_is_true(json_object_get(response, "allowed")));
    assert_json_equal(json_object_get(response, "warnings"), expected);
    json_decref(expected);
    json_decref(response);
}

/* Kubernetes takes warnings of 256 characters, and they must stay valid UTF-8. */
static void create__cuts_long_warnings_between_characters(void **state)
{
    (void)state;
    json_t *karta = fixture("good");
    char name[300] = "";
    for (size_t i = 0; i < 140; i++)
        memcpy(name + 2 * i, "\xC3\xA9", 3);
    json_object_set_new(component(karta, "rootComponent"), name, json_null());
    json_object_set_new(component(karta, "rootComponent"), name + 2, json_null());
    json_object_set_new(component(karta, "rootComponent"), "x", json_null());
    json_t *response = answer("CREATE", karta, NULL);
    const json_t *warnings = json_object_get(response, "warnings");
    assert_int_equal(json_array_size(warnings), 3);
    for (size_t i = 0; i < 2; i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        assert_true(strlen(text) <= 255 && strlen(text) >= 250);
        assert_string_equal(text + strlen(text) - 3, "...");
    }
    json_decref(response);
}

/* A profile has no root: nothing that is asked of Kartas alone is asked of it. */
static void profile__is_judged_as_one(void **state)
{
    (void)state;
    json_t *response = answer("CREATE", document_of("profiles/native.yaml"), NULL);
    assert_string_equal(message_of(response), "allowed");
    json_decref(response);
    json_t *broken = document_of("profiles/native.yaml");
    json_object_set_new(json_object_get(broken, "spec"), "schedulerName", json_integer(1));
    response = answer("UPDATE", broken, document_of("profiles/native.yaml"));
    assert_string_equal(message_of(response),
                        "spec.schedulerName: is a number where text belongs; put it in quotes");
    json_decref(response);
}

static void update__keeps_the_kind(void **state)
{
    (void)state;
    static const char *const keys[] = {"group", "version", "kind"};
    for (size_t i = 0; i < 3; i++) {
        json_t *karta = fixture("good"), *kind;
        kind = json_object_get(component(karta, "rootComponent"), "kind");
        json_object_set_new(kind, keys[i], json_string("other"));
        json_t *response = answer("UPDATE", karta, fixture("good"));
        assert_string_equal(message_of(response),
                            KIND ": cannot change: delete the definition and create another");
        json_decref(response);
    }
}

/* What was stored before we were there may be mended; a kind that is gone is said once. */
static void update__says_of_a_broken_kind_what_it_lacks(void **state)
{
    (void)state;
    json_t *broken = fixture("root-kind-missing");
    json_t *response = answer("UPDATE", fixture("good"), json_incref(broken));
    assert_string_equal(message_of(response), "allowed");
    json_decref(response);
    response = answer("UPDATE", broken, fixture("good"));
    assert_string_equal(message_of(response),
                        KIND ": is missing: the root states group, version and kind");
    json_decref(response);
}

/* The order is the document's, also of what only an UPDATE can be told. */
static void update__puts_problems_in_order(void **state)
{
    (void)state;
    json_t *karta = fixture("good"), *root = component(karta, "rootComponent");
    json_object_set_new(root, "name", json_integer(1));
    json_object_set_new(json_object_get(root, "kind"), "kind", json_string("Other"));
    json_object_set_new(root, "statusDefinition", json_null());
    json_t *response = answer("UPDATE", karta, fixture("good"));
    assert_string_equal(
        message_of(response),
        "3 problems: spec.structureDefinition.rootComponent.name: is a number where text belongs; "
        "put it in quotes; " KIND ": cannot change: delete the definition and create another; "
        "spec.structureDefinition.rootComponent.statusDefinition: is missing: the root says what "
        "its status means");
    json_decref(response);
}

static void update__that_changes_nothing_is_allowed(void **state)
{
    (void)state;
    json_t *labelled = fixture("five-at-once");
    json_object_set_new(json_object_get(labelled, "metadata"), "labels",
                        json_pack("{s:s}", "a", "b"));
    json_t *response = answer("UPDATE", labelled, fixture("five-at-once"));
    assert_string_equal(message_of(response), "allowed");
    json_decref(response);
    json_t *leaving = fixture("five-at-once");
    json_object_set_new(json_object_get(leaving, "metadata"), "deletionTimestamp",
                        json_string("2026-01-01T00:00:00Z"));
    response = answer("UPDATE", leaving, fixture("good"));
    assert_string_equal(message_of(response), "allowed");
    json_decref(response);
    response = answer("UPDATE", fixture("five-at-once"), fixture("good"));
    assert_true(json_is_false(json_object_get(response, "allowed")));
    json_decref(response);
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

/* Puts the good definition under another name into force, changed by `update`. */
static void put_in_force(const char *origin, const char *update)
{
    json_t *karta = fixture("good"), *metadata = test_json(update);
    json_object_update(json_object_get(karta, "metadata"), metadata);
    char *text = json_dumps(karta, 0);
    in_force = karta_snapshot_new();
    assert_int_equal(karta_snapshot_load(in_force, text, strlen(text), origin, NULL, NULL), 0);
    free(text);
    json_decref(metadata);
    json_decref(karta);
}

static bool is_allowed(const char *operation)
{
    json_t *old = strcmp(operation, "UPDATE") == 0 ? json_object() : NULL;
    json_t *response = answer(operation, fixture("good"), old);
    bool allowed = json_is_true(json_object_get(response, "allowed"));
    json_decref(response);
    return allowed;
}

static void create__of_a_second_karta_names_the_first(void **state)
{
    (void)state;
    put_in_force("cluster:other", "{'name': 'other'}");
    json_t *response = answer("CREATE", fixture("good"), NULL);
    assert_string_equal(message_of(response),
                        KIND ": is covered by Karta \"other\" already: change that one, or delete "
                             "it first");
    json_decref(response);
}

static void create__may_shadow_files_and_what_is_going(void **state)
{
    (void)state;
    put_in_force("built-in:good.yaml", "{'name': 'other'}");
    assert_true(is_allowed("CREATE"));
    put_in_force("cluster:good", "{'name': 'good'}");
    assert_true(is_allowed("CREATE"));
    put_in_force("cluster:other", "{'name': 'other', 'deletionTimestamp': '2026-01-01T00:00:00Z'}");
    assert_true(is_allowed("CREATE"));
    put_in_force("cluster:other", "{'name': 'other'}");
    assert_true(is_allowed("UPDATE"));
    put_in_force("cluster:other", "{'name': 'other'}");
    assert_false(is_allowed("CREATE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create__names_every_problem_whole),
        cmocka_unit_test(create__warns_and_allows),
        cmocka_unit_test(create__cuts_long_warnings_between_characters),
        cmocka_unit_test(profile__is_judged_as_one),
        cmocka_unit_test(update__keeps_the_kind),
        cmocka_unit_test(update__says_of_a_broken_kind_what_it_lacks),
        cmocka_unit_test(update__puts_problems_in_order),
        cmocka_unit_test(update__that_changes_nothing_is_allowed),
        cmocka_unit_test(create__of_a_second_karta_names_the_first),
        cmocka_unit_test(create__may_shadow_files_and_what_is_going)};
    return cmocka_run_group_tests_name("definitions", tests, start, stop);
}
