/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share; OpenSSL's types stay inside it. */
#ifndef KARTA_CERTS_INTERNAL_H
#define KARTA_CERTS_INTERNAL_H

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdbool.h>

#include "base/mem.h"
#include "certs.h"

static inline void certs_free_x509(X509 **cert)
{
    X509_free(*cert);
}
static inline void certs_free_key(EVP_PKEY **key)
{
    EVP_PKEY_free(*key);
}
#define CERTS_AUTO_X509 KARTA_CLEANUP(certs_free_x509) X509 *
#define CERTS_AUTO_KEY KARTA_CLEANUP(certs_free_key) EVP_PKEY *

/* Stores what OpenSSL says went wrong, as KARTA_ERR_INTERNAL: "cannot <what>: <reason>". */
int certs_fail(struct karta_error *err, const char *what);

/* `san` as an IP address in network order (*size 4 or 16), or *size 0 where it is a DNS name.
 * KARTA_ERR_SCHEMA where it is neither. */
int certs_san_parse(const char *san, unsigned char address[16], size_t *size,
                    struct karta_error *err);
/* The alternative names of `cert`, comma separated, cut to fit. */
void certs_sans_print(const X509 *cert, char *text, size_t room);
bool certs_sans_cover(const X509 *cert, const char *const *sans, size_t count);

/* New key on P-256, or NULL. */
EVP_PKEY *certs_key_new(void);

struct certs_issue {
    EVP_PKEY *key;      /* the subject's */
    const X509 *issuer; /* NULL: a CA that signs itself */
    EVP_PKEY *issuer_key;
    const char *name; /* common name */
    const char *const *sans;
    size_t san_count;
    int64_t days;
};
/* *cert is new. A leaf never outlives its issuer. */
int certs_issue(const struct certs_issue *what, X509 **cert, struct karta_error *err);

/* New PEM text of a key; of a certificate and, where not NULL, its issuer. NULL: out of memory. */
char *certs_key_pem(EVP_PKEY *key);
char *certs_chain_pem(X509 *cert, X509 *issuer);

/* First certificate, first private key of a PEM text; NULL where there is none. */
X509 *certs_pem_cert(const char *pem);
EVP_PKEY *certs_pem_key(const char *pem);

/* One certificate and its key, in memory. */
struct certs_pair {
    X509 *cert;
    EVP_PKEY *key;
};
void certs_pair_dispose(struct certs_pair *pair);
#define CERTS_AUTO_PAIR KARTA_CLEANUP(certs_pair_dispose) struct certs_pair

/* Matching, begun, and not past two thirds of its life; the CA a CA; the leaf signed by it and for
 * every name that is wanted. */
bool certs_ca_is_good(const struct certs_pair *ca, int64_t now);
bool certs_leaf_is_good(const struct certs_pair *leaf, const struct certs_pair *ca,
                        const struct certs_options *options, int64_t now);
/* New ones, into what is disposed first. */
int certs_make_ca(const struct certs_options *options, struct certs_pair *ca,
                  struct karta_error *err);
int certs_make_leaf(const struct certs_options *options, const struct certs_pair *ca,
                    struct certs_pair *leaf, struct karta_error *err);
int certs_check_sans(const struct certs_options *options, struct karta_error *err);

/* Seconds since the epoch. */
int64_t certs_time(const ASN1_TIME *time);

#endif
