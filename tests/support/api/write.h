/* SPDX-License-Identifier: Apache-2.0 */
/* create, update, patch, delete. Wants the server's lock. */
#ifndef KARTA_TESTS_API_WRITE_H
#define KARTA_TESTS_API_WRITE_H

#include "answer.h"
#include "request.h"
#include "store.h"

void write_create(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer);
void write_update(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer);
void write_patch(struct api_store *store, const struct api_kind *kind,
                 const struct api_request *request, struct api_answer *answer);
void write_delete(struct api_store *store, const struct api_kind *kind,
                  const struct api_request *request, struct api_answer *answer);
/* Creates or replaces without a request: the whole object, its status too. */
void write_put(struct api_store *store, const struct api_kind *kind, const json_t *object);

#endif
