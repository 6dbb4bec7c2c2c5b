/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own CA and serving certificate, in a folder: ECDSA P-256, by OpenSSL, which no other room
 * uses for certificates. Thread rule: any thread; two processes on one folder are told apart by a
 * lock file, the second waits.
 *
 * Files in the folder: ca.crt, ca.key, tls.crt (leaf, then CA), tls.key; keys are mode 0600, the
 * folder 0700 when made here. Each is replaced by rename, the key before the certificate.
 */
#ifndef KARTA_CERTS_H
#define KARTA_CERTS_H

#include <stddef.h>
#include <stdint.h>

#include "karta/error.h"

struct certs_options {
    const char *dir;
    const char *const *sans; /* DNS names and IP addresses of the serving certificate */
    size_t san_count;
    int64_t ca_days, leaf_days; /* 0: the defaults, 3650 and 365 */
};

/*
 * Makes what is missing, or due: a pair past two thirds of its life, that does not match its key,
 * that lacks a wanted SAN, or whose CA is not ours. What is still good is left as it is. *renewed
 * (may be NULL) says whether the serving certificate is new. Basic constraints and key usages as
 * RFC 5280 has them: CA keyCertSign + cRLSign, leaf digitalSignature and serverAuth; serial numbers
 * random; notBefore five minutes back.
 * KARTA_ERR_IO with the file and reason, KARTA_ERR_SCHEMA for a SAN that is neither name nor
 * address (`san "a b" is neither a DNS name nor an IP address`).
 */
int certs_ensure(const struct certs_options *options, int *renewed, struct karta_error *err);

/* What one PEM certificate file says of its first certificate. */
struct certs_info {
    int64_t not_before, not_after; /* seconds since the epoch */
    char serial[64];               /* hex, lower case */
    char subject[256];
    char sans[512]; /* comma separated */
};
int certs_read_info(const char *path, struct certs_info *info, struct karta_error *err);

/*
 * 0 when `cert_pem` and `key_pem` (PEM text) parse, belong together and are in their time of
 * validity at `now`; else KARTA_ERR_SCHEMA with the reason in a sentence. *info may be NULL.
 */
int certs_check_pair(const char *cert_pem, const char *key_pem, int64_t now,
                     struct certs_info *info, struct karta_error *err);

#endif
