/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CA whose certificates callers must show, swapped while connections are open. libmicrohttpd
 * asks for the certificate; who is trusted is decided here, so that a new CA needs no restart. Any
 * thread, but one that checks the file.
 */
#ifndef KARTA_SERVER_CLIENT_CA_H
#define KARTA_SERVER_CLIENT_CA_H

#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "tls_files.h"

struct client_ca; /* opaque */

/* Reads the PEM file `path` (must outlive it). KARTA_ERR_IO, KARTA_ERR_SCHEMA with the file named.
 */
int client_ca_new(const char *path, struct client_ca **ca, struct karta_error *err);
void client_ca_free(struct client_ca *ca); /* NULL is allowed */

/* As tls_files_check; the last good CA stays. */
enum look client_ca_check(struct client_ca *ca, bool again, const struct log *log);

/* The PEM text of the start: libmicrohttpd asks callers for a certificate where it is given one. */
const char *client_ca_first(const struct client_ca *ca);

/* Counts the CAs that were in force: a verdict is good for one of them. */
unsigned client_ca_generation(struct client_ca *ca);
/* Whether the peer of `session` shows a certificate for TLS clients of the CA in force. */
bool client_ca_trusts(struct client_ca *ca, gnutls_session_t session);

#endif
