/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the cluster, and who may touch it: reflectors' threads, the workers and the
 * keeper, each under the one lock, for a moment; nobody asks the API server with a lock held. What
 * is the keeper's own (which kinds there are, what is in force) changes only while no worker works,
 * so workers read it freely.
 *
 *   workload --- crowd --- replicas --- pods      a crowd: a kind, a namespace, a nonce
 *       \------- brood --- made objects           a brood: an owner's uid
 *
 * Crowds and broods tie together what is listed in any order.
 */
#ifndef KARTA_CLUSTER_PODGROUPS_INTERNAL_H
#define KARTA_CLUSTER_PODGROUPS_INTERNAL_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "discovery.h"
#include "podgroups.h"
#include "podgroups_table.h"
#include "reflector.h"

/* Of our objects: what they were made from, 16 hex digits. */
#define PODGROUPS_SOURCE "workloadmap.dev/source"

/* Requests under way at once: where one takes 30 ms they are 130 a second, and a new workload needs
 * three. */
#define WORKERS 4

/* What is followed at most; the catalog has some thirty kinds. */
#define WATCHES 128
/* Far above what one cluster runs; whatever comes beyond is passed over, and said once. */
#define WORKLOADS 100000U
#define PODS 500000U
#define MADE 500000U

enum watch_what { WATCH_WORKLOADS, WATCH_PODS, WATCH_MADE };

/* One resource that is followed. */
struct watch {
    struct podgroups *groups;
    enum watch_what what;
    struct kube_resource resource; /* texts are the watch's own */
    char *kind, *api_version;
    uint64_t kind_id; /* of group and kind */
    struct reflector *reflector;
    int64_t began_ms;
    /* under the lock */
    unsigned round; /* of the list under way: what is older was not in it */
    bool listing, listed;
    bool settled;          /* its list is whole, or nobody waits for it any more */
    int64_t unreadable_ms; /* when a workload may last not be read; 0: never, or that is over */
    /* the keeper's own */
    uint64_t definitions; /* what defines the kind, as a hash */
    bool wanted;
};

struct replica {
    struct replica *next; /* of its crowd */
    struct crowd *crowd;
    size_t pods;
    uint64_t name; /* its pod group's, as a hash */
    char *group;   /* key follows, in the same allocation */
    char *key;
};

struct crowd {
    struct table_entry entry;
    struct workload *workload; /* NULL: not known yet */
    struct replica *replicas;
};

struct pod {
    struct table_entry entry;
    struct replica *replica;
    unsigned round;
};

struct made {
    struct table_entry entry;
    struct made *next; /* of its brood */
    struct brood *brood;
    struct watch *watch;
    uint64_t name_id, source;
    int64_t unwanted_ms; /* since when nobody wants it; 0: somebody does */
    unsigned round;
    char *name; /* uid follows, in the same allocation */
    char *uid;
};

struct brood {
    struct table_entry entry;
    struct workload *workload; /* NULL: not known yet, or gone */
    struct made *made;
};

enum queue_place {
    QUEUE_NONE,
    QUEUE_READY, /* something happened to it */
    QUEUE_SWEEP, /* one of many, in its turn: listed, tried again, under another snapshot */
    QUEUE_LATER,
    QUEUE_BLOCKED,
    QUEUE_PLACES
};

struct workload {
    struct table_entry entry;
    struct watch *watch;
    unsigned round;
    uint64_t state;  /* of its metadata, as the watch told last */
    uint64_t done;   /* the source that its objects are known to come from; 0: not known */
    uint64_t *names; /* of its own pod groups, as hashes */
    size_t name_count;
    char *ns, *name;     /* one allocation, at ns */
    char *uid, *profile; /* another one, at uid */
    struct brood *brood;
    struct crowd *crowd;
    /* its place in the queue; none while a worker has it, and `again` where it is due after that */
    enum queue_place place;
    bool busy, again;
    unsigned ends; /* how many of its objects ended, or became somebody else's */
    struct workload *before, *after;
    int64_t since_ms, due_ms;
    int failures;  /* in a row */
    uint64_t said; /* the last failure that was told of, as a hash */
};

/* A doubly linked list, first in, first out. */
struct queue {
    struct workload *first, *last;
    size_t count;
};

/* A profile of the snapshot in force, as workers need it. */
struct known_profile {
    const char *name; /* borrowed from the snapshot */
    uint64_t hash;
    bool has_objects;
};

struct worker {
    struct podgroups *groups;
    struct kube_client *client;
    pthread_t thread;
    bool started;
};

struct podgroups {
    struct podgroups_config config;
    struct worker keeper, workers[WORKERS];
    pthread_mutex_t lock;
    pthread_cond_t wake, work, idle; /* of the keeper, of workers, of who waits for them */
    /* under the lock, as the tables, the queue and the list of watches */
    bool stopping, woken;
    bool able, held; /* able: workers may take something; held: not now */
    size_t active;
    struct table workloads, crowds, broods, pods, made;
    struct queue queues[QUEUE_PLACES];
    struct watch *watches[WATCHES];
    size_t watch_count;
    bool complained;                   /* of what is beyond the limits: once */
    _Atomic uint64_t follows[WATCHES]; /* kind_id of the watches that are well; 0: none */
    atomic_bool settled;               /* which kinds are followed is known */

    /* the keeper's own */
    struct discovery *discovery; /* read by workers under `shared` */
    struct discovery *spare;     /* the next one, while it is asked for */
    struct karta_snapshot *snapshot;
    struct known_profile *profiles;
    size_t profile_count;
    _Atomic int64_t look_ms; /* when discovery is due */
    bool looked;

    /* what workers share; not taken with the lock held */
    pthread_mutex_t shared;
    json_t *missing; /* "group/version, Kind" of objects that the cluster does not have */
    double tokens;   /* requests that may be made at once */
    int64_t token_ms;
    int pauses;            /* in a row: how often the API server did not answer */
    char trouble[512];     /* what was last said of that; "": all is well */
    uint64_t said_refused; /* the last refusal of a whole kind that was logged, as a hash */
};

/* podgroups_workloads.c, _pods.c, _made.c: what reflectors tell of one object; podgroups_watch.c
 * adds how lists begin and end. */
struct reflector_handler groups_workload_handler(struct watch *watch);
struct reflector_handler groups_pod_handler(struct watch *watch);
struct reflector_handler groups_made_handler(struct watch *watch);
/* A hash of metadata; the worker asks too. */
uint64_t groups_state(const json_t *metadata);
/* A watch ends (`stale` false), or its list is whole: what it told before is
 * forgotten. Want the lock. */
void groups_forget_workloads(struct podgroups *groups, const struct watch *watch, bool stale);
void groups_forget_pods(struct podgroups *groups, const struct watch *watch, bool stale);
void groups_forget_made(struct podgroups *groups, const struct watch *watch, bool stale);

/* podgroups_ties.c; want the lock. Those that find also make; NULL: memory is out. */
uint64_t groups_id(uint64_t kind, const char *ns, const char *name);
struct brood *groups_brood(struct podgroups *groups, const char *uid);
struct crowd *groups_crowd(struct podgroups *groups, uint64_t kind, const char *ns,
                           const char *nonce);
/* Frees them where nothing is left in them. */
void groups_drop_brood(struct podgroups *groups, struct brood *brood);
void groups_drop_crowd(struct podgroups *groups, struct crowd *crowd);
/* Its objects have to be looked at again, now. NULL is allowed. */
void groups_stir(struct podgroups *groups, struct workload *workload);
/* False, and said once: there are too many. */
bool groups_has_room(struct podgroups *groups, const struct table *table, size_t most);
/* What begins and ends every list. */
void groups_begin(struct watch *watch);
void groups_end(struct watch *watch);

/* podgroups_made.c; want the lock: what we just wrote, before the watch tells of it. */
void groups_note_made(struct watch *watch, const json_t *object);
struct made *groups_find_made(struct podgroups *groups, const struct watch *watch, const char *ns,
                              const char *name);
void groups_remove_made(struct podgroups *groups, struct made *made);

/* podgroups_queue.c; want the lock. */
void queue_put(struct podgroups *groups, struct workload *workload, enum queue_place place,
               int64_t due_ms);
/* The first that is ready, which is busy then. NULL: none. */
struct workload *queue_take(struct podgroups *groups);
bool queue_is_ready(const struct podgroups *groups);
/* Those whose time has come have their turn. */
void queue_promote(struct podgroups *groups, int64_t now_ms);
/* All that are blocked have their turn. */
void queue_unblock(struct podgroups *groups);
/* How long the workload that has waited longest has, in ms; the blocked are not counted. */
int64_t queue_lag_ms(const struct podgroups *groups, int64_t now_ms);

/* podgroups_kinds.c; the keeper's. Which kinds are followed, as definitions and cluster are now. */
void groups_look(struct podgroups *groups);
/* Which of them are well, for admission and metrics. */
void groups_check(struct podgroups *groups);
/* podgroups_expect.c; the keeper's: kinds that were missing and are there now, and the kinds of the
 * profile in force. */
void groups_look_for_missing(struct podgroups *groups);
void groups_expect_made(struct podgroups *groups);
/* Any worker: the watch of objects that a profile made; NULL with *missing: the cluster has no such
 * kind, or (an error is set) it can't be followed. */
struct watch *groups_made_watch(struct podgroups *groups, const char *api_version, const char *kind,
                                bool *missing, struct karta_error *err);
/* Whether enough is listed to begin with. */
bool groups_are_settled(struct podgroups *groups);
/* Any worker: whether pods are followed, so that it is known which groups per replica there are. */
bool groups_know_pods(struct podgroups *groups);
/* podgroups.c: no worker works, from here to groups_release. */
void groups_hold(struct podgroups *groups);
void groups_release(struct podgroups *groups);

/* podgroups_work.c: one workload, and what came of it. */
enum work_end {
    WORK_DONE,
    WORK_LINGERS, /* done, but something is still to be removed */
    WORK_RETRY,   /* this workload's own failure */
    WORK_BLOCKED, /* until something else changes: a list, a kind, a snapshot, the workload */
    WORK_PAUSE,   /* the API server does not answer: nothing else would go well */
    WORK_STOPPED  /* we may not write any more */
};

/* One workload's turn, in the worker. */
struct job {
    struct podgroups *groups;
    struct worker *worker;
    uint64_t id;
    struct watch *watch;
    char *ns, *name;  /* own */
    json_t *replicas; /* array of [group, key] */
    json_t *object;   /* as it is read; NULL: not yet */
    const char *uid;  /* borrowed from it */
    uint64_t source;  /* what its objects are made from */
    unsigned ends;    /* the workload's, before the write under way */
    bool per_replica; /* it has groups that only pods name */
    json_t *wanted;   /* set of groups_wanted_key */
    int retry_after_ms;
    /* where something failed */
    struct karta_error err;
    enum metrics_podgroups_failure failure;
    bool tells;                          /* it is the user's to know */
    const struct kube_resource *refused; /* RBAC, so not this workload's alone */
};

void groups_work(struct worker *worker, uint64_t id);

/* podgroups_apply.c: one object of a profile. */
enum work_end groups_apply(struct job *job, const json_t *object);
/* podgroups_remove.c: what nobody wants any more. */
enum work_end groups_remove(struct job *job);
void groups_want(struct job *job, const struct watch *watch, const char *name);
/* Takes one object away, if it still has that uid; kube_client_ask's error, NOT_FOUND aside. */
enum work_end groups_delete(struct job *job, const struct watch *watch, const char *name,
                            const char *uid);

/* podgroups_ask.c: one request within our rate. */
int groups_ask(struct worker *worker, const struct kube_request *request,
               struct kube_answer *answer, struct karta_error *err);
/* What it means for the workload that a request failed; job->err has the error. */
enum work_end groups_judge(struct job *job, const struct kube_resource *resource,
                           const struct kube_answer *answer);
bool groups_may_write(struct podgroups *groups);
/* The API server does not answer: waits a little. */
void groups_pause(struct worker *worker, const struct karta_error *err, int retry_after_ms);
/* Says so once; NULL: it answers again. */
void groups_pause_said(struct podgroups *groups, const struct karta_error *err);

/* podgroups_tell.c: counts what failed, and says it once, in the log and to the user. */
void groups_tell(struct job *job);

#endif
