/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define MOST_BODY ((size_t)64 << 20)

int client_tcp(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct timeval limit = {.tv_sec = 60};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool set_up(struct client *client, const struct client_tls *tls)
{
    if (gnutls_certificate_allocate_credentials(&client->credentials) < 0 ||
        gnutls_certificate_set_x509_trust_file(client->credentials, tls->ca, GNUTLS_X509_FMT_PEM) <=
            0)
        return false;
    if (tls->cert != NULL && gnutls_certificate_set_x509_key_file(
                                 client->credentials, tls->cert, tls->key, GNUTLS_X509_FMT_PEM) < 0)
        return false;
    if (gnutls_init(&client->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0)
        return false;
    int chosen = tls->priorities != NULL
                     ? gnutls_priority_set_direct(client->session, tls->priorities, NULL)
                     : gnutls_set_default_priority(client->session);
    gnutls_credentials_set(client->session, GNUTLS_CRD_CERTIFICATE, client->credentials);
    gnutls_session_set_verify_cert(client->session, "127.0.0.1", 0);
    gnutls_transport_set_int(client->session, client->fd);
    return chosen >= 0;
}

bool client_open(struct client *client, int port, const struct client_tls *tls)
{
    *client = (struct client){.fd = client_tcp(port)};
    if (client->fd < 0)
        return false;
    int rc = set_up(client, tls) ? GNUTLS_E_AGAIN : GNUTLS_E_INTERNAL_ERROR;
    for (int i = 0; i < 100 && rc < 0 && !gnutls_error_is_fatal(rc); i++)
        rc = gnutls_handshake(client->session);
    if (rc == 0)
        return true;
    client_close(client);
    return false;
}

bool client_open_plain(struct client *client, int port)
{
    *client = (struct client){.fd = client_tcp(port)};
    return client->fd >= 0;
}

void client_close(struct client *client)
{
    if (client->session != NULL)
        gnutls_deinit(client->session);
    if (client->credentials != NULL)
        gnutls_certificate_free_credentials(client->credentials);
    if (client->fd >= 0)
        close(client->fd);
    *client = (struct client){.fd = -1};
}

static ssize_t put(struct client *client, const void *bytes, size_t size)
{
    if (client->session == NULL)
        return send(client->fd, bytes, size, MSG_NOSIGNAL);
    ssize_t n;
    do
        n = gnutls_record_send(client->session, bytes, size);
    while (n == GNUTLS_E_INTERRUPTED);
    return n;
}

static ssize_t get(struct client *client, void *bytes, size_t size)
{
    if (client->session == NULL)
        return recv(client->fd, bytes, size, 0);
    ssize_t n;
    do
        n = gnutls_record_recv(client->session, bytes, size);
    while (n == GNUTLS_E_INTERRUPTED || (n == GNUTLS_E_AGAIN && errno == EINTR));
    return n;
}

bool client_send(struct client *client, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = put(client, at, size < 16384 ? size : 16384);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* Byte by byte up to the empty line: what follows stays for the next answer. */
static bool read_head(struct client *client, struct answer *answer)
{
    size_t size = 0;
    while (size + 1 < sizeof answer->head) {
        if (get(client, answer->head + size, 1) != 1)
            return false;
        answer->head[++size] = '\0';
        if (size >= 4 && strcmp(answer->head + size - 4, "\r\n\r\n") == 0)
            return true;
    }
    return false;
}

static const char *find_header(const char *head, const char *name)
{
    size_t size = strlen(name);
    for (const char *line = strchr(head, '\n'); line != NULL; line = strchr(line + 1, '\n'))
        if (strncasecmp(line + 1, name, size) == 0 && line[1 + size] == ':')
            return line + 2 + size + strspn(line + 2 + size, " ");
    return NULL;
}

static bool read_body(struct client *client, struct answer *answer)
{
    const char *length = find_header(answer->head, "content-length");
    size_t size = length != NULL ? strtoul(length, NULL, 10) : 0;
    answer->body = size <= MOST_BODY ? calloc(1, size + 1) : NULL;
    while (answer->body != NULL && answer->size < size) {
        ssize_t n = get(client, answer->body + answer->size, size - answer->size);
        if (n <= 0)
            return false;
        answer->size += (size_t)n;
    }
    return answer->body != NULL;
}

bool client_read(struct client *client, struct answer *answer)
{
    *answer = (struct answer){0};
    int status = 100;
    while (status == 100) {
        if (!read_head(client, answer) || sscanf(answer->head, "HTTP/1.%*d %d", &status) != 1)
            return false;
        answer->continues += status == 100;
    }
    const char *connection = find_header(answer->head, "connection");
    answer->close = connection != NULL && strncasecmp(connection, "close", 5) == 0;
    if (!read_body(client, answer)) {
        answer_dispose(answer);
        return false;
    }
    answer->status = status;
    return true;
}

void answer_dispose(struct answer *answer)
{
    free(answer->body);
    answer->body = NULL;
    answer->status = 0;
}

bool client_is_closed(struct client *client, int ms)
{
    struct pollfd wait = {.fd = client->fd, .events = POLLIN};
    char byte;
    if (poll(&wait, 1, ms) <= 0)
        return false;
    return get(client, &byte, 1) <= 0;
}

bool client_post(struct client *client, const char *path, const char *body, struct answer *answer)
{
    char head[512];
    int size = snprintf(head, sizeof head,
                        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        "Content-Length: %zu\r\n\r\n",
                        path, strlen(body));
    *answer = (struct answer){0};
    return client_send(client, head, (size_t)size) && client_send(client, body, strlen(body)) &&
           client_read(client, answer);
}

bool client_get(struct client *client, const char *path, struct answer *answer)
{
    char head[512];
    int size = snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    *answer = (struct answer){0};
    return client_send(client, head, (size_t)size) && client_read(client, answer);
}
