/* SPDX-License-Identifier: Apache-2.0 */
/* A server that answers with the bytes it is told to, for what no API server would say. One
 * connection at a time, one request each. */
#ifndef KARTA_TESTS_RAW_SERVER_H
#define KARTA_TESTS_RAW_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct raw_server {
    int fd;
    char url[64];
    /* Answers the request whose head is `head`, the `number`th from 0, by raw_send. */
    void (*answer)(struct raw_server *server, size_t number, const char *head);
    void *arg;
    pthread_t thread;
    atomic_int connection;
    atomic_size_t requests;
    atomic_bool stopping;
};

void raw_server_start(struct raw_server *server,
                      void (*answer)(struct raw_server *server, size_t number, const char *head),
                      void *arg);
void raw_server_stop(struct raw_server *server);
/* False once the other side is gone. */
bool raw_send(struct raw_server *server, const char *bytes, size_t size);
bool raw_say(struct raw_server *server, const char *text);
/* Waits until the client hangs up, or the server is stopped. */
void raw_wait(struct raw_server *server);

#endif
