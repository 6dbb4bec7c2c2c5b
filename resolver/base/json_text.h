/* SPDX-License-Identifier: Apache-2.0 */
/* Members of JSON objects that are text. */
#ifndef KARTA_BASE_JSON_TEXT_H
#define KARTA_BASE_JSON_TEXT_H

#include <jansson.h>

/* The text of a member, borrowed; "" where `object` is NULL or no object, or the member is absent
 * or no text. Any thread. */
static inline const char *json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

#endif
