/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every open connection of one listener, with the moment at which it must be done. libmicrohttpd's
 * own timeout is idle time, which a byte a second defeats; the deadlines here are absolute. The
 * table never closes a descriptor: it shuts the socket down, and libmicrohttpd cleans up.
 * Any thread.
 */
#ifndef KARTA_SERVER_CONNECTIONS_H
#define KARTA_SERVER_CONNECTIONS_H

#include <microhttpd.h>
#include <stdint.h>

struct connections; /* opaque */
struct connection;  /* opaque; lives until libmicrohttpd says that it is closed */

/* What is allowed, and the clock that it is measured with. */
struct connection_limits {
    size_t soft;        /* above so many open ones each new one costs another its life */
    int64_t request_ms; /* from accept, or a request's first line, to the end of its body; and again
                           for its answer */
    int64_t idle_ms;    /* between two requests */
    int64_t (*now_ms)(void);
};
/* The server's own, with the engine's clock. */
struct connection_limits connection_limits(size_t soft);

/* NULL: out of memory. */
struct connections *connections_new(const struct connection_limits *limits);
/* After the daemon was stopped. */
void connections_free(struct connections *table);

/* For MHD_OPTION_NOTIFY_CONNECTION, with the table as its closure. */
void connections_notify(void *table, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what);

/* What connections_notify does, for a socket that is nobody's yet; the entry is NULL where memory
 * is out. */
struct connection *connections_add(struct connections *table, int fd);
void connections_drop(struct connections *table, struct connection *entry);

/* The entry of `connection`; NULL where memory was out when it was accepted. */
struct connection *connections_entry(struct MHD_Connection *connection);

/* Steps of a request. `entry` may be NULL. */
void connection_request_begins(struct connection *entry); /* its first line is here */
void connection_body_is_whole(struct connection *entry);  /* the answer has its own time now */
void connection_request_ends(struct connection *entry, int completed);

/* Whether the caller's certificate was verified, by the CA of that generation: unknown at first and
 * after the CA was replaced. */
enum connection_peer { PEER_UNKNOWN, PEER_TRUSTED, PEER_REFUSED };
enum connection_peer connection_peer(const struct connection *entry, unsigned generation);
void connection_set_peer(struct connection *entry, enum connection_peer peer, unsigned generation);

size_t connections_count(struct connections *table);
/* Shuts down what is past its deadline. About four times a second. */
void connections_reap(struct connections *table);
/* Shuts down what is between two requests, or before its first, for `ms` and longer. */
void connections_close_idle(struct connections *table, int64_t ms);

#endif
