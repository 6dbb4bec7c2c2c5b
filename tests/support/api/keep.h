/* SPDX-License-Identifier: Apache-2.0 */
/* How an object that is to be gets into the store. Wants the server's lock. */
#ifndef KARTA_TESTS_API_KEEP_H
#define KARTA_TESTS_API_KEEP_H

#include "managed.h"
#include "store.h"

/* `after` (taken) in place of `before`, NULL for a new one; its owners are known. */
void keep(struct api_store *store, const struct api_writer *writer, const json_t *before,
          json_t *after);
/* What of `given` may pass the writer's door, as an update. */
void keep_update(struct api_store *store, const struct api_writer *writer, const json_t *before,
                 const json_t *given);
void set_meta(json_t *object, const char *key, const char *value);

#endif
