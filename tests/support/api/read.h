/* SPDX-License-Identifier: Apache-2.0 */
/* get and list. Wants the server's lock. */
#ifndef KARTA_TESTS_API_READ_H
#define KARTA_TESTS_API_READ_H

#include "answer.h"
#include "request.h"
#include "store.h"

void read_get(const struct api_store *store, const struct api_kind *kind,
              const struct api_request *request, struct api_answer *answer);
void read_list(const struct api_store *store, const struct api_kind *kind,
               const struct api_request *request, struct api_answer *answer);

/* New: the object in the form asked for. `value` is borrowed. */
json_t *read_shape(const json_t *value, const struct api_kind *kind, enum api_form form);

/* What the above and events.c share. New array of borrowed keys, in order. */
const char **read_sorted_keys(json_t *state);
void read_not_acceptable(struct api_answer *answer);
/* True: refused. */
bool read_selector_is_bad(const struct api_request *request, struct api_answer *answer);

#endif
