/* SPDX-License-Identifier: Apache-2.0 */
/* Two replicas and the Secret that they serve from. */
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>
#include <time.h>

#include "base/base64.h"
#include "base/mem.h"
#include "certs.h"
#include "follower.h"
#include "serving.h"

/* callers are believed to have a bundle never, or at once */
#define NEVER_MS 3600000
#define SOON_MS 1

/* One replica: what it was told to serve. */
struct replica {
    struct serving *serving;
    char *cert, *key;
    int served;
    bool refuses; /* nothing can be served */
};

static struct follower follower; /* its server, access and log alone */
static struct kube_client *client;
static struct replica one, two;
static const char *const sans[] = {"karta-webhook.karta.svc"};
static const char *const more[] = {"karta-webhook.karta.svc", "karta-webhook.karta"};

static int serve(void *arg, const char *cert, const char *key, struct karta_error *err)
{
    struct replica *replica = arg;
    if (replica->refuses)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "not today");
    free(replica->cert);
    free(replica->key);
    replica->cert = strdup(cert);
    replica->key = strdup(key);
    replica->served++;
    return 0;
}

static void start(struct replica *replica, const char *const *names, size_t count, int trust_ms)
{
    struct serving_config config = {.ns = "karta",
                                    .name = "karta-tls",
                                    .sans = names,
                                    .san_count = count,
                                    .trust_ms = trust_ms,
                                    .serve = serve,
                                    .arg = replica,
                                    .log = &follower.log};
    *replica = (struct replica){0};
    assert_int_equal(serving_new(&config, &replica->serving, NULL), 0);
}

static void stop(struct replica *replica)
{
    serving_free(replica->serving);
    free(replica->cert);
    free(replica->key);
    *replica = (struct replica){0};
}

static int setup(void **state)
{
    (void)state;
    follower_init(&follower);
    api_server_kind(follower.server, "", "v1", "Secret", "secrets", true, false);
    start(&one, sans, 1, NEVER_MS);
    start(&two, sans, 1, SOON_MS);
    return kube_client_new(&follower.access, NULL, &client, NULL);
}

static int teardown(void **state)
{
    (void)state;
    stop(&one);
    stop(&two);
    kube_client_free(client);
    follower_dispose(&follower);
    return 0;
}

static void keep(struct replica *replica, bool leads)
{
    struct karta_error err = {0};
    if (serving_keep(replica->serving, client, leads, &err) != 0)
        fail_msg("%s", err.message);
}

static void keep_fails(struct replica *replica, bool leads, const char *message)
{
    struct karta_error err = {0};
    assert_int_not_equal(serving_keep(replica->serving, client, leads, &err), 0);
    assert_string_equal(err.message, message);
}

/* New reference. */
static json_t *secret(void)
{
    json_t *object = api_server_get(follower.server, "secrets", "karta", "karta-tls");
    assert_non_null(object);
    return object;
}

/* New text of one of its entries. */
static char *entry(const char *key)
{
    json_auto_t *object = secret();
    size_t size;
    char *text = base64_decode(
        json_string_value(json_object_get(json_object_get(object, "data"), key)), &size);
    assert_non_null(text);
    return text;
}

static void set_entry(const char *key, const char *text)
{
    json_auto_t *stored = secret();
    json_auto_t *object = json_deep_copy(stored);
    KARTA_AUTO_TEXT encoded = base64_encode(text, strlen(text));
    json_object_set_new(json_object_get(object, "data"), key, json_string(encoded));
    api_server_put_json(follower.server, object);
}

static int count(const char *text)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, "BEGIN CERTIFICATE")) != NULL; at++)
        found++;
    return found;
}

static void tell(struct replica *replica)
{
    serving_told(replica->serving);
    nanosleep(&(struct timespec){0, 10 * SOON_MS * 1000000}, NULL);
}

static void keep__makes_the_secret_once(void **state)
{
    (void)state;
    assert_null(serving_bundle(one.serving));
    keep(&one, false);
    keep(&two, false);
    assert_string_equal(one.cert, two.cert);
    assert_string_equal(one.key, two.key);
    assert_string_equal(serving_bundle(one.serving), serving_bundle(two.serving));
    assert_int_equal(certs_check_pair(one.cert, one.key, (int64_t)time(NULL), NULL, NULL), 0);
    json_auto_t *object = secret();
    assert_int_equal(json_object_size(json_object_get(object, "data")), 5);
    keep(&one, true);
    keep(&two, false);
    assert_int_equal(one.served, 1);
    assert_int_equal(two.served, 1);
    json_auto_t *same = secret();
    assert_true(json_equal(object, same));
}

static void keep__says_who_was_faster(void **state)
{
    (void)state;
    api_server_fault(follower.server, "create", "secrets", API_FAULT_STATUS, 409, 1);
    keep_fails(&one, true, "another replica made the secret just now");
    assert_int_equal(one.served, 0);
    keep(&one, true);
    assert_int_equal(one.served, 1);
}

static void keep__names_what_may_not_be(void **state)
{
    (void)state;
    api_server_fault(follower.server, "get", "secrets", API_FAULT_STATUS, 403, 0);
    struct karta_error err = {0};
    assert_int_not_equal(serving_keep(one.serving, client, true, &err), 0);
    assert_non_null(strstr(err.message, "get secrets: forbidden (403)"));
    assert_null(serving_bundle(one.serving));
}

/* A new name: nobody is served by the new certificate before callers had the bundle for long. */
static void keep__renews_when_callers_had_the_bundle(void **state)
{
    (void)state;
    keep(&one, true);
    KARTA_AUTO_TEXT before = strdup(one.cert);
    stop(&one);
    start(&one, more, 2, NEVER_MS);
    stop(&two);
    start(&two, more, 2, SOON_MS);
    keep(&one, true);
    tell(&one);
    keep(&one, true);
    assert_string_equal(one.cert, before); /* not for long enough */
    keep(&two, true);
    keep(&two, true);
    assert_string_equal(two.cert, before); /* nobody was told */
    tell(&two);
    keep(&two, false);
    assert_string_equal(two.cert, before); /* another leads */
    keep(&two, true);
    assert_string_not_equal(two.cert, before);
    keep(&one, false);
    assert_string_equal(one.cert, two.cert);
}

/* Makes the CA in the Secret one that is past two thirds of its life. */
static void age_ca(void)
{
    KARTA_AUTO_TEXT cert_text = entry("ca.crt");
    KARTA_AUTO_TEXT key_text = entry("ca.key");
    BIO *cert_bio = BIO_new_mem_buf(cert_text, -1), *key_bio = BIO_new_mem_buf(key_text, -1);
    X509 *cert = PEM_read_bio_X509(cert_bio, NULL, NULL, NULL);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(key_bio, NULL, NULL, NULL);
    X509_gmtime_adj(X509_getm_notBefore(cert), -8 * 86400);
    X509_gmtime_adj(X509_getm_notAfter(cert), 2 * 86400);
    assert_int_not_equal(X509_sign(cert, key, EVP_sha256()), 0);
    BIO *out = BIO_new(BIO_s_mem());
    char *data;
    PEM_write_bio_X509(out, cert);
    long size = BIO_get_mem_data(out, &data);
    KARTA_AUTO_TEXT text = strndup(data, (size_t)size);
    set_entry("ca.crt", text);
    set_entry("ca-bundle.crt", text);
    BIO_free(out);
    BIO_free(cert_bio);
    BIO_free(key_bio);
    X509_free(cert);
    EVP_PKEY_free(key);
}

static void keep__follows_a_ca_step_by_step(void **state)
{
    (void)state;
    keep(&two, true);
    tell(&two);
    age_ca();
    KARTA_AUTO_TEXT before = strdup(two.cert);
    keep(&two, true);
    assert_int_equal(count(serving_bundle(two.serving)), 2);
    assert_string_equal(two.cert, before);
    /* what callers had before is not what they must have now */
    keep(&two, true);
    assert_string_equal(two.cert, before);
    /* another replica goes on from here */
    keep(&one, true);
    tell(&one);
    keep(&one, true);
    assert_int_equal(count(serving_bundle(one.serving)), 2);
    assert_string_equal(one.cert, before);
    tell(&two);
    keep(&two, true);
    assert_string_not_equal(two.cert, before);
    assert_int_equal(count(serving_bundle(two.serving)), 2);
    keep(&one, false);
    assert_string_equal(one.cert, two.cert);
}

static void keep__leaves_nonsense_to_whoever_wrote_it(void **state)
{
    (void)state;
    keep(&one, true);
    KARTA_AUTO_TEXT good = entry("tls.key");
    set_entry("tls.key", "nonsense");
    keep_fails(&one, true,
               "secret karta/karta-tls: tls.key holds no PEM private key: what was served before "
               "stays; delete the secret to have it made anew");
    KARTA_AUTO_TEXT kept = entry("tls.key");
    assert_string_equal(kept, "nonsense");
    assert_int_equal(one.served, 1);
    assert_non_null(serving_bundle(one.serving));
    set_entry("tls.key", good);
    keep(&one, true);
    assert_int_equal(one.served, 1);
}

static void keep__puts_back_what_was_deleted(void **state)
{
    (void)state;
    keep(&one, true);
    KARTA_AUTO_TEXT before = strdup(one.cert);
    api_server_delete(follower.server, "secrets", "karta", "karta-tls");
    keep(&one, false);
    KARTA_AUTO_TEXT after = entry("tls.crt");
    assert_string_equal(after, before);
    keep(&two, false);
    assert_string_equal(two.cert, before);
}

/* The bundle is more than what the Secret says of it: it has the CA that signs. */
static void keep__mends_the_bundle(void **state)
{
    (void)state;
    keep(&one, true);
    set_entry("ca-bundle.crt", "");
    keep(&two, false);
    assert_int_equal(count(serving_bundle(two.serving)), 1);
}

static void keep__tries_again_what_could_not_be_served(void **state)
{
    (void)state;
    one.refuses = true;
    keep_fails(&one, true, "not today");
    one.refuses = false;
    keep(&one, true);
    assert_int_equal(one.served, 1);
}

/* Somebody wrote in between: nothing is overwritten. */
static void keep__writes_only_on_what_it_read(void **state)
{
    (void)state;
    keep(&one, true);
    age_ca();
    api_server_fault(follower.server, "update", "secrets", API_FAULT_STATUS, 409, 1);
    struct karta_error err = {0};
    assert_int_equal(serving_keep(one.serving, client, true, &err), KARTA_ERR_CONFLICT);
    keep(&one, true);
    assert_int_equal(count(serving_bundle(one.serving)), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keep__makes_the_secret_once),
        TEST(keep__says_who_was_faster),
        TEST(keep__names_what_may_not_be),
        TEST(keep__renews_when_callers_had_the_bundle),
        TEST(keep__follows_a_ca_step_by_step),
        TEST(keep__leaves_nonsense_to_whoever_wrote_it),
        TEST(keep__puts_back_what_was_deleted),
        TEST(keep__mends_the_bundle),
        TEST(keep__tries_again_what_could_not_be_served),
        TEST(keep__writes_only_on_what_it_read),
    };
    return cmocka_run_group_tests_name("cluster.serving", tests, NULL, NULL);
}
