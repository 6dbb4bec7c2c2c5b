/* SPDX-License-Identifier: Apache-2.0 */
/* A pod's status: the worst that one of its containers says, as kubectl picks it. */
#include "live_pods.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "input.h"

static const json_t *condition(const json_t *status, const char *type)
{
    const json_t *conditions = json_object_get(status, "conditions");
    for (size_t i = 0; i < json_array_size(conditions); i++)
        if (strcmp(input_text(json_array_get(conditions, i), "type"), type) == 0)
            return json_array_get(conditions, i);
    return NULL;
}

static bool is_ready(const json_t *status)
{
    return strcmp(input_text(condition(status, "Ready"), "status"), "True") == 0;
}

/* The state {reason, message} of the first container that waits or ended badly; else NULL. */
static const json_t *trouble(const json_t *statuses)
{
    for (size_t i = 0; i < json_array_size(statuses); i++) {
        const json_t *state = json_object_get(json_array_get(statuses, i), "state");
        const json_t *waiting = json_object_get(state, "waiting");
        const json_t *ended = json_object_get(state, "terminated");
        if (*input_text(waiting, "reason") != '\0')
            return waiting;
        if (ended != NULL && json_integer_value(json_object_get(ended, "exitCode")) != 0)
            return ended;
    }
    return NULL;
}

static const char *either(const char *text, const char *other)
{
    return *text != '\0' ? text : other;
}

static const char *status_text(const json_t *pod, const json_t *status, const json_t *bad)
{
    const char *phase = either(input_text(status, "phase"), "Unknown");
    if (json_object_get(json_object_get(pod, "metadata"), "deletionTimestamp") != NULL)
        return "Terminating";
    if (strcmp(phase, "Succeeded") == 0)
        return "Completed";
    if (bad != NULL)
        return either(input_text(bad, "reason"), "Error");
    return either(input_text(status, "reason"), phase);
}

static const char *message_text(const json_t *status, const json_t *bad)
{
    const json_t *scheduled = condition(status, "PodScheduled");
    if (strcmp(input_text(scheduled, "status"), "False") == 0)
        return either(input_text(scheduled, "message"), input_text(scheduled, "reason"));
    return bad != NULL ? input_text(bad, "message") : input_text(status, "message");
}

/* New text, null where there is none. */
static json_t *text_or_null(const char *text)
{
    return *text != '\0' ? json_string(text) : json_null();
}

json_t *live_pod(const json_t *pod, const json_t *match)
{
    const json_t *status = json_object_get(pod, "status");
    const json_t *bad = trouble(json_object_get(status, "initContainerStatuses"));
    if (bad == NULL)
        bad = trouble(json_object_get(status, "containerStatuses"));
    bool ready = is_ready(status);
    const char *text = status_text(pod, status, bad);
    bool healthy = strcmp(text, "Completed") == 0 || (ready && strcmp(text, "Running") == 0);
    return json_pack(
        "{s:s, s:O?, s:O?, s:O?, s:s, s:b, s:b, s:o, s:o}", "name",
        input_text(json_object_get(pod, "metadata"), "name"), "component",
        json_object_get(match, "component"), "instance", json_object_get(match, "instance"),
        "replica", json_object_get(match, "replica"), "status", text, "ready", ready, "healthy",
        healthy, "node", text_or_null(input_text(json_object_get(pod, "spec"), "nodeName")),
        "message", text_or_null(healthy ? "" : message_text(status, bad)));
}

static int compare_pods(const void *one, const void *two)
{
    const json_t *a = *(json_t *const *)one, *b = *(json_t *const *)two;
    int health = (int)json_is_true(json_object_get(a, "healthy")) -
                 (int)json_is_true(json_object_get(b, "healthy"));
    return health != 0 ? health : strverscmp(input_text(a, "name"), input_text(b, "name"));
}

json_t *live_pods_sorted(const json_t *pods)
{
    size_t count = json_array_size(pods);
    json_t **list = mem_array(count + 1, sizeof *list);
    json_t *sorted = list != NULL ? json_array() : NULL;
    for (size_t i = 0; i < count && sorted != NULL; i++)
        list[i] = json_array_get(pods, i);
    if (sorted != NULL)
        qsort(list, count, sizeof(json_t *), compare_pods);
    for (size_t i = 0; i < count && sorted != NULL; i++)
        json_array_append(sorted, list[i]);
    free(list);
    return sorted;
}
