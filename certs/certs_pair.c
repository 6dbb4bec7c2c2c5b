/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs in memory: which are good, and how they are made. */
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "certs_internal.h"

#define DEFAULT_CA_DAYS 3650
#define DEFAULT_LEAF_DAYS 365

void certs_pair_dispose(struct certs_pair *pair)
{
    X509_free(pair->cert);
    EVP_PKEY_free(pair->key);
    *pair = (struct certs_pair){0};
}

/* Complete, matching, begun, and not past two thirds of its life. */
static bool is_fresh(const struct certs_pair *pair, int64_t now)
{
    if (pair->cert == NULL || pair->key == NULL)
        return false;
    int matches = X509_check_private_key(pair->cert, pair->key);
    ERR_clear_error();
    int64_t begin = certs_time(X509_get0_notBefore(pair->cert));
    int64_t end = certs_time(X509_get0_notAfter(pair->cert));
    return matches == 1 && now >= begin && now < begin + (end - begin) / 3 * 2;
}

bool certs_ca_is_good(const struct certs_pair *ca, int64_t now)
{
    return is_fresh(ca, now) && X509_check_ca(ca->cert) == 1;
}

bool certs_leaf_is_good(const struct certs_pair *leaf, const struct certs_pair *ca,
                        const struct certs_options *options, int64_t now)
{
    if (!is_fresh(leaf, now))
        return false;
    int signed_by_us = X509_verify(leaf->cert, ca->key);
    ERR_clear_error();
    return signed_by_us == 1 && certs_sans_cover(leaf->cert, options->sans, options->san_count);
}

int certs_make_ca(const struct certs_options *options, struct certs_pair *ca,
                  struct karta_error *err)
{
    certs_pair_dispose(ca);
    ca->key = certs_key_new();
    if (ca->key == NULL)
        return certs_fail(err, "make a key");
    struct certs_issue what = {.key = ca->key,
                               .name = "karta-webhook CA",
                               .days = options->ca_days > 0 ? options->ca_days : DEFAULT_CA_DAYS};
    return certs_issue(&what, &ca->cert, err);
}

int certs_make_leaf(const struct certs_options *options, const struct certs_pair *ca,
                    struct certs_pair *leaf, struct karta_error *err)
{
    certs_pair_dispose(leaf);
    leaf->key = certs_key_new();
    if (leaf->key == NULL)
        return certs_fail(err, "make a key");
    struct certs_issue what = {.key = leaf->key,
                               .issuer = ca->cert,
                               .issuer_key = ca->key,
                               .name = "karta-webhook",
                               .sans = options->sans,
                               .san_count = options->san_count,
                               .days =
                                   options->leaf_days > 0 ? options->leaf_days : DEFAULT_LEAF_DAYS};
    return certs_issue(&what, &leaf->cert, err);
}

int certs_check_sans(const struct certs_options *options, struct karta_error *err)
{
    if (options->san_count == 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "a serving certificate needs a san");
    for (size_t i = 0; i < options->san_count; i++) {
        unsigned char address[16];
        size_t size;
        int rc = certs_san_parse(options->sans[i], address, &size, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}
