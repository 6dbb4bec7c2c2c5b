/* SPDX-License-Identifier: Apache-2.0 */
/* The server in the test's own process, for what happens far faster than files change, and under
 * sanitizers that see both ends. */
#ifndef KARTA_TESTS_INSIDE_H
#define KARTA_TESTS_INSIDE_H

#include "harness.h"
#include "server.h"

struct pair_text {
    char *cert, *key;
};

struct inside {
    struct running folder; /* only its folder and its CA file are used */
    struct holder holder;
    struct metrics *metrics;
    struct workers *workers;
    struct log log;
    struct admission_config admission;
    struct server *server;
    struct pair_text pairs[2]; /* of two CAs; clients trust both */
    int port;
};

/* Everything but the server, with the first pair in force; then the server. */
void inside_init(struct inside *inside, int64_t stuck_ms);
void inside_start(struct inside *inside);
void inside_dispose(struct inside *inside);

void inside_put_pair(struct inside *inside, size_t index);

#endif
