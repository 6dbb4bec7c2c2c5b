/* SPDX-License-Identifier: Apache-2.0 */
/* What managed.c and apply.c share. */
#ifndef KARTA_TESTS_API_MANAGED_INTERNAL_H
#define KARTA_TESTS_API_MANAGED_INTERNAL_H

#include "fields.h"
#include "managed.h"

/* Borrowed, NULL where there are none. */
json_t *managed_entries(const json_t *object);
json_t *managed_entry(const struct api_writer *writer, const json_t *object);
bool managed_is_writers(const struct api_writer *writer, const json_t *entry);
/* `entries` less `taken`, and `mine` (taken) as the writer's own, become the object's. */
void managed_rewrite(const struct api_writer *writer, json_t *object, const json_t *entries,
                     json_t *mine, const json_t *taken);
/* New: `live` with `view` in place of what managed_view shows of it. */
json_t *managed_put_back(const struct api_writer *writer, const json_t *live, const json_t *view);

#endif
