/* SPDX-License-Identifier: Apache-2.0 */
/* A reflector in a hurry, and what its handler was told: the objects as they should now be, and
 * whether the order of what was told was ever wrong. */
#ifndef KARTA_TESTS_FOLLOWER_H
#define KARTA_TESTS_FOLLOWER_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "api_server.h"
#include "reflector.h"
#include "support.h"

struct follower {
    struct api_server *server; /* NULL: none of ours */
    struct kube_access access;
    struct metrics *metrics;
    struct log log; /* to a file without a name */
    struct reflector_config config;
    struct reflector *reflector;
    void (*on_begin)(struct follower *follower); /* in the reflector's thread; NULL: nothing */

    pthread_mutex_t lock;
    json_t *objects; /* namespace/name: resourceVersion */
    json_t *listed;  /* of the list under way; NULL: none is */
    json_t *last;    /* the last object told of */
    size_t begins, ends, changes, removals, wrong;
};

/* A double with the kind Karta, and everything but the reflector. */
void follower_init(struct follower *follower);
/* The same where `url` is somebody else's. */
void follower_init_at(struct follower *follower, const char *url);
void follower_start(struct follower *follower);
void follower_stop(struct follower *follower);
void follower_dispose(struct follower *follower);

void put_karta(struct follower *follower, const char *name);
void delete_karta(struct follower *follower, const char *name);

/* Whether what was told is what the double has. */
bool follower_is_right(struct follower *follower);
bool follower_has_trouble(struct follower *follower);
size_t follower_begins(struct follower *follower);
size_t follower_ends(struct follower *follower);
/* Lines of the log that hold `text`. */
size_t follower_logged(struct follower *follower, const char *text);
/* The number behind `series` in the metrics, -1: it is not there. */
long follower_counted(struct follower *follower, const char *series);

/* Waits until `condition` holds; fails after a time that no machine needs. */
#define WAIT_FOR(condition)                                                                        \
    do {                                                                                           \
        int tries_ = 0;                                                                            \
        while (!(condition)) {                                                                     \
            struct timespec pause_ = {.tv_nsec = 10000000};                                        \
            nanosleep(&pause_, NULL);                                                              \
            if (++tries_ > 4000)                                                                   \
                fail_msg("line %d: never came: %s", __LINE__, #condition);                         \
        }                                                                                          \
    } while (0)

#endif
