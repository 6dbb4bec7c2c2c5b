/* SPDX-License-Identifier: Apache-2.0 */
/* Doubling growth under two caps: the body's own and everybody's. */
#include "body.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4096

static bool grow(struct body *body, size_t room)
{
    size_t more = room - body->room;
    if (atomic_fetch_add(body->budget, more) + more > LIMIT_ALL_BODIES) {
        atomic_fetch_sub(body->budget, more);
        return false;
    }
    char *bytes = realloc(body->bytes, room);
    if (bytes == NULL) {
        atomic_fetch_sub(body->budget, more);
        return false;
    }
    body->bytes = bytes;
    body->room = room;
    return true;
}

enum body_outcome body_add(struct body *body, const char *bytes, size_t size, size_t cap)
{
    if (size > cap - body->size) {
        body_dispose(body);
        return BODY_TOO_LARGE;
    }
    size_t room = body->room > 0 ? body->room : FIRST_ROOM;
    while (room < body->size + size)
        room *= 2;
    if (room > body->room && !grow(body, room)) {
        body_dispose(body);
        return BODY_NO_ROOM;
    }
    memcpy(body->bytes + body->size, bytes, size);
    body->size += size;
    return BODY_TAKEN;
}

void body_dispose(struct body *body)
{
    atomic_fetch_sub(body->budget, body->room);
    free(body->bytes);
    body->bytes = NULL;
    body->size = body->room = 0;
}
