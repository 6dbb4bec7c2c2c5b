/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of a Karta. The one idea: everything is worked out from facts and from the object as
 * it is, so it is the same from every replica and after every restart.
 */
#include "karta_status.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "karta_object.h"

/* conditions may have 32 KiB; kubectl shows them in one column */
#define MESSAGE_MOST 1024U

enum state { STATE_FALSE, STATE_UNKNOWN, STATE_TRUE }; /* the worse of two is the smaller */

struct condition {
    const char *type;
    enum state state;
    const char *reason, *message;
};

static const char *state_text(enum state state)
{
    static const char *const texts[] = {"False", "Unknown", "True"};
    return texts[state];
}

/* One line of valid UTF-8, in place; what is too long ends in dots, after a whole character. */
static void make_message(char *text)
{
    text_clean(text);
    if (strlen(text) <= MESSAGE_MOST)
        return;
    size_t end = MESSAGE_MOST - 3;
    while (((unsigned char)text[end] & 0xC0U) == 0x80U)
        end--;
    memcpy(text + end, "...", 4);
}

static const json_t *shown(const json_t *karta, const char *type)
{
    size_t index;
    json_t *condition;
    const json_t *list = json_object_get(json_object_get(karta, "status"), "conditions");
    json_array_foreach((json_t *)list, index, condition)
    {
        const char *its = json_string_value(json_object_get(condition, "type"));
        if (its != NULL && strcmp(its, type) == 0)
            return condition;
    }
    return NULL;
}

/* Since when the condition has this status: metav1.Time is RFC 3339 in whole seconds. New. */
static json_t *transition_time(const json_t *present, const char *status, int64_t now)
{
    const char *before = json_string_value(json_object_get(present, "status"));
    json_t *since = json_object_get(present, "lastTransitionTime");
    if (before != NULL && strcmp(before, status) == 0 && json_is_string(since))
        return json_incref(since);
    char text[40];
    struct tm parts;
    const time_t seconds = (time_t)now;
    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return NULL;
    return json_string(text);
}

static int add_condition(json_t *conditions, const json_t *karta, const struct condition *condition,
                         int64_t now)
{
    const char *status = state_text(condition->state);
    json_t *generation = json_object_get(json_object_get(karta, "metadata"), "generation");
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:o}", "type", condition->type, "status", status, "reason",
                  condition->reason, "message", condition->message, "lastTransitionTime",
                  transition_time(shown(karta, condition->type), status, now));
    if (json != NULL && json_is_integer(generation) &&
        json_object_set(json, "observedGeneration", generation) != 0) {
        json_decref(json);
        return KARTA_ERR_NOMEM;
    }
    return json_array_append_new(conditions, json) == 0 ? 0 : KARTA_ERR_NOMEM;
}

/* New sentence; NULL when memory is out. */
static char *validated_message(const struct karta_status_facts *facts)
{
    if (facts->refusal == NULL)
        return strdup("");
    return strdup(facts->refusal[0] != '\0' ? facts->refusal : "Karta validation failed");
}

static char *kind_message(const struct karta_status_facts *facts)
{
    switch (facts->kind) {
    case KARTA_STATUS_KIND_SERVED:
        return strdup("");
    case KARTA_STATUS_KIND_UNKNOWN:
        return strdup("Condition has not been evaluated yet");
    case KARTA_STATUS_KIND_MISSING:
        break;
    }
    if (!object_root_is_whole(facts->karta))
        return strdup("CustomResourceDefinition for the root component GVK does not exist in the "
                      "cluster or does not serve the referenced version");
    return mem_format("CRD for %s/%s not found or does not serve version %s",
                      object_root_text(facts->karta, "group"),
                      object_root_text(facts->karta, "kind"),
                      object_root_text(facts->karta, "version"));
}

static struct condition validated(const struct karta_status_facts *facts, const char *message)
{
    bool good = facts->refusal == NULL;
    return (struct condition){"KartaValidated", good ? STATE_TRUE : STATE_FALSE,
                              good ? "ValidationSucceeded" : "ValidationFailed", message};
}

static struct condition kind_exists(const struct karta_status_facts *facts, const char *message)
{
    static const struct {
        enum state state;
        const char *reason;
    } rows[] = {[KARTA_STATUS_KIND_UNKNOWN] = {STATE_UNKNOWN, "Pending"},
                [KARTA_STATUS_KIND_SERVED] = {STATE_TRUE, "CRDFound"},
                [KARTA_STATUS_KIND_MISSING] = {STATE_FALSE, "CRDNotFound"}};
    return (struct condition){"CRDExists", rows[facts->kind].state, rows[facts->kind].reason,
                              message};
}

static struct condition ready(enum state one, enum state other)
{
    static const struct condition rows[] = {
        [STATE_FALSE] = {"Ready", STATE_FALSE, "NotReady",
                         "KartaValidated and CRDExists must both be True"},
        [STATE_UNKNOWN] = {"Ready", STATE_UNKNOWN, "Pending",
                           "Condition has not been evaluated yet"},
        [STATE_TRUE] = {"Ready", STATE_TRUE, "Ready", ""}};
    return rows[one < other ? one : other];
}

/* New array, NULL when memory is out. */
static json_t *conditions_of(const struct karta_status_facts *facts, int64_t now)
{
    KARTA_AUTO_TEXT found = validated_message(facts);
    KARTA_AUTO_TEXT served = kind_message(facts);
    json_auto_t *list = json_array();
    if (found == NULL || served == NULL || list == NULL)
        return NULL;
    make_message(found);
    make_message(served);
    struct condition all[3] = {validated(facts, found), kind_exists(facts, served)};
    all[2] = ready(all[0].state, all[1].state);
    for (size_t i = 0; i < 3; i++)
        if (add_condition(list, facts->karta, &all[i], now) != 0)
            return NULL;
    return json_incref(list);
}

int karta_status_new(const struct karta_status_facts *facts, int64_t now, json_t **body,
                     struct karta_error *err)
{
    const json_t *metadata = json_object_get(facts->karta, "metadata");
    const char *name = json_string_value(json_object_get(metadata, "name"));
    *body = NULL;
    if (name == NULL || name[0] == '\0')
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "a Karta without metadata.name has no status");
    *body =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", "run.ai/v1alpha1", "kind", "Karta",
                  "metadata", "name", name, "status", "conditions", conditions_of(facts, now));
    return *body != NULL ? 0 : mem_error(err);
}

bool karta_status_is_ours(const json_t *condition)
{
    static const char *const types[] = {"KartaValidated", "CRDExists", "Ready"};
    const char *type = json_string_value(json_object_get(condition, "type"));
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i], type) == 0)
            return true;
    return false;
}

static bool says_the_same(const json_t *present, const json_t *wanted)
{
    static const char *const keys[] = {"status", "reason", "message", "observedGeneration"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *one = json_object_get(present, keys[i]);
        const json_t *other = json_object_get(wanted, keys[i]);
        if (one != other && (one == NULL || other == NULL || !json_equal(one, other)))
            return false;
    }
    return true;
}

bool karta_status_is_shown(const json_t *karta, const json_t *body)
{
    size_t index;
    json_t *wanted;
    json_t *list = json_object_get(json_object_get(body, "status"), "conditions");
    json_array_foreach(list, index, wanted)
    {
        const char *type = json_string_value(json_object_get(wanted, "type"));
        const json_t *present = type != NULL ? shown(karta, type) : NULL;
        if (present == NULL || !says_the_same(present, wanted))
            return false;
    }
    return true;
}
