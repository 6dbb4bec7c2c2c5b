/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a shared pair's life. The one idea: look at what is there and do the first thing that
 * is due, so that whoever comes next, after whatever crash, goes on from there. */
#include "certs_shared.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "certs_internal.h"

/* CAs live for years and are followed after two thirds of that */
#define BUNDLE_MOST 16

/* What the texts hold. */
struct parts {
    struct certs_pair ca, leaf;
};

static void parts_dispose(struct parts *parts)
{
    certs_pair_dispose(&parts->ca);
    certs_pair_dispose(&parts->leaf);
}

void certs_shared_dispose(struct certs_shared *shared)
{
    free(shared->ca_cert);
    if (shared->ca_key != NULL)
        OPENSSL_cleanse(shared->ca_key, strlen(shared->ca_key));
    free(shared->ca_key);
    free(shared->bundle);
    free(shared->cert);
    if (shared->key != NULL)
        OPENSSL_cleanse(shared->key, strlen(shared->key));
    free(shared->key);
    *shared = (struct certs_shared){0};
}

static int refuse(struct karta_error *err, const char *name, const char *what)
{
    return karta_error_set(err, KARTA_ERR_SCHEMA, "%s %s", name, what);
}

static int read_pair(const char *cert, const char *key, const char *cert_name, const char *key_name,
                     struct certs_pair *pair, struct karta_error *err)
{
    pair->cert = certs_pem_cert(cert != NULL ? cert : "");
    if (pair->cert == NULL)
        return refuse(err, cert_name, "holds no PEM certificate");
    pair->key = certs_pem_key(key != NULL ? key : "");
    if (pair->key == NULL)
        return refuse(err, key_name, "holds no PEM private key");
    int matches = X509_check_private_key(pair->cert, pair->key);
    ERR_clear_error();
    return matches == 1 ? 0 : refuse(err, key_name, "does not belong to its certificate");
}

static int read_parts(const struct certs_shared *shared, struct parts *parts,
                      struct karta_error *err)
{
    int rc = read_pair(shared->ca_cert, shared->ca_key, "ca.crt", "ca.key", &parts->ca, err);
    if (rc == 0 && X509_check_ca(parts->ca.cert) != 1)
        rc = refuse(err, "ca.crt", "is no CA's certificate");
    return rc != 0 ? rc
                   : read_pair(shared->cert, shared->key, "tls.crt", "tls.key", &parts->leaf, err);
}

static bool has_expired(const X509 *cert, int64_t now)
{
    return certs_time(X509_get0_notAfter(cert)) <= now;
}

/* Appends `cert` where the bundle does not have it. */
static char *add_to_bundle(char *bundle, X509 *cert)
{
    KARTA_AUTO_TEXT text = certs_chain_pem(cert, NULL);
    if (text != NULL && strstr(bundle, text) != NULL)
        return bundle;
    char *longer = text != NULL ? mem_format("%s%s", bundle, text) : NULL;
    free(bundle);
    return longer;
}

/* New text: `first`, then what `pem` has beside it and has not expired. NULL: out of memory. */
static char *bundle_of(X509 *first, const char *pem, int64_t now)
{
    char *bundle = certs_chain_pem(first, NULL);
    BIO *bio = BIO_new_mem_buf(pem != NULL ? pem : "", -1);
    for (int i = 0; bundle != NULL && bio != NULL && i < BUNDLE_MOST; i++) {
        CERTS_AUTO_X509 cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        if (cert == NULL)
            break;
        if (!has_expired(cert, now))
            bundle = add_to_bundle(bundle, cert);
    }
    BIO_free(bio);
    ERR_clear_error();
    return bundle;
}

static void replace(char **text, char *by)
{
    free(*text);
    *text = by;
}

/* Each text of `by` is taken. */
static int put(struct certs_shared *shared, const struct certs_shared *by)
{
    if (by->ca_cert != NULL)
        replace(&shared->ca_cert, by->ca_cert);
    if (by->ca_key != NULL)
        replace(&shared->ca_key, by->ca_key);
    if (by->bundle != NULL)
        replace(&shared->bundle, by->bundle);
    if (by->cert != NULL)
        replace(&shared->cert, by->cert);
    if (by->key != NULL)
        replace(&shared->key, by->key);
    return 0;
}

static int new_ca(struct certs_shared *shared, const struct certs_options *options, int64_t now,
                  struct parts *parts, struct karta_error *err)
{
    /* the one before stays trusted, whatever was made of the bundle meanwhile */
    KARTA_AUTO_TEXT before = mem_format("%s%s", shared->ca_cert != NULL ? shared->ca_cert : "",
                                        shared->bundle != NULL ? shared->bundle : "");
    int rc = before != NULL ? certs_make_ca(options, &parts->ca, err) : mem_error(err);
    if (rc != 0)
        return rc;
    struct certs_shared made = {.ca_cert = certs_chain_pem(parts->ca.cert, NULL),
                                .ca_key = certs_key_pem(parts->ca.key),
                                .bundle = bundle_of(parts->ca.cert, before, now)};
    if (made.ca_cert != NULL && made.ca_key != NULL && made.bundle != NULL)
        return put(shared, &made);
    certs_shared_dispose(&made);
    return mem_error(err);
}

static int new_leaf(struct certs_shared *shared, const struct certs_options *options, int64_t now,
                    struct parts *parts, struct karta_error *err)
{
    int rc = certs_make_leaf(options, &parts->ca, &parts->leaf, err);
    if (rc != 0)
        return rc;
    struct certs_shared made = {.bundle = bundle_of(parts->ca.cert, shared->bundle, now),
                                .cert = certs_chain_pem(parts->leaf.cert, parts->ca.cert),
                                .key = certs_key_pem(parts->leaf.key)};
    if (made.cert != NULL && made.key != NULL && made.bundle != NULL)
        return put(shared, &made);
    certs_shared_dispose(&made);
    return mem_error(err);
}

static int first(struct certs_shared *shared, const struct certs_options *options, int64_t now,
                 struct parts *parts, struct karta_error *err)
{
    int rc = new_ca(shared, options, now, parts, err);
    if (rc == 0)
        rc = new_leaf(shared, options, now, parts, err);
    if (rc != 0)
        certs_shared_dispose(shared);
    return rc;
}

static bool is_empty(const struct certs_shared *shared)
{
    return shared->ca_cert == NULL && shared->ca_key == NULL && shared->bundle == NULL &&
           shared->cert == NULL && shared->key == NULL;
}

int certs_shared_step(struct certs_shared *shared, const struct certs_options *options,
                      bool trusted, int64_t now, enum certs_step *step, struct karta_error *err)
{
    KARTA_CLEANUP(parts_dispose) struct parts parts = {0};
    *step = CERTS_STEP_NONE;
    int rc = certs_check_sans(options, err);
    if (rc == 0 && is_empty(shared)) {
        *step = CERTS_STEP_FIRST;
        return first(shared, options, now, &parts, err);
    }
    if (rc == 0)
        rc = read_parts(shared, &parts, err);
    if (rc != 0)
        return rc;
    if (!certs_ca_is_good(&parts.ca, now)) {
        *step = CERTS_STEP_CA;
        return new_ca(shared, options, now, &parts, err);
    }
    bool due = !certs_leaf_is_good(&parts.leaf, &parts.ca, options, now);
    if (!due || (!trusted && !has_expired(parts.leaf.cert, now)))
        return 0;
    *step = CERTS_STEP_LEAF;
    return new_leaf(shared, options, now, &parts, err);
}
