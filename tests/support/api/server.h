/* SPDX-License-Identifier: Apache-2.0 */
/* The double as its own files see it: one lock over everything, a thread a connection, and an
 * eventfd each by which a thread that waits for its client is told to look around. */
#ifndef KARTA_TESTS_API_SERVER_INTERNAL_H
#define KARTA_TESTS_API_SERVER_INTERNAL_H

#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "../api_server.h"
#include "answer.h"
#include "request.h"
#include "store.h"

struct api_rule {
    char *verb, *plural; /* NULL: any */
    enum api_fault fault;
    int number, times; /* times 0: for ever */
};

struct api_conn {
    struct api_server *server;
    struct api_conn *next;
    pthread_t thread;
    int fd, wake;
    gnutls_session_t tls; /* NULL: plain */
    char *in;             /* what was read and not used */
    size_t in_size;
    char *watching;           /* the plural, while a watch runs; under the lock */
    unsigned ends, bookmarks; /* of the server's that this watch has seen */
    atomic_bool done;
};

struct api_server {
    pthread_mutex_t lock;
    struct api_store store;
    struct api_rule *rules; /* the newest last */
    size_t rule_count;
    json_t *asked; /* "VERB PLURAL" to a count */
    json_t *stale; /* groups */
    struct api_conn *conns;
    unsigned ends, bookmarks; /* how often watches were ended, bookmarks sent */
    atomic_bool stopping;

    int listen_fd, wake, port;
    pthread_t acceptor;
    char url[64];
    char *token, *cert_file, *key_file;
    bool old_discovery, beta_discovery;
    gnutls_certificate_credentials_t credentials;
};

void server_lock(struct api_server *server);
/* Wakes whoever watches. */
void server_unlock(struct api_server *server); /* and every connection looks again */
/* After reading alone: watches that woke each other would never rest. */
void server_unlock_read(struct api_server *server);

/* http.c: false, everywhere: the client is gone or the server dies. */
bool http_handshake(struct api_conn *conn);
bool http_read(struct api_conn *conn, struct api_request *request);
bool http_send(struct api_conn *conn, const void *bytes, size_t size);
bool http_chunk(struct api_conn *conn, const char *text, size_t size);
/* Waits until woken or `ms` are over (-1: for ever). A client has nothing to say meanwhile. */
bool http_pause(struct api_conn *conn, int ms);
/* New head of an answer; size -1: chunked. */
char *http_head(const struct api_answer *answer, ssize_t size, bool close);
/* Closes, by a reset when the server dies. */
void http_close(struct api_conn *conn);

/* faults.c: counts the request and says what goes wrong with it. Wants the lock. */
struct api_rule faults_take(struct api_server *server, const struct api_request *request);
/* API_FAULT_STATUS. Wants the lock. */
void faults_status(struct api_server *server, const struct api_request *request, int code,
                   struct api_answer *answer);
void faults_lie(struct api_server *server, const struct api_request *request,
                struct api_answer *answer);
void faults_dispose(struct api_server *server);

/* serve.c: one request, answered; false: the connection ends. */
bool serve(struct api_conn *conn, const struct api_request *request);
/* stream.c: a watch. */
bool stream_watch(struct api_conn *conn, const struct api_request *request,
                  const struct api_rule *rule);

#endif
