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

/* from accept, or from a request's first line, to the end of its body; and for its answer */
#define REQUEST_MS 10000
/* between requests; the API server keeps idle connections for 90 s */
#define IDLE_MS 120000

enum phase { PHASE_NEW, PHASE_REQUEST, PHASE_IDLE };

struct connection {
    struct connection *next, *prev;
    int fd;
    _Atomic int phase, peer;
    _Atomic int64_t since_ms, deadline_ms;
    atomic_bool served;
    bool closing; /* under the table's mutex */
};

struct connections {
    pthread_mutex_t lock;
    struct connection *first;
    size_t count, closing, soft_limit;
};

struct connections *connections_new(size_t soft_limit)
{
    struct connections *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->soft_limit = soft_limit;
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
    int64_t now = karta_engine_now_ms();
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

/* Whether `entry` is a better victim than `best`: never served, then idle; the longest first. */
static bool goes_before(const struct connection *entry, const struct connection *best)
{
    bool fresh = !atomic_load(&entry->served);
    if (entry->closing || (!fresh && atomic_load(&entry->phase) != PHASE_IDLE))
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
    if (table->count - table->closing <= table->soft_limit)
        return;
    struct connection *victim = NULL;
    for (struct connection *entry = table->first; entry != NULL; entry = entry->next)
        if (goes_before(entry, victim))
            victim = entry;
    if (victim != NULL)
        shut_down(table, victim);
}

static void add(struct connections *table, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct connection *entry = info != NULL ? calloc(1, sizeof *entry) : NULL;
    *context = entry;
    if (entry == NULL)
        return;
    entry->fd = info->connect_fd;
    enter(entry, PHASE_NEW, REQUEST_MS);
    pthread_mutex_lock(&table->lock);
    make_room(table);
    entry->next = table->first;
    if (entry->next != NULL)
        entry->next->prev = entry;
    table->first = entry;
    table->count++;
    pthread_mutex_unlock(&table->lock);
}

static void drop(struct connections *table, struct connection *entry)
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
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        add(table, connection, context);
    else if (*context != NULL)
        drop(table, *context);
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
        enter(entry, PHASE_REQUEST, REQUEST_MS);
}

void connection_body_is_whole(struct connection *entry)
{
    if (entry != NULL)
        enter(entry, PHASE_REQUEST, REQUEST_MS);
}

void connection_request_ends(struct connection *entry, int completed)
{
    if (entry == NULL)
        return;
    if (completed)
        atomic_store(&entry->served, true);
    enter(entry, PHASE_IDLE, IDLE_MS);
}

enum connection_peer connection_peer(const struct connection *entry)
{
    return entry != NULL ? (enum connection_peer)atomic_load(&entry->peer) : PEER_UNKNOWN;
}

void connection_set_peer(struct connection *entry, enum connection_peer peer)
{
    if (entry != NULL)
        atomic_store(&entry->peer, (int)peer);
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
    int64_t now = karta_engine_now_ms();
    pthread_mutex_lock(&table->lock);
    for (struct connection *entry = table->first; entry != NULL; entry = entry->next)
        if (atomic_load(&entry->deadline_ms) <= now)
            shut_down(table, entry);
    pthread_mutex_unlock(&table->lock);
}

void connections_close_idle(struct connections *table, int64_t ms)
{
    int64_t before = karta_engine_now_ms() - ms;
    pthread_mutex_lock(&table->lock);
    for (struct connection *entry = table->first; entry != NULL; entry = entry->next)
        if (atomic_load(&entry->phase) != PHASE_REQUEST && atomic_load(&entry->since_ms) <= before)
            shut_down(table, entry);
    pthread_mutex_unlock(&table->lock);
}
