/* SPDX-License-Identifier: Apache-2.0 */
/* The socket and its threads: what starts, dies and returns. While it is dead the port stays bound
 * and nobody listens there: connections are refused, and no other program takes it. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "api server double: %s: %s\n", what, strerror(errno));
    abort();
}

void server_lock(struct api_server *server)
{
    pthread_mutex_lock(&server->lock);
}

static void wake_all(struct api_server *server)
{
    for (struct api_conn *conn = server->conns; conn != NULL; conn = conn->next)
        if (!atomic_load(&conn->done))
            eventfd_write(conn->wake, 1);
}

void server_unlock(struct api_server *server)
{
    wake_all(server);
    pthread_mutex_unlock(&server->lock);
}

void server_unlock_read(struct api_server *server)
{
    pthread_mutex_unlock(&server->lock);
}

static void *talk(void *arg)
{
    struct api_conn *conn = arg;
    bool goes_on = http_handshake(conn);
    while (goes_on) {
        struct api_request request = {0};
        goes_on = http_read(conn, &request) && serve(conn, &request);
        request_dispose(&request);
    }
    server_lock(conn->server);
    atomic_store(&conn->done, true);
    http_close(conn);
    server_unlock(conn->server);
    return NULL;
}

/* Joins who is done, or everybody. The acceptor's, or nobody accepts. */
static void reap(struct api_server *server, bool all)
{
    for (;;) {
        struct api_conn *found = NULL;
        server_lock(server);
        for (struct api_conn **at = &server->conns; *at != NULL; at = &(*at)->next)
            if (all || atomic_load(&(*at)->done)) {
                found = *at;
                break;
            }
        server_unlock(server);
        if (found == NULL)
            return;
        pthread_join(found->thread, NULL);
        server_lock(server);
        struct api_conn **at = &server->conns;
        while (*at != found)
            at = &(*at)->next;
        *at = found->next;
        server_unlock(server);
        free(found);
    }
}

static void welcome(struct api_server *server, int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct api_conn *conn = calloc(1, sizeof *conn);
    need(conn != NULL, "memory");
    conn->server = server;
    conn->fd = fd;
    conn->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    need(conn->wake >= 0, "eventfd");
    server_lock(server);
    conn->next = server->conns;
    server->conns = conn;
    need(pthread_create(&conn->thread, NULL, talk, conn) == 0, "thread");
    server_unlock(server);
}

static void *accept_all(void *arg)
{
    struct api_server *server = arg;
    while (!atomic_load(&server->stopping)) {
        struct pollfd fds[] = {{server->listen_fd, POLLIN, 0}, {server->wake, POLLIN, 0}};
        poll(fds, 2, -1);
        reap(server, false);
        int fd = accept4(server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            welcome(server, fd);
    }
    return NULL;
}

static void bind_port(struct api_server *server)
{
    int on = 1;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)server->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    need(server->listen_fd >= 0, "socket");
    setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    need(bind(server->listen_fd, (struct sockaddr *)&at, size) == 0, "bind");
    need(getsockname(server->listen_fd, (struct sockaddr *)&at, &size) == 0, "port");
    server->port = ntohs(at.sin_port);
}

static void listen_again(struct api_server *server)
{
    eventfd_t count;
    eventfd_read(server->wake, &count);
    atomic_store(&server->stopping, false);
    need(listen(server->listen_fd, 128) == 0, "listen");
    need(pthread_create(&server->acceptor, NULL, accept_all, server) == 0, "thread");
}

static void stop(struct api_server *server)
{
    atomic_store(&server->stopping, true);
    eventfd_write(server->wake, 1);
    pthread_join(server->acceptor, NULL);
    close(server->listen_fd);
    server->listen_fd = -1;
    server_lock(server);
    server_unlock(server);
    reap(server, true);
}

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

struct api_server *api_server_start(const struct api_server_options *options)
{
    static const struct api_server_options none;
    if (options == NULL)
        options = &none;
    struct api_server *server = calloc(1, sizeof *server);
    need(server != NULL, "memory");
    pthread_mutex_init(&server->lock, NULL);
    store_init(&server->store);
    server->asked = json_object();
    server->stale = json_object();
    server->token = copy(options->token);
    server->old_discovery = options->old_discovery;
    server->beta_discovery = options->beta_discovery;
    server->port = options->port;
    if (options->cert_file != NULL) {
        need(gnutls_certificate_allocate_credentials(&server->credentials) == 0, "TLS");
        need(gnutls_certificate_set_x509_key_file(server->credentials, options->cert_file,
                                                  options->key_file, GNUTLS_X509_FMT_PEM) == 0,
             options->cert_file);
    }
    server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    need(server->wake >= 0, "eventfd");
    bind_port(server);
    snprintf(server->url, sizeof server->url, "http%s://127.0.0.1:%d",
             server->credentials != NULL ? "s" : "", server->port);
    listen_again(server);
    return server;
}

void api_server_die(struct api_server *server)
{
    if (atomic_load(&server->stopping))
        return;
    stop(server);
    bind_port(server);
}

void api_server_return(struct api_server *server)
{
    if (atomic_load(&server->stopping))
        listen_again(server);
}

void api_server_free(struct api_server *server)
{
    if (server == NULL)
        return;
    if (!atomic_load(&server->stopping))
        stop(server);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    close(server->wake);
    faults_dispose(server);
    store_dispose(&server->store);
    json_decref(server->asked);
    json_decref(server->stale);
    if (server->credentials != NULL)
        gnutls_certificate_free_credentials(server->credentials);
    free(server->token);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

int api_server_port(const struct api_server *server)
{
    return server->port;
}

const char *api_server_url(const struct api_server *server)
{
    return server->url;
}
