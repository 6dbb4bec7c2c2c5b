/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serving certificate and its key, swapped under running handshakes. A pair is immutable and
 * reference-counted; GnuTLS gets copies that it frees itself, because it may use what it was given
 * until the handshake ends, long after a swap. Any thread.
 */
#ifndef KARTA_SERVER_TLS_PAIR_H
#define KARTA_SERVER_TLS_PAIR_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "karta/error.h"

#define LIMIT_TLS_CHAIN 8 /* leaf, intermediates, root; real chains have three at most */

struct tls_pair; /* opaque */

/*
 * New pair of two PEM texts. KARTA_ERR_SCHEMA with a sentence where they cannot serve now: no
 * certificate, no key, not each other's, not valid yet, expired.
 */
int tls_pair_new(const char *cert_pem, const char *key_pem, struct tls_pair **pair,
                 struct karta_error *err);
void tls_pair_unref(struct tls_pair *pair);

/* The pair in force. One store serves the process: GnuTLS's callback has no closure. */
void tls_store_put(struct tls_pair *pair); /* taken; NULL empties it */
uint64_t tls_store_handshakes(void);       /* certificates handed out since the start */

/* What is to be known of the certificate in force. */
struct tls_facts {
    int64_t not_after;       /* seconds since the epoch; 0: there is no certificate */
    char serial[2 * 20 + 1]; /* hex, lower case; RFC 5280 allows twenty bytes */
};
struct tls_facts tls_store_facts(void);

/* For MHD_OPTION_HTTPS_CERT_CALLBACK2. */
int tls_store_callback(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                       gnutls_pcert_st **certs, unsigned int *cert_count,
                       gnutls_ocsp_data_st **ocsp, unsigned int *ocsp_count, gnutls_privkey_t *key,
                       unsigned int *flags);

#endif
