/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 over a socket that never blocks: every wait is for the client and for the server's own
 * word at once, so that nothing a client does keeps the server from dying. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "server.h"

#define HEAD_MOST (64U << 10)
#define BODY_MOST (3U << 20) /* as the real one */

/* False: the server dies. Sets *ready when the socket has something. */
static bool wait_for(struct api_conn *conn, short events, int ms, short *ready)
{
    struct pollfd fds[] = {{conn->fd, events, 0}, {conn->wake, POLLIN, 0}};
    int rc = poll(fds, 2, ms);
    if (rc > 0 && fds[1].revents != 0) {
        eventfd_t count;
        eventfd_read(conn->wake, &count);
    }
    *ready = rc > 0 ? fds[0].revents : 0;
    return !atomic_load(&conn->server->stopping);
}

static bool wait_until(struct api_conn *conn, short events)
{
    short ready = 0;
    while (ready == 0)
        if (!wait_for(conn, events, -1, &ready))
            return false;
    return true;
}

static short wanted(struct api_conn *conn)
{
    return gnutls_record_get_direction(conn->tls) == 1 ? POLLOUT : POLLIN;
}

static bool again(ssize_t rc)
{
    return rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED;
}

bool http_handshake(struct api_conn *conn)
{
    if (conn->server->credentials == NULL)
        return true;
    if (gnutls_init(&conn->tls, GNUTLS_SERVER | GNUTLS_NONBLOCK) != 0)
        abort();
    gnutls_set_default_priority(conn->tls);
    gnutls_credentials_set(conn->tls, GNUTLS_CRD_CERTIFICATE, conn->server->credentials);
    gnutls_transport_set_int(conn->tls, conn->fd);
    int rc;
    while ((rc = gnutls_handshake(conn->tls)) != 0)
        if (gnutls_error_is_fatal(rc) || !wait_until(conn, wanted(conn)))
            return false;
    return true;
}

/* More than 0, or the connection is of no more use. */
static ssize_t receive(struct api_conn *conn, char *bytes, size_t size)
{
    for (;;) {
        ssize_t got = conn->tls != NULL ? gnutls_record_recv(conn->tls, bytes, size)
                                        : recv(conn->fd, bytes, size, 0);
        if (got > 0)
            return got;
        bool wait = conn->tls != NULL ? again(got) : got < 0 && errno == EAGAIN;
        if (!wait || !wait_until(conn, POLLIN))
            return 0;
    }
}

bool http_send(struct api_conn *conn, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = conn->tls != NULL ? gnutls_record_send(conn->tls, at, size)
                                         : send(conn->fd, at, size, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
            continue;
        }
        bool wait = conn->tls != NULL ? again(sent) : sent < 0 && errno == EAGAIN;
        if (!wait || !wait_until(conn, POLLOUT))
            return false;
    }
    return !atomic_load(&conn->server->stopping);
}

bool http_chunk(struct api_conn *conn, const char *text, size_t size)
{
    KARTA_AUTO_TEXT chunk = mem_format("%zx\r\n%.*s\r\n", size, (int)size, text);
    return http_send(conn, chunk, strlen(chunk));
}

bool http_pause(struct api_conn *conn, int ms)
{
    short ready = 0;
    return wait_for(conn, POLLIN | POLLRDHUP, ms, &ready) && ready == 0;
}

/* Reads until `size` bytes are there; false: they never come. */
static bool fill(struct api_conn *conn, size_t size)
{
    char bytes[16384];
    while (conn->in_size < size) {
        ssize_t got = receive(conn, bytes, sizeof bytes);
        char *grown = got > 0 ? realloc(conn->in, conn->in_size + (size_t)got + 1) : NULL;
        if (grown == NULL)
            return false;
        memcpy(grown + conn->in_size, bytes, (size_t)got);
        conn->in = grown;
        conn->in_size += (size_t)got;
        grown[conn->in_size] = '\0';
    }
    return true;
}

/* New: the first `size` bytes of what was read. */
static char *take(struct api_conn *conn, size_t size)
{
    char *bytes = calloc(1, size + 1);
    if (bytes == NULL)
        abort();
    if (size > 0)
        memcpy(bytes, conn->in, size);
    conn->in_size -= size;
    if (conn->in != NULL)
        memmove(conn->in, conn->in + size, conn->in_size + 1);
    return bytes;
}

static char *read_head(struct api_conn *conn)
{
    char *end = NULL;
    while (conn->in == NULL || (end = strstr(conn->in, "\r\n\r\n")) == NULL)
        if (conn->in_size > HEAD_MOST || !fill(conn, conn->in_size + 1))
            return NULL;
    return take(conn, (size_t)(end - conn->in) + 4);
}

static bool read_body(struct api_conn *conn, struct api_request *request)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    size_t size = strtoul(request_header(request, "content-length"), NULL, 10);
    if (size > BODY_MOST || request_header(request, "transfer-encoding")[0] != '\0')
        return false;
    if (strcasecmp(request_header(request, "expect"), "100-continue") == 0 &&
        !http_send(conn, go_on, sizeof go_on - 1))
        return false;
    if (!fill(conn, size))
        return false;
    request->body = take(conn, size);
    request->body_size = size;
    return true;
}

bool http_read(struct api_conn *conn, struct api_request *request)
{
    KARTA_AUTO_TEXT head = read_head(conn);
    return head != NULL && request_parse(request, head) && read_body(conn, request);
}

char *http_head(const struct api_answer *answer, ssize_t size, bool close)
{
    char length[64] = "Transfer-Encoding: chunked\r\n";
    if (size >= 0)
        snprintf(length, sizeof length, "Content-Length: %zd\r\n", size);
    char retry[64] = "";
    if (answer->retry_after != 0)
        snprintf(retry, sizeof retry, "Retry-After: %d\r\n", answer->retry_after);
    char etag[128] = "";
    if (answer->etag[0] != '\0')
        snprintf(etag, sizeof etag, "Etag: %s\r\nVary: Accept\r\n", answer->etag);
    /* HTTP/2 has no words for a status: nobody may read them */
    return mem_format("HTTP/1.1 %d Whatever\r\nAudit-Id: 1\r\nContent-Type: %s\r\n%s%s%s%s\r\n",
                      answer->status, answer->type != NULL ? answer->type : "application/json",
                      answer->status != 304 ? length : "", retry, etag,
                      close ? "Connection: close\r\n" : "");
}

void http_close(struct api_conn *conn)
{
    if (atomic_load(&conn->server->stopping)) {
        struct linger reset = {1, 0};
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    } else if (conn->tls != NULL) {
        gnutls_bye(conn->tls, GNUTLS_SHUT_WR);
    }
    if (conn->tls != NULL)
        gnutls_deinit(conn->tls);
    close(conn->fd);
    close(conn->wake);
    free(conn->in);
}
