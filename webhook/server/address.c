/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening sockets are made here and not by libmicrohttpd, so that a port that is taken is a
 * sentence with the system's reason, before any thread exists.
 */
#include "address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct host_port {
    char host[64];
    char port[6];
};

/* Splits at the last colon; brackets are dropped. */
static int split(const char *text, struct host_port *parts, struct karta_error *err)
{
    const char *colon = strrchr(text, ':');
    const char *host = text;
    size_t size = colon != NULL ? (size_t)(colon - text) : 0;
    if (size >= 2 && host[0] == '[' && host[size - 1] == ']') {
        host++;
        size -= 2;
    } else if (colon != NULL && memchr(text, ':', size) != NULL) {
        colon =
            NULL; /* an IPv6 address without brackets: where its port begins is anyone's guess */
    }
    size_t digits = colon != NULL ? strspn(colon + 1, "0123456789") : 0;
    int port = digits > 0 && digits <= 5 && colon[1 + digits] == '\0' ? atoi(colon + 1) : -1;
    if (port < 0 || port > 65535 || size >= sizeof parts->host)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "\"%s\" is not ADDR:PORT, e.g. 127.0.0.1:9443", text);
    memcpy(parts->host, host, size);
    parts->host[size] = '\0';
    snprintf(parts->port, sizeof parts->port, "%d", port);
    return 0;
}

int address_check(const char *text, struct karta_error *err)
{
    struct host_port parts;
    return split(text, &parts, err);
}

static int fail(const char *text, const char *reason, struct karta_error *err)
{
    char lower[128];
    snprintf(lower, sizeof lower, "%s", reason);
    lower[0] = (char)tolower((unsigned char)lower[0]);
    return karta_error_set(err, KARTA_ERR_IO, "cannot listen on %s: %s", text, lower);
}

/* Every refusal of `text` for the system's reason; the socket is closed. */
static int give_up(int fd, const char *text, struct karta_error *err)
{
    int reason = errno;
    if (fd >= 0)
        close(fd);
    return fail(text, strerror(reason), err);
}

static int open_socket(const struct addrinfo *info, const char *text, int *fd,
                       struct karta_error *err)
{
    int made = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1;
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(made, info->ai_addr, info->ai_addrlen) != 0 || listen(made, SOMAXCONN) != 0)
        return give_up(made, text, err);
    *fd = made;
    return 0;
}

static void print_real(int fd, char real[ADDRESS_TEXT])
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[INET6_ADDRSTRLEN] = "";
    real[0] = '\0';
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        return;
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        snprintf(real, ADDRESS_TEXT, "[%s]:%d", host, ntohs(v6->sin6_port));
    } else {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
        snprintf(real, ADDRESS_TEXT, "%s:%d", host, ntohs(v4->sin_port));
    }
}

int address_listen(const char *text, int *fd, char real[ADDRESS_TEXT], struct karta_error *err)
{
    struct host_port parts;
    int rc = split(text, &parts, err);
    if (rc != 0)
        return rc;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    int resolved =
        getaddrinfo(parts.host[0] != '\0' ? parts.host : NULL, parts.port, &hints, &found);
    if (resolved != 0)
        return fail(text, gai_strerror(resolved), err);
    rc = open_socket(found, text, fd, err);
    freeaddrinfo(found);
    if (rc == 0)
        print_real(*fd, real);
    return rc;
}
