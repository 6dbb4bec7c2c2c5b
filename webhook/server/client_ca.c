/* SPDX-License-Identifier: Apache-2.0 */
/* A trust list is made whole, then only read; the verdict is given under a read lock, so that a
 * swap waits for the few microseconds of those under way. */
#include "client_ca.h"

#include <gnutls/x509.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "karta/engine.h"

#define LIMIT_PEM_BYTES (1U << 20)
#define LIMIT_CHAIN 8

struct client_ca {
    const char *path;
    char *first; /* PEM */
    pthread_rwlock_t lock;
    gnutls_x509_trust_list_t list;
    atomic_uint generation;
    struct stamp stamp;
    struct doubt doubt;
};

/* *pem is new, also after an error. */
static int make_list(const char *path, char **pem, gnutls_x509_trust_list_t *list,
                     struct karta_error *err)
{
    size_t size;
    int rc = file_read_regular(path, LIMIT_PEM_BYTES, pem, &size, err);
    if (rc != 0)
        return rc;
    gnutls_x509_trust_list_t made;
    if (gnutls_x509_trust_list_init(&made, 0) < 0)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    gnutls_datum_t text = {.data = (unsigned char *)*pem, .size = (unsigned)size};
    if (gnutls_x509_trust_list_add_trust_mem(made, &text, NULL, GNUTLS_X509_FMT_PEM, 0, 0) <= 0) {
        gnutls_x509_trust_list_deinit(made, 1);
        return karta_error_set(err, KARTA_ERR_SCHEMA, "%s holds no PEM certificate", path);
    }
    *list = made;
    return 0;
}

int client_ca_new(const char *path, struct client_ca **ca, struct karta_error *err)
{
    struct client_ca *made = calloc(1, sizeof *made);
    if (made == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    made->path = path;
    stamp_renew(&made->stamp, path);
    int rc = make_list(path, &made->first, &made->list, err);
    if (rc != 0) {
        free(made->first);
        free(made);
        return rc;
    }
    pthread_rwlock_init(&made->lock, NULL);
    *ca = made;
    return 0;
}

void client_ca_free(struct client_ca *ca)
{
    if (ca == NULL)
        return;
    gnutls_x509_trust_list_deinit(ca->list, 1);
    pthread_rwlock_destroy(&ca->lock);
    free(ca->first);
    free(ca);
}

static void swap(struct client_ca *ca, gnutls_x509_trust_list_t list)
{
    pthread_rwlock_wrlock(&ca->lock);
    gnutls_x509_trust_list_t before = ca->list;
    ca->list = list;
    atomic_fetch_add(&ca->generation, 1);
    pthread_rwlock_unlock(&ca->lock);
    gnutls_x509_trust_list_deinit(before, 1);
}

enum look client_ca_check(struct client_ca *ca, bool again, const struct log *log)
{
    bool differs = stamp_renew(&ca->stamp, ca->path);
    if (!doubt_wants(&ca->doubt, differs, again))
        return LOOK_SAME;
    struct karta_error err = {0};
    KARTA_AUTO_TEXT pem = NULL;
    gnutls_x509_trust_list_t list;
    if (make_list(ca->path, &pem, &list, &err) == 0) {
        doubt_ends(&ca->doubt);
        swap(ca, list);
        LOG_WRITE(log, LOG_LEVEL_INFO, "client CA loaded", log_text("file", ca->path));
        return LOOK_LOADED;
    }
    if (!doubt_is_over(&ca->doubt, differs, again, karta_engine_now_ms()))
        return LOOK_SAME;
    LOG_WRITE(log, LOG_LEVEL_WARN, "client CA not loaded, the one before stays",
              log_text("error", err.message));
    return LOOK_REFUSED;
}

const char *client_ca_first(const struct client_ca *ca)
{
    return ca->first;
}

unsigned client_ca_generation(struct client_ca *ca)
{
    return atomic_load(&ca->generation);
}

static bool verify(struct client_ca *ca, gnutls_x509_crt_t *chain, unsigned count)
{
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned status = 1;
    pthread_rwlock_rdlock(&ca->lock);
    int rc =
        gnutls_x509_trust_list_verify_crt2(ca->list, chain, count, &purpose, 1, 0, &status, NULL);
    pthread_rwlock_unlock(&ca->lock);
    return rc == 0 && status == 0;
}

bool client_ca_trusts(struct client_ca *ca, gnutls_session_t session)
{
    unsigned shown = 0;
    const gnutls_datum_t *der = gnutls_certificate_get_peers(session, &shown);
    gnutls_x509_crt_t chain[LIMIT_CHAIN];
    unsigned count = 0;
    bool read = der != NULL && shown > 0 && shown <= LIMIT_CHAIN;
    while (read && count < shown) {
        read = gnutls_x509_crt_init(&chain[count]) == 0;
        if (!read)
            break;
        read = gnutls_x509_crt_import(chain[count], &der[count], GNUTLS_X509_FMT_DER) == 0;
        count++;
    }
    bool trusted = read && verify(ca, chain, count);
    for (unsigned i = 0; i < count; i++)
        gnutls_x509_crt_deinit(chain[i]);
    return trusted;
}
