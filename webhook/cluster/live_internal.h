/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of the cluster's objects, for feeding and for composing. */
#ifndef KARTA_CLUSTER_LIVE_INTERNAL_H
#define KARTA_CLUSTER_LIVE_INTERNAL_H

#include <pthread.h>

#include "live.h"

/* One reflector's side of it. */
struct live_feed {
    struct live *live;
    enum live_kind kind;
    json_int_t round; /* of the list under way: what is older was not in it */
    bool listed;
};

/* Members of a table's entry. */
#define LIVE_TEXT "text"         /* what counts of the object, as JSON */
#define LIVE_COMPOSED "composed" /* true: the composed snapshot has this text */
#define LIVE_ROUND "round"       /* when it was last listed or changed */
#define LIVE_VERSION "version"   /* resourceVersion that the text came with */
#define LIVE_CREATED "created"   /* creationTimestamp */
#define LIVE_GENERATION "generation"
#define LIVE_ROOT "root" /* the kind that a Karta is for */
#define LIVE_DELETING "deleting"
#define LIVE_CONDITIONS "conditions" /* of its status, those that we write */

/* What stands before the name in an object's origin, by kind. */
extern const char *const live_prefixes[LIVE_KINDS];

struct live {
    pthread_mutex_t lock;
    json_t *tables[LIVE_KINDS]; /* name -> entry */
    size_t objects, bytes;
    json_int_t round;
    bool stirred;    /* another snapshot is due, and nobody was told yet */
    bool complained; /* of what is not taken: once */
    struct live_feed feeds[LIVE_KINDS];
    struct karta_snapshot *composed; /* what the last live_compose gave; only it changes it */
    const struct log *log;
    void (*notify)(void *arg);
    void *arg;
};

#endif
