/* SPDX-License-Identifier: Apache-2.0 */
/* A server with one folder of definitions, two files in it: 1.yaml ("one", of kind One) and 2.yaml
 * ("two", of kind Two). */
#ifndef KARTA_TESTS_WATCHED_H
#define KARTA_TESTS_WATCHED_H

#include "harness.h"

/* half a second between two looks, and a slow machine that compiles everything anew */
#define NOTICED_MS 60000

struct watched {
    struct running server;
    char folder[80];
};

/* The folder alone; and the server on it. */
void watched_init(struct watched *watched);
void watched_start(struct watched *watched);

/* New text of a definition. */
char *watched_karta(const char *name, const char *kind);
/* Writes `file` in place, breaks it, removes it. */
void watched_write(const struct watched *watched, const char *file, const char *name,
                   const char *kind);
void watched_break(const struct watched *watched, const char *file);
void watched_remove(const struct watched *watched, const char *file);

/* The entry in /debug/definitions of that name in that state, a new reference; NULL: none. */
json_t *watched_find(const struct watched *watched, const char *name, const char *state);
bool watched_has(const struct watched *watched, const char *name, const char *state);
/* Whether the active one of that name is there (or not) within `ms`. */
bool watched_becomes(const struct watched *watched, const char *name, bool there, int ms);

#endif
