/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses of workloads that were recorded while they ran (status/status.jsonl), read through our
 * definitions. A recording holds when ours contain its last phase and contradict none of it:
 * Completed, Failed and Running exclude each other. Where it says Undefined ours may say more.
 *
 * What the APIs of kinds say of their statuses, with nobody having recorded it, stands in
 * status/stated.jsonl; there ours are exactly what is expected.
 *
 * What differs on purpose stands in status/differences.json, id -> {ours, why}, and has to differ
 * in just that way: a difference that no longer occurs fails too.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "karta/engine.h"
#include "karta/view.h"
#include "support.h"

static struct karta_snapshot *snapshot;
static json_t *recordings, *stated, *differences;

static const char *id_of(const json_t *recording)
{
    return json_string_value(json_object_get(recording, "id"));
}

static bool has(const json_t *phases, const char *phase)
{
    for (size_t i = 0; i < json_array_size(phases); i++)
        if (strcmp(json_string_value(json_array_get(phases, i)), phase) == 0)
            return true;
    return false;
}

static const char *const outcomes[] = {"Completed", "Failed", "Running"};

static size_t outcomes_in(const json_t *phases)
{
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        count += has(phases, outcomes[i]) ? 1 : 0;
    return count;
}

/* An outcome of ours where the recording has another one. */
static bool contradicts(const json_t *ours, const json_t *recorded)
{
    for (size_t i = 0; i < 3; i++)
        if (has(ours, outcomes[i]) && !has(recorded, outcomes[i]) && outcomes_in(recorded) > 0)
            return true;
    return false;
}

static bool holds(const json_t *ours, const json_t *recorded)
{
    const char *last = json_string_value(json_array_get(recorded, json_array_size(recorded) - 1));
    if (outcomes_in(ours) > 1 || contradicts(ours, recorded))
        return false;
    return strcmp(last, "Undefined") == 0 || has(ours, last);
}

/* The phases that our definition gives the recorded object. New. */
static json_t *phases_of(const json_t *recording)
{
    json_auto_t *object = json_copy((json_t *)recording);
    json_auto_t *view = NULL;
    struct karta_error err = {0};
    json_object_del(object, "id");
    json_object_del(object, "expect");
    if (karta_view(snapshot, object, NULL, 0, &view, &err) != 0) {
        print_error("%s: %s\n", id_of(recording), err.message);
        return json_array();
    }
    return json_incref(json_object_get(json_object_get(view, "status"), "phases"));
}

static json_t *recorded_phases(const json_t *recording)
{
    return json_object_get(json_object_get(recording, "expect"), "phases");
}

static void complain(const json_t *recording, const json_t *ours, const char *what)
{
    KARTA_AUTO_TEXT text = json_dumps(ours, JSON_COMPACT);
    KARTA_AUTO_TEXT recorded = json_dumps(recorded_phases(recording), JSON_COMPACT);
    print_error("%s: %s: ours %s, recorded %s\n", id_of(recording), what, text, recorded);
}

static void recordings__hold_or_differ_as_listed(void **state)
{
    size_t failures = 0;
    for (size_t i = 0; i < json_array_size(recordings); i++) {
        const json_t *recording = json_array_get(recordings, i);
        const json_t *difference = json_object_get(differences, id_of(recording));
        json_auto_t *ours = phases_of(recording);
        bool fits = json_array_size(ours) > 0 && holds(ours, recorded_phases(recording));
        const char *what = NULL;
        if (difference == NULL && !fits)
            what = "does not hold";
        else if (difference != NULL && fits)
            what = "holds, yet is listed as a difference";
        else if (difference != NULL && !json_equal(ours, json_object_get(difference, "ours")))
            what = "differs, but not as listed";
        if (what != NULL)
            complain(recording, ours, what);
        failures += what != NULL ? 1 : 0;
    }
    assert_int_equal(failures, 0);
    (void)state;
}

static void recordings__give_one_phase_each(void **state)
{
    size_t failures = 0;
    for (size_t i = 0; i < json_array_size(recordings); i++) {
        const json_t *recording = json_array_get(recordings, i);
        json_auto_t *ours = phases_of(recording);
        if (json_array_size(ours) == 1 && !has(ours, "Undefined"))
            continue;
        complain(recording, ours, "is no one phase");
        failures++;
    }
    assert_int_equal(failures, 0);
    (void)state;
}

static void stated__is_what_ours_say(void **state)
{
    size_t failures = 0;
    for (size_t i = 0; i < json_array_size(stated); i++) {
        const json_t *statement = json_array_get(stated, i);
        json_auto_t *ours = phases_of(statement);
        if (json_equal(ours, recorded_phases(statement)))
            continue;
        complain(statement, ours, "differs");
        failures++;
    }
    assert_int_equal(failures, 0);
    (void)state;
}

static bool recorded(const char *id)
{
    for (size_t i = 0; i < json_array_size(recordings); i++)
        if (strcmp(id_of(json_array_get(recordings, i)), id) == 0)
            return true;
    return false;
}

static void differences__are_of_recordings_and_say_why(void **state)
{
    const char *id;
    json_t *difference;
    json_object_foreach(differences, id, difference)
    {
        const char *why = json_string_value(json_object_get(difference, "why"));
        if (!recorded(id) || why == NULL || why[0] == '\0')
            fail_msg("%s: is no recording, or doesn't say why", id);
    }
    (void)state;
}

static json_t *read_lines(const char *path)
{
    KARTA_AUTO_TEXT text = test_read(path, NULL);
    json_t *list = json_array();
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        json_array_append_new(list, json_loads(line, 0, NULL));
    return list;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings__hold_or_differ_as_listed),
        cmocka_unit_test(recordings__give_one_phase_each),
        cmocka_unit_test(stated__is_what_ours_say),
        cmocka_unit_test(differences__are_of_recordings_and_say_why),
    };
    struct karta_error err = {0};
    if (karta_engine_init(&err) != 0)
        return 2;
    KARTA_AUTO_TEXT text = test_read("tests/conformance/status/differences.json", NULL);
    snapshot = test_snapshot();
    recordings = read_lines("tests/conformance/status/status.jsonl");
    stated = read_lines("tests/conformance/status/stated.jsonl");
    differences = json_loads(text, 0, NULL);
    int failures = json_is_object(differences) && json_array_size(recordings) > 0 &&
                           json_array_size(stated) > 0
                       ? cmocka_run_group_tests(tests, NULL, NULL)
                       : 1;
    json_decref(recordings);
    json_decref(stated);
    json_decref(differences);
    karta_snapshot_unref(snapshot);
    karta_engine_shutdown();
    return failures;
}
