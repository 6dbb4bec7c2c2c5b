/* SPDX-License-Identifier: Apache-2.0 */
#include "raw_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

bool raw_send(struct raw_server *server, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(atomic_load(&server->connection), bytes, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool raw_say(struct raw_server *server, const char *text)
{
    return raw_send(server, text, strlen(text));
}

void raw_wait(struct raw_server *server)
{
    char bytes[256];
    while (recv(atomic_load(&server->connection), bytes, sizeof bytes, 0) > 0)
        continue;
}

static size_t body_size(const char *head)
{
    for (const char *line = head; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, "content-length:", 15) == 0)
            return strtoul(line + 15, NULL, 10);
    }
    return 0;
}

/* The head and the body behind it; false where the connection ended before. */
static bool read_request(int fd, char *bytes, size_t room)
{
    size_t size = 0;
    while (size + 1 < room) {
        ssize_t got = recv(fd, bytes + size, room - 1 - size, 0);
        if (got <= 0)
            return false;
        size += (size_t)got;
        bytes[size] = '\0';
        char *end = strstr(bytes, "\r\n\r\n");
        if (end != NULL && size >= (size_t)(end + 4 - bytes) + body_size(bytes))
            return true;
    }
    return false;
}

static void *serve(void *arg)
{
    struct raw_server *server = arg;
    char head[65536];
    while (!atomic_load(&server->stopping)) {
        int fd = accept(server->fd, NULL, NULL);
        if (fd < 0)
            continue;
        atomic_store(&server->connection, fd);
        if (!atomic_load(&server->stopping) && read_request(fd, head, sizeof head))
            server->answer(server, atomic_fetch_add(&server->requests, 1), head);
        atomic_store(&server->connection, -1);
        close(fd);
    }
    return NULL;
}

void raw_server_start(struct raw_server *server,
                      void (*answer)(struct raw_server *server, size_t number, const char *head),
                      void *arg)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    memset(server, 0, sizeof *server);
    server->answer = answer;
    server->arg = arg;
    atomic_store(&server->connection, -1);
    server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(bind(server->fd, (struct sockaddr *)&address, size) == 0, "bind");
    must(listen(server->fd, 16) == 0, "listen");
    must(getsockname(server->fd, (struct sockaddr *)&address, &size) == 0, "getsockname");
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    must(pthread_create(&server->thread, NULL, serve, server) == 0, "pthread_create");
}

void raw_server_stop(struct raw_server *server)
{
    atomic_store(&server->stopping, true);
    shutdown(server->fd, SHUT_RDWR);
    int connection = atomic_load(&server->connection);
    if (connection >= 0)
        shutdown(connection, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->fd);
}
