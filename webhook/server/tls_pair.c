/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a pair once, when it is loaded, and copies it for every handshake. */
#include "tls_pair.h"

#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tls_pair {
    atomic_uint refs;
    gnutls_datum_t chain[LIMIT_TLS_CHAIN]; /* DER */
    unsigned int count;
    gnutls_x509_privkey_t key;
    struct tls_facts facts;
};

static struct tls_store {
    pthread_mutex_t lock;
    struct tls_pair *pair;
    atomic_uint_fast64_t handshakes;
} store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static gnutls_datum_t datum(const char *text)
{
    return (gnutls_datum_t){.data = (unsigned char *)text, .size = (unsigned int)strlen(text)};
}

static void free_certs(gnutls_x509_crt_t *certs, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++)
        gnutls_x509_crt_deinit(certs[i]);
}

static int check_times(gnutls_x509_crt_t leaf, struct karta_error *err)
{
    char text[32];
    struct tm parts;
    time_t now = time(NULL);
    time_t begin = gnutls_x509_crt_get_activation_time(leaf);
    time_t end = gnutls_x509_crt_get_expiration_time(leaf);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(now < begin ? &begin : &end, &parts));
    if (now < begin)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the certificate is not valid before %s",
                               text);
    if (now > end)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the certificate expired at %s", text);
    return 0;
}

static int check_match(gnutls_x509_crt_t leaf, gnutls_x509_privkey_t key, struct karta_error *err)
{
    unsigned char of_cert[64];
    unsigned char of_key[64];
    size_t cert_size = sizeof of_cert;
    size_t key_size = sizeof of_key;
    if (gnutls_x509_crt_get_key_id(leaf, GNUTLS_KEYID_USE_SHA256, of_cert, &cert_size) == 0 &&
        gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, of_key, &key_size) == 0 &&
        cert_size == key_size && memcmp(of_cert, of_key, key_size) == 0)
        return 0;
    return karta_error_set(err, KARTA_ERR_SCHEMA,
                           "the private key does not belong to the certificate");
}

static int import_key(const char *pem, gnutls_x509_privkey_t *key, struct karta_error *err)
{
    if (gnutls_x509_privkey_init(key) < 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    gnutls_datum_t text = datum(pem);
    if (gnutls_x509_privkey_import2(*key, &text, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN) == 0)
        return 0;
    return karta_error_set(err, KARTA_ERR_SCHEMA,
                           "there is no PEM private key without a passphrase");
}

static int export_chain(struct tls_pair *pair, gnutls_x509_crt_t *certs, unsigned int count,
                        struct karta_error *err)
{
    for (; pair->count < count; pair->count++)
        if (gnutls_x509_crt_export2(certs[pair->count], GNUTLS_X509_FMT_DER,
                                    &pair->chain[pair->count]) < 0)
            return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return 0;
}

static void read_facts(gnutls_x509_crt_t leaf, struct tls_facts *facts)
{
    unsigned char serial[20];
    size_t size = sizeof serial;
    facts->not_after = (int64_t)gnutls_x509_crt_get_expiration_time(leaf);
    if (gnutls_x509_crt_get_serial(leaf, serial, &size) != 0)
        return;
    for (size_t i = 0; i < size; i++)
        snprintf(facts->serial + 2 * i, 3, "%02x", serial[i]);
}

/* Fills `pair`, which the caller frees after an error too. */
static int fill(struct tls_pair *pair, const char *cert_pem, const char *key_pem,
                struct karta_error *err)
{
    gnutls_x509_crt_t certs[LIMIT_TLS_CHAIN];
    unsigned int count = LIMIT_TLS_CHAIN;
    gnutls_datum_t text = datum(cert_pem);
    int found = gnutls_x509_crt_list_import(certs, &count, &text, GNUTLS_X509_FMT_PEM,
                                            GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);
    if (found == GNUTLS_E_SHORT_MEMORY_BUFFER)
        return karta_error_set(err, KARTA_ERR_LIMIT, "the chain has more than %d certificates",
                               LIMIT_TLS_CHAIN);
    if (found <= 0)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "there is no PEM certificate");
    int rc = import_key(key_pem, &pair->key, err);
    if (rc == 0)
        rc = check_match(certs[0], pair->key, err);
    if (rc == 0)
        rc = check_times(certs[0], err);
    if (rc == 0)
        rc = export_chain(pair, certs, (unsigned int)found, err);
    read_facts(certs[0], &pair->facts);
    free_certs(certs, (unsigned int)found);
    return rc;
}

int tls_pair_new(const char *cert_pem, const char *key_pem, struct tls_pair **pair,
                 struct karta_error *err)
{
    struct tls_pair *made = calloc(1, sizeof *made);
    if (made == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    atomic_init(&made->refs, 1);
    int rc = fill(made, cert_pem, key_pem, err);
    if (rc == 0)
        *pair = made;
    else
        tls_pair_unref(made);
    return rc;
}

void tls_pair_unref(struct tls_pair *pair)
{
    if (pair == NULL || atomic_fetch_sub(&pair->refs, 1) != 1)
        return;
    for (unsigned int i = 0; i < pair->count; i++)
        gnutls_free(pair->chain[i].data);
    gnutls_x509_privkey_deinit(pair->key);
    free(pair);
}

static struct tls_pair *store_take(void)
{
    pthread_mutex_lock(&store.lock);
    struct tls_pair *pair = store.pair;
    if (pair != NULL)
        atomic_fetch_add(&pair->refs, 1);
    pthread_mutex_unlock(&store.lock);
    return pair;
}

void tls_store_put(struct tls_pair *pair)
{
    pthread_mutex_lock(&store.lock);
    struct tls_pair *before = store.pair;
    store.pair = pair;
    pthread_mutex_unlock(&store.lock);
    tls_pair_unref(before);
}

struct tls_facts tls_store_facts(void)
{
    struct tls_pair *pair = store_take();
    struct tls_facts facts = pair != NULL ? pair->facts : (struct tls_facts){0};
    tls_pair_unref(pair);
    return facts;
}

uint64_t tls_store_handshakes(void)
{
    return atomic_load(&store.handshakes);
}

/* Copies of the chain that GnuTLS will free; NULL where one could not be made. */
static gnutls_pcert_st *copy_chain(const struct tls_pair *pair)
{
    gnutls_pcert_st *certs = gnutls_calloc(pair->count, sizeof *certs);
    for (unsigned int i = 0; certs != NULL && i < pair->count; i++) {
        if (gnutls_pcert_import_x509_raw(&certs[i], &pair->chain[i], GNUTLS_X509_FMT_DER, 0) < 0) {
            while (i > 0)
                gnutls_pcert_deinit(&certs[--i]);
            gnutls_free(certs);
            return NULL;
        }
    }
    return certs;
}

static gnutls_privkey_t copy_key(const struct tls_pair *pair)
{
    gnutls_privkey_t key;
    if (gnutls_privkey_init(&key) < 0)
        return NULL;
    if (gnutls_privkey_import_x509(key, pair->key, GNUTLS_PRIVKEY_IMPORT_COPY) == 0)
        return key;
    gnutls_privkey_deinit(key);
    return NULL;
}

int tls_store_callback(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                       gnutls_pcert_st **certs, unsigned int *cert_count,
                       gnutls_ocsp_data_st **ocsp, unsigned int *ocsp_count, gnutls_privkey_t *key,
                       unsigned int *flags)
{
    (void)info;
    /* the client CA may be swapped while the names that libmicrohttpd would list stay those of the
     * start, and clients send no certificate of a CA that is not listed: so none is */
    gnutls_certificate_send_x509_rdn_sequence(session, 1);
    struct tls_pair *pair = store_take();
    if (pair == NULL)
        return -1;
    *certs = copy_chain(pair);
    *key = *certs != NULL ? copy_key(pair) : NULL;
    *cert_count = pair->count;
    *ocsp = NULL;
    *ocsp_count = 0;
    *flags = GNUTLS_CERT_RETR_DEINIT_ALL;
    if (*certs != NULL && *key == NULL) {
        for (unsigned int i = 0; i < pair->count; i++)
            gnutls_pcert_deinit(&(*certs)[i]);
        gnutls_free(*certs);
    }
    bool given = *certs != NULL && *key != NULL;
    tls_pair_unref(pair);
    if (!given)
        return -1;
    atomic_fetch_add(&store.handshakes, 1);
    return 0;
}
