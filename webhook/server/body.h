/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request's body, in our own memory and never in libmicrohttpd's pool. It grows with what has
 * come, not with what was announced, and all bodies together have a budget: thousands of clients
 * that each send a little cannot take the memory of the ones that send a review.
 */
#ifndef KARTA_SERVER_BODY_H
#define KARTA_SERVER_BODY_H

#include <stdatomic.h>
#include <stddef.h>

/* all bodies that are being received: 32 of the largest, a hundred thousand usual ones */
#define LIMIT_ALL_BODIES (256U << 20)

struct body {
    char *bytes;
    size_t size, room;
    atomic_size_t *budget; /* what all bodies hold together */
};

enum body_outcome { BODY_TAKEN, BODY_TOO_LARGE, BODY_NO_ROOM };

/* Appends; at most `cap` bytes in all. After another outcome than BODY_TAKEN nothing is kept. */
enum body_outcome body_add(struct body *body, const char *bytes, size_t size, size_t cap);
void body_dispose(struct body *body);

#endif
