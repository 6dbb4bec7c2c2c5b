/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for tests, good and bad, and the ways in which files are replaced. Names are below
 * the server's folder. */
#ifndef KARTA_TESTS_PAIRS_H
#define KARTA_TESTS_PAIRS_H

#include "harness.h"

/* New CA and pair in NAME: ca.crt, ca.key, tls.crt, tls.key. */
void make_pair(const struct running *server, const char *name);

/* A certificate of the CA in folder `ca`, valid from and to so many seconds from now; NAME.crt and
 * NAME.key. For 127.0.0.1 and localhost. */
struct cert_wish {
    const char *ca, *name;
    const char *purpose; /* an OID */
    int from, to;
};
void make_cert(const struct running *server, const struct cert_wish *wish);

/* Text of a file, new. */
char *read_below(const struct running *server, const char *name);
void write_below(const struct running *server, const char *name, const char *text);
/* Puts the text of `from` in the place of `to`, by rename. */
void install(const struct running *server, const char *from, const char *to);
/* Both files of folder `from` as tls.key and tls.crt, the key first, with a pause between. */
void install_pair(const struct running *server, const char *from);

/* Starts with tls.crt and tls.key, which are those of folder "a"; there is a folder "b" too. */
void start_with_files(struct running *server);
/* Whether a client that trusts only the CA in folder `name` gets a connection within `ms`. */
bool is_served(const struct running *server, const char *name, int ms);
size_t count_warnings(const struct running *server);

#endif
