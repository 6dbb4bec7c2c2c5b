/* SPDX-License-Identifier: Apache-2.0 */
/* A list's pages are of the moment its first page was taken: the continue token holds that
 * resourceVersion and the last key given. */
#include "read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "selector.h"

json_t *read_shape(const json_t *value, const struct api_kind *kind, enum api_form form)
{
    if (form == FORM_METADATA)
        return json_pack("{ss ss sO}", "kind", "PartialObjectMetadata", "apiVersion",
                         "meta.k8s.io/v1", "metadata", json_object_get(value, "metadata"));
    return object_as(value, kind);
}

void read_not_acceptable(struct api_answer *answer)
{
    answer_status(answer, 406, "NotAcceptable", json_object(),
                  "only the following media types are accepted: application/json");
}

void read_get(const struct api_store *store, const struct api_kind *kind,
              const struct api_request *request, struct api_answer *answer)
{
    enum api_form form = request_form(request, false);
    json_t *value = store_get(store, kind, request->ns, request->name);
    if (form == FORM_NONE)
        read_not_acceptable(answer);
    else if (value == NULL)
        answer_not_found(answer, kind, request->name);
    else
        answer_json(answer, 200, read_shape(value, kind, form));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

const char **read_sorted_keys(json_t *state)
{
    const char **keys = mem_array(json_object_size(state) + 1, sizeof *keys);
    if (keys == NULL)
        abort();
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach(state, key, value) keys[count++] = key;
    qsort(keys, count, sizeof *keys, by_text);
    return keys;
}

static unsigned long number(const char *text)
{
    return strtoul(text, NULL, 10);
}

/* Where a list begins: "VERSION/NS/NAME", the last key given. */
struct start {
    unsigned long version;
    const char *after; /* "": from the first */
};

static struct start start_of(const struct api_store *store, const struct api_request *request)
{
    const char *token = request_query(request, "continue");
    const char *slash = strchr(token, '/');
    if (slash == NULL)
        return (struct start){store->version, ""};
    return (struct start){number(token), slash + 1};
}

/* 410 with a token that goes on from the same key in what is there now. */
static void too_old(const struct api_store *store, const struct start *start,
                    struct api_answer *answer)
{
    KARTA_AUTO_TEXT token = mem_format("%lu/%s", store->version, start->after);
    answer_status(answer, 410, "Expired", NULL,
                  "The provided continue parameter is too old to display a consistent list "
                  "result. You can start a new list without the continue parameter, or use the "
                  "continue token in this response to retrieve the remainder of the results. "
                  "Continuing with the provided token results in an inconsistent list - objects "
                  "that were created, modified, or deleted between the time the first chunk was "
                  "returned and now may show up in the list.");
    json_object_set_new(json_object_get(answer->body, "metadata"), "continue", json_string(token));
}

static void too_new(const struct api_store *store, unsigned long asked, struct api_answer *answer)
{
    json_t *details = json_pack("{s[{ss ss}] si}", "causes", "reason", "ResourceVersionTooLarge",
                                "message", "Too large resource version", "retryAfterSeconds", 1);
    answer_status(answer, 504, "Timeout", details,
                  "Timeout: Too large resource version: %lu, current: %lu", asked, store->version);
}

static json_t *list_meta(const struct start *start)
{
    KARTA_AUTO_TEXT version = mem_format("%lu", start->version);
    return json_pack("{ss}", "resourceVersion", version);
}

/* Fills items, and in the ListMeta what says that there are more. */
static void page(const struct api_store *store, const struct api_kind *kind,
                 const struct api_request *request, const struct start *start, json_t *meta,
                 json_t *items)
{
    json_auto_t *state = store_at(store, kind->resource, start->version);
    const char **keys = read_sorted_keys(state);
    size_t limit = number(request_query(request, "limit"));
    size_t left = 0;
    enum api_form form = request_form(request, true);
    const char *last = "";
    for (size_t i = 0; i < json_object_size(state); i++) {
        json_t *value = json_object_get(state, keys[i]);
        if (strcmp(keys[i], start->after) <= 0 || !selector_fits(request, value))
            continue;
        if (limit != 0 && json_array_size(items) == limit) {
            left++;
            continue;
        }
        last = keys[i];
        json_array_append_new(items, read_shape(value, kind, form));
    }
    if (left > 0) {
        KARTA_AUTO_TEXT token = mem_format("%lu/%s", start->version, last);
        json_object_set_new(meta, "continue", json_string(token));
    }
    /* the real one does not count what a selector would leave */
    if (left > 0 && request_query(request, "labelSelector")[0] == '\0' &&
        request_query(request, "fieldSelector")[0] == '\0')
        json_object_set_new(meta, "remainingItemCount", json_integer((json_int_t)left));
    free(keys);
}

bool read_selector_is_bad(const struct api_request *request, struct api_answer *answer)
{
    if (selector_is_valid(request))
        return false;
    KARTA_AUTO_TEXT message =
        mem_format("unable to parse requirement: \"%s\"", request_query(request, "labelSelector"));
    answer_bad_request(answer, message);
    return true;
}

void read_list(const struct api_store *store, const struct api_kind *kind,
               const struct api_request *request, struct api_answer *answer)
{
    struct start start = start_of(store, request);
    unsigned long asked = number(request_query(request, "resourceVersion"));
    enum api_form form = request_form(request, true);
    if (form == FORM_NONE) {
        read_not_acceptable(answer);
        return;
    }
    if (read_selector_is_bad(request, answer))
        return;
    if (start.version < store->compacted) {
        too_old(store, &start, answer);
        return;
    }
    if (asked > store->version) {
        too_new(store, asked, answer);
        return;
    }
    json_t *meta = list_meta(&start);
    json_t *items = json_array();
    page(store, kind, request, &start, meta, items);
    KARTA_AUTO_TEXT name = mem_format("%sList", kind->name);
    bool whole = form == FORM_WHOLE;
    answer_json(answer, 200,
                json_pack("{ss ss so so}", "kind", whole ? name : "PartialObjectMetadataList",
                          "apiVersion", whole ? kind->api_version : "meta.k8s.io/v1", "metadata",
                          meta, "items", items));
}
