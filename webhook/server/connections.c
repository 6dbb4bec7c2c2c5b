/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list under one mutex; what changes with every request (phase, deadline) is atomic in the entry,
 * so that requests never wait for the list. A descriptor is shut down only under the mutex, and
 * an entry leaves the list under it before its descriptor is closed: so it is never another's.
 */
#include "connections.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "karta/engine.h"

#define REQUEST_MS 10000
/* between requests; the API server keeps idle connections for 90 s */
#define IDLE_MS 120000

enum phase { PHASE_NEW, PHASE_REQUEST, PHASE_ANSWER, PHASE_IDLE };

struct connection {
    struct connection *next, *prev;
    int fd;
    const struct connection_limits *limits; /* the table's */
    _Atomic int phase;
    _Atomic uint64_t peer; /* a generation, and in the lower two bits an enum connection_peer */
    _Atomic int64_t since_ms, deadline_ms;
    atomic_bool served;
    bool closing; /* under the table's mutex */
};

struct connections {
    pthread_mutex_t lock;
    struct connection *first;
    size_t count, closing;
    struct connection_limits limits;
};

struct connection_limits connection_limits(size_t soft)
{
    return (struct connection_limits){
        .soft = soft, .request_ms = REQUEST_MS, .idle_ms = IDLE_MS, .now_ms = karta_engine_now_ms};
}

struct connections *connections_new(const struct connection_limits *limits)
{
    struct connections *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->limits = *limits;
    pthread_mutex_init(&table->lock, NULL);
    return table;
}

void connections_free(struct connections *table)
{
    if (table == NULL)
        return;
    while (table->first != NULL) {
        struct connection *next = table->first->next;
        free(table->first);
        table->first = next;
    }
    pthread_mutex_destroy(&table->lock);
    free(table);
}

static void enter(struct connection *entry, enum phase phase, int64_t allowed_ms)
{
    int64_t now = entry->limits->now_ms();
    atomic_store(&entry->phase, (int)phase);
    atomic_store(&entry->since_ms, now);
    atomic_store(&entry->deadline_ms, now + allowed_ms);
}

static void shut_down(struct connections *table, struct connection *entry)
{
    if (entry->closing)
        return;
    entry->closing = true;
    table->closing++;
    shutdown(entry->fd, SHUT_RDWR);
}

/* Whether `entry` is a better victim than `best`: never served, then idle; the longest first. One
 * that waits for its answer, or is in a later request, is none. */
static bool goes_before(const struct connection *entry, const struct connection *best)
{
    bool fresh = !atomic_load(&entry->served);
    int phase = atomic_load(&entry->phase);
    if (entry->closing || phase == PHASE_ANSWER || (!fresh && phase != PHASE_IDLE))
        return false;
    if (best == NULL)
        return true;
    bool best_fresh = !atomic_load(&best->served);
    if (fresh != best_fresh)
        return fresh;
    return atomic_load(&entry->since_ms) < atomic_load(&best->since_ms);
}

static void make_room(struct connections *table)
{
    if (table->count - table->closing <= table->limits.soft)
        return;
    struct connection *victim = NULL;
    for (struct connection *entry = table->first; entry != NULL; entry = entry->next)
        if (goes_before(entry, victim))
            victim = entry;
    if (victim != NULL)
        shut_down(table, victim);
}

struct connection *connections_add(struct connections *table, int fd)
{
    struct connection *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->fd = fd;
    entry->limits = &table->limits;
    enter(entry, PHASE_NEW, table->limits.request_ms);
    pthread_mutex_lock(&table->lock);
    make_room(table);
    entry->next = table->first;
    if (entry->next != NULL)
        entry->next->prev = entry;
    table->first = entry;
    table->count++;
    pthread_mutex_unlock(&table->lock);
    return entry;
}

void connections_drop(struct connections *table, struct connection *entry)
{
    pthread_mutex_lock(&table->lock);
    if (entry->prev != NULL)
        entry->prev->next = entry->next;
    else
        table->first = entry->next;
    if (entry->next != NULL)
        entry->next->prev = entry->prev;
    table->count--;
    table->closing -= entry->closing;
    pthread_mutex_unlock(&table->lock);
    free(entry);
}

void connections_notify(void *table, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = info != NULL ? connections_add(table, info->connect_fd) : NULL;
    } else if (*context != NULL) {
        connections_drop(table, *context);
    }
}

struct connection *connections_entry(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

void connection_request_begins(struct connection *entry)
{
    if (entry != NULL)
        enter(entry, PHASE_REQUEST, entry->limits->request_ms);
}

void connection_body_is_whole(struct connection *entry)
{
    if (entry != NULL)
        enter(entry, PHASE_ANSWER, entry->limits->request_ms);
}

void connection_request_ends(struct connection *entry, int completed)
{
    if (entry == NULL)
        return;
    if (completed)
        atomic_store(&entry->served, true);
    enter(entry, PHASE_IDLE, entry->limits->idle_ms);
}

enum connection_peer connection_peer(const struct connection *entry, unsigned generation)
{
    uint64_t known = entry != NULL ? atomic_load(&entry->peer) : 0;
    return known >> 2 == generation ? (enum connection_peer)(known & 3) : PEER_UNKNOWN;
}

void connection_set_peer(struct connection *entry, enum connection_peer peer, unsigned generation)
{
    if (entry != NULL)
        atomic_store(&entry->peer, (uint64_t)generation << 2 | (uint64_t)peer);
}

size_t connections_count(struct connections *table)
{
    pthread_mutex_lock(&table->lock);
    size_t count = table->count;
    pthread_mutex_unlock(&table->lock);
    return count;
}

void connections_reap(struct connections *table)
{
    int64_t now = table->limits.now_ms();
    pthread_mutex_lock(&table->lock);
    for (struct connection *entry = table->first; entry != NULL; entry = entry->next)
        if (atomic_load(&entry->deadline_ms) <= now)
            shut_down(table, entry);
    pthread_mutex_unlock(&table->lock);
}

/* Before its first request, or between two. */
static bool may_be_closed(const struct connection *entry)
{
    int phase = atomic_load(&entry->phase);
    return phase == PHASE_NEW || phase == PHASE_IDLE;
}

void connections_close_idle(struct connections *table, int64_t ms)
{
    int64_t before = table->limits.now_ms() - ms;
    pthread_mutex_lock(&table->lock);
    for (struct connection *entry = table->first; entry != NULL; entry = entry->next)
        if (may_be_closed(entry) && atomic_load(&entry->since_ms) <= before)
            shut_down(table, entry);
    pthread_mutex_unlock(&table->lock);
}
