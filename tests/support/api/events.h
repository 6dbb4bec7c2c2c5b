/* SPDX-License-Identifier: Apache-2.0 */
/* What a watch is told. Wants the server's lock. */
#ifndef KARTA_TESTS_API_EVENTS_H
#define KARTA_TESTS_API_EVENTS_H

#include "answer.h"
#include "request.h"
#include "store.h"

/* A watch's state between two looks. */
struct api_watch {
    const struct api_request *request;
    enum api_form form;
    unsigned long seen;
    bool lost;             /* what came after `seen` is forgotten */
    bool initial;          /* everything there is comes first */
    bool bookmark_initial; /* and a bookmark says where it ends */
};
/* False, with the answer filled, where it cannot begin. */
bool watch_begin(const struct api_store *store, const struct api_request *request,
                 struct api_watch *watch, struct api_answer *answer);
/* Appends the events since the last look to `events`; false: history is lost, or the kind is gone,
 * and the watch ends. */
bool watch_look(const struct api_store *store, struct api_watch *watch, json_t *events);
/* New BOOKMARK event. */
json_t *watch_bookmark(const struct api_store *store, const struct api_watch *watch, bool initial);

#endif
