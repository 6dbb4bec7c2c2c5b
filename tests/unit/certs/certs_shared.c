/* SPDX-License-Identifier: Apache-2.0 */
/* A shared pair through its life, judged by openssl as those who verify us would. */
#include "certs_shared.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "support.h"

#define DAY 86400

static const char *const sans[] = {"karta-webhook.karta-system.svc"};

static struct certs_options options(int64_t ca_days, int64_t leaf_days)
{
    return (struct certs_options){
        .sans = sans, .san_count = 1, .ca_days = ca_days, .leaf_days = leaf_days};
}

static enum certs_step step(struct certs_shared *shared, const struct certs_options *what,
                            bool trusted, int64_t days)
{
    struct karta_error err = {0};
    enum certs_step done;
    int rc = certs_shared_step(shared, what, trusted, time(NULL) + days * DAY, &done, &err);
    if (rc != 0)
        fail_msg("%s", err.message);
    return done;
}

static X509 *read_cert(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(cert);
    return cert;
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        found++;
    return found;
}

/* Whether who has `bundle` accepts what is served. */
static bool verifies(const char *bundle, const char *served)
{
    X509_STORE *store = X509_STORE_new();
    BIO *bio = BIO_new_mem_buf(bundle, -1);
    for (X509 *ca; (ca = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL; X509_free(ca))
        X509_STORE_add_cert(store, ca);
    X509 *leaf = read_cert(served);
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509_STORE_CTX_init(context, store, leaf, NULL);
    bool good = X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    X509_free(leaf);
    BIO_free(bio);
    X509_STORE_free(store);
    return good;
}

static void step__makes_everything_once(void **state)
{
    (void)state;
    struct certs_shared shared = {0};
    struct certs_options what = options(0, 0);
    assert_int_equal(step(&shared, &what, false, 0), CERTS_STEP_FIRST);
    assert_int_equal(step(&shared, &what, false, 0), CERTS_STEP_NONE);
    assert_int_equal(step(&shared, &what, true, 0), CERTS_STEP_NONE);
    assert_true(verifies(shared.bundle, shared.cert));
    assert_int_equal(count(shared.bundle, "BEGIN CERTIFICATE"), 1);
    X509 *leaf = read_cert(shared.cert);
    assert_int_equal(X509_check_host(leaf, sans[0], 0, 0, NULL), 1);
    X509_free(leaf);
    certs_shared_dispose(&shared);
}

static void step__renews_the_leaf_when_it_is_trusted(void **state)
{
    (void)state;
    struct certs_shared shared = {0};
    struct certs_options brief = options(3650, 9), what = options(3650, 365);
    step(&shared, &brief, false, 0);
    KARTA_AUTO_TEXT before = strdup(shared.cert);
    assert_int_equal(step(&shared, &what, true, 5), CERTS_STEP_NONE);
    assert_int_equal(step(&shared, &what, false, 7), CERTS_STEP_NONE);
    assert_int_equal(step(&shared, &what, true, 7), CERTS_STEP_LEAF);
    assert_string_not_equal(shared.cert, before);
    assert_true(verifies(shared.bundle, shared.cert));
    assert_int_equal(step(&shared, &what, true, 7), CERTS_STEP_NONE);
    certs_shared_dispose(&shared);
}

/* At no moment is something served that the bundle of the moment before does not verify. */
static void step__follows_a_ca_without_a_gap(void **state)
{
    (void)state;
    struct certs_shared shared = {0};
    struct certs_options brief = options(9, 365), what = options(3650, 365);
    step(&shared, &brief, false, 0);
    KARTA_AUTO_TEXT old_bundle = strdup(shared.bundle);
    KARTA_AUTO_TEXT old_cert = strdup(shared.cert);
    assert_int_equal(step(&shared, &what, true, 7), CERTS_STEP_CA);
    assert_string_equal(shared.cert, old_cert);
    assert_int_equal(count(shared.bundle, "BEGIN CERTIFICATE"), 2);
    assert_true(verifies(old_bundle, shared.cert));
    assert_true(verifies(shared.bundle, shared.cert));
    /* not before the new bundle is with those who verify us */
    assert_int_equal(step(&shared, &what, false, 7), CERTS_STEP_NONE);
    assert_int_equal(step(&shared, &what, true, 7), CERTS_STEP_LEAF);
    assert_false(verifies(old_bundle, shared.cert));
    assert_true(verifies(shared.bundle, shared.cert));
    assert_int_equal(count(shared.bundle, "BEGIN CERTIFICATE"), 2);
    assert_int_equal(step(&shared, &what, true, 7), CERTS_STEP_NONE);
    certs_shared_dispose(&shared);
}

static void step__drops_a_ca_when_it_has_expired(void **state)
{
    (void)state;
    struct certs_shared shared = {0};
    struct certs_options brief = options(3, 365), next = options(30, 365),
                         what = options(3650, 365);
    step(&shared, &brief, false, 0);
    assert_int_equal(step(&shared, &next, true, 2), CERTS_STEP_CA);
    assert_int_equal(step(&shared, &next, true, 2), CERTS_STEP_LEAF);
    assert_int_equal(step(&shared, &what, true, 22), CERTS_STEP_CA);
    assert_int_equal(count(shared.bundle, "BEGIN CERTIFICATE"), 2);
    certs_shared_dispose(&shared);
}

/* Nobody is served by what has expired: then there is nothing to break any more. */
static void step__does_not_wait_where_the_leaf_has_expired(void **state)
{
    (void)state;
    struct certs_shared shared = {0};
    struct certs_options brief = options(3650, 3), what = options(3650, 365);
    step(&shared, &brief, false, 0);
    assert_int_equal(step(&shared, &what, false, 4), CERTS_STEP_LEAF);
    certs_shared_dispose(&shared);
}

static void step__renews_for_a_new_name(void **state)
{
    (void)state;
    static const char *const more[] = {"karta-webhook.karta-system.svc", "10.0.0.7"};
    struct certs_shared shared = {0};
    struct certs_options what = options(0, 0);
    struct certs_options wider = {.sans = more, .san_count = 2};
    step(&shared, &what, false, 0);
    assert_int_equal(step(&shared, &wider, true, 0), CERTS_STEP_LEAF);
    assert_int_equal(step(&shared, &wider, true, 0), CERTS_STEP_NONE);
    certs_shared_dispose(&shared);
}

static void refused(struct certs_shared *shared, const char *message)
{
    struct karta_error err = {0};
    enum certs_step done;
    struct certs_options what = options(0, 0);
    assert_int_equal(certs_shared_step(shared, &what, true, time(NULL), &done, &err),
                     KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, message);
}

static void swap(char **a, char **b)
{
    char *kept = *a;
    *a = *b;
    *b = kept;
}

static void step__refuses_nonsense_and_changes_nothing(void **state)
{
    (void)state;
    struct certs_shared shared = {0}, other = {0};
    struct certs_options what = options(0, 0);
    char nonsense[] = "nonsense";
    char *text = nonsense;
    step(&shared, &what, false, 0);
    step(&other, &what, false, 0);
    KARTA_AUTO_TEXT cert = strdup(shared.cert);
    swap(&shared.ca_cert, &text);
    refused(&shared, "ca.crt holds no PEM certificate");
    swap(&shared.ca_cert, &text);
    swap(&shared.key, &text);
    refused(&shared, "tls.key holds no PEM private key");
    swap(&shared.key, &text);
    swap(&shared.key, &other.key);
    refused(&shared, "tls.key does not belong to its certificate");
    swap(&shared.key, &other.key);
    swap(&shared.ca_cert, &shared.cert);
    refused(&shared, "ca.key does not belong to its certificate");
    swap(&shared.ca_cert, &shared.cert);
    char *absent = NULL;
    swap(&shared.cert, &absent);
    refused(&shared, "tls.crt holds no PEM certificate");
    swap(&shared.cert, &absent);
    assert_string_equal(shared.cert, cert);
    assert_int_equal(step(&shared, &what, true, 0), CERTS_STEP_NONE);
    certs_shared_dispose(&shared);
    certs_shared_dispose(&other);
}

/* A bundle that somebody emptied gets its CAs back with the next step. */
static void step__mends_the_bundle(void **state)
{
    (void)state;
    struct certs_shared shared = {0};
    struct certs_options brief = options(9, 365), what = options(3650, 365);
    step(&shared, &brief, false, 0);
    free(shared.bundle);
    shared.bundle = strdup("");
    assert_int_equal(step(&shared, &what, true, 7), CERTS_STEP_CA);
    assert_int_equal(count(shared.bundle, "BEGIN CERTIFICATE"), 2);
    assert_true(verifies(shared.bundle, shared.cert));
    certs_shared_dispose(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__makes_everything_once),
        cmocka_unit_test(step__renews_the_leaf_when_it_is_trusted),
        cmocka_unit_test(step__follows_a_ca_without_a_gap),
        cmocka_unit_test(step__drops_a_ca_when_it_has_expired),
        cmocka_unit_test(step__does_not_wait_where_the_leaf_has_expired),
        cmocka_unit_test(step__renews_for_a_new_name),
        cmocka_unit_test(step__refuses_nonsense_and_changes_nothing),
        cmocka_unit_test(step__mends_the_bundle),
    };
    return cmocka_run_group_tests_name("certs_shared", tests, NULL, NULL);
}
