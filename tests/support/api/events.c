/* SPDX-License-Identifier: Apache-2.0 */
/* A change is what it is to the one who looks: an object that comes into a selector is ADDED, one
 * that leaves it is DELETED. */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "read.h"
#include "selector.h"

bool watch_begin(const struct api_store *store, const struct api_request *request,
                 struct api_watch *watch, struct api_answer *answer)
{
    unsigned long from = strtoul(request_query(request, "resourceVersion"), NULL, 10);
    *watch = (struct api_watch){.request = request, .form = request_form(request, false)};
    if (watch->form == FORM_NONE) {
        read_not_acceptable(answer);
        return false;
    }
    if (read_selector_is_bad(request, answer))
        return false;
    watch->bookmark_initial = request_flag(request, "sendInitialEvents");
    watch->initial = from == 0 || watch->bookmark_initial;
    watch->seen = watch->initial ? store->version : from;
    watch->lost = !watch->initial && from < store->compacted;
    return true;
}

static void add_event(const struct api_watch *watch, const struct api_kind *kind, json_t *events,
                      const char *type, const json_t *value, unsigned long version)
{
    json_auto_t *gone = NULL;
    if (strcmp(type, "DELETED") == 0)
        value = gone = object_at_version(json_deep_copy(value), version);
    json_array_append_new(
        events, json_pack("{ss so}", "type", type, "object", read_shape(value, kind, watch->form)));
}

json_t *watch_bookmark(const struct api_store *store, const struct api_watch *watch, bool initial)
{
    const struct api_request *request = watch->request;
    struct api_kind *kind = store_kind(store, request->group, request->version, request->plural);
    bool whole = watch->form == FORM_WHOLE;
    KARTA_AUTO_TEXT version = mem_format("%lu", store->version);
    json_t *meta = json_pack("{ss sn}", "resourceVersion", version, "creationTimestamp");
    if (initial)
        json_object_set_new(meta, "annotations",
                            json_pack("{ss}", "k8s.io/initial-events-end", "true"));
    return json_pack("{ss s{ss ss so}}", "type", "BOOKMARK", "object", "kind",
                     whole && kind != NULL ? kind->name : "PartialObjectMetadata", "apiVersion",
                     whole && kind != NULL ? kind->api_version : "meta.k8s.io/v1", "metadata",
                     meta);
}

static void initial_events(const struct api_store *store, struct api_watch *watch,
                           const struct api_kind *kind, json_t *events)
{
    json_auto_t *state = store_at(store, kind->resource, store->version);
    const char **keys = read_sorted_keys(state);
    for (size_t i = 0; i < json_object_size(state); i++) {
        json_t *value = json_object_get(state, keys[i]);
        if (selector_fits(watch->request, value))
            add_event(watch, kind, events, "ADDED", value, 0);
    }
    free(keys);
    if (watch->bookmark_initial && request_flag(watch->request, "allowWatchBookmarks"))
        json_array_append_new(events, watch_bookmark(store, watch, true));
    watch->initial = false;
    watch->seen = store->version;
}

static void changed_event(const struct api_watch *watch, const struct api_kind *kind,
                          const struct api_change *change, json_t *events)
{
    bool was = selector_fits(watch->request, change->before);
    bool is = selector_fits(watch->request, change->after);
    if (is)
        add_event(watch, kind, events, was ? "MODIFIED" : "ADDED", change->after, 0);
    else if (was)
        add_event(watch, kind, events, "DELETED", change->before, change->version);
}

bool watch_look(const struct api_store *store, struct api_watch *watch, json_t *events)
{
    const struct api_request *request = watch->request;
    struct api_kind *kind = store_kind(store, request->group, request->version, request->plural);
    if (kind == NULL)
        return false;
    if (watch->initial)
        initial_events(store, watch, kind, events);
    if (watch->lost) {
        json_array_append_new(events, json_pack("{ss so}", "type", "ERROR", "object",
                                                status_too_old(watch->seen, store->compacted)));
        return false;
    }
    size_t first = store->change_count;
    while (first > 0 && store->changes[first - 1].version > watch->seen)
        first--;
    for (size_t i = first; i < store->change_count; i++) {
        struct api_change *change = &store->changes[i];
        if (strcmp(change->resource, kind->resource) == 0)
            changed_event(watch, kind, change, events);
    }
    if (watch->seen < store->version)
        watch->seen = store->version;
    return true;
}
