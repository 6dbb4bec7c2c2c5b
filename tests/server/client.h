/* SPDX-License-Identifier: Apache-2.0 */
/* A client that knows nothing of politeness: raw bytes over TLS or plain TCP, and whole answers. No
 * function here fails a test, so threads may use them. */
#ifndef KARTA_TESTS_CLIENT_H
#define KARTA_TESTS_CLIENT_H

#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stddef.h>

struct client {
    int fd;
    gnutls_session_t session; /* NULL: plain TCP */
    gnutls_certificate_credentials_t credentials;
};

struct answer {
    int status;    /* 0: no whole answer came */
    int continues; /* how many "100 Continue" came before */
    bool close;    /* it said Connection: close */
    char head[8192];
    char *body; /* new */
    size_t size;
};

/* TCP to 127.0.0.1:port; -1 where it is refused. Reads and writes give up after a minute. */
int client_tcp(int port);

/* What a TLS client wants beyond the server's CA. */
struct client_tls {
    const char *ca;         /* PEM file that the server is verified against */
    const char *priorities; /* NULL: GnuTLS's own */
    const char *cert, *key; /* a client certificate, or NULL */
};
/* Connects and verifies (127.0.0.1); false with everything closed. */
bool client_open(struct client *client, int port, const struct client_tls *tls);
/* Plain HTTP. */
bool client_open_plain(struct client *client, int port);
void client_close(struct client *client);

bool client_send(struct client *client, const void *bytes, size_t size);
/* One answer; false where the connection ended before it was whole. */
bool client_read(struct client *client, struct answer *answer);
void answer_dispose(struct answer *answer);
/* True when the peer has closed, waiting at most `ms`. */
bool client_is_closed(struct client *client, int ms);

/* POST of `body` as JSON, and its answer. */
bool client_post(struct client *client, const char *path, const char *body, struct answer *answer);
bool client_get(struct client *client, const char *path, struct answer *answer);

#endif
