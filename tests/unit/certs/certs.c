/* SPDX-License-Identifier: Apache-2.0 */
/* What certs_ensure makes, keeps and makes anew, judged by what OpenSSL reads back. */
#include "certs.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "support.h"

#define DAY 86400

static char dir[] = "/tmp/karta-certs-XXXXXX";
static const char *const sans[] = {"localhost", "127.0.0.1", "::1"};

static int make_folder(void **state)
{
    (void)state;
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"ca.crt", "ca.key", "tls.crt", "tls.key", ".lock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, names[i]);
        unlink(path);
    }
    return rmdir(dir);
}

static struct certs_options options(void)
{
    return (struct certs_options){.dir = dir, .sans = sans, .san_count = 3};
}

static int ensure(const struct certs_options *what)
{
    struct karta_error err = {0};
    int renewed = -1;
    int rc = certs_ensure(what, &renewed, &err);
    if (rc != 0)
        print_error("%s\n", err.message);
    assert_int_equal(rc, 0);
    return renewed;
}

static struct certs_info info_of(const char *name)
{
    struct certs_info info;
    struct karta_error err = {0};
    KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, name);
    assert_int_equal(certs_read_info(path, &info, &err), 0);
    return info;
}

static char *read_part(const char *name)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, name);
    char *text = calloc(1, 8192);
    FILE *file = fopen(path, "re");
    assert_non_null(text);
    assert_non_null(file);
    text[fread(text, 1, 8191, file)] = '\0';
    fclose(file);
    return text;
}

static void write_part(const char *name, const char *text)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static X509 *read_cert(const char *name)
{
    KARTA_AUTO_TEXT text = read_part(name);
    BIO *bio = BIO_new_mem_buf(text, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(cert);
    return cert;
}

static int mode_of(const char *name)
{
    struct stat info;
    KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, name);
    assert_int_equal(stat(path, &info), 0);
    return (int)(info.st_mode & 07777);
}

static void ensure__makes_what_is_missing_and_keeps_it(void **state)
{
    (void)state;
    struct certs_options what = options();
    assert_int_equal(ensure(&what), 1);
    assert_int_equal(mode_of("ca.key"), 0600);
    assert_int_equal(mode_of("tls.key"), 0600);
    struct certs_info ca = info_of("ca.crt");
    struct certs_info leaf = info_of("tls.crt");
    assert_string_equal(leaf.sans, "localhost,127.0.0.1,::1");
    assert_string_equal(leaf.subject, "CN=karta-webhook");
    assert_string_equal(ca.subject, "CN=karta-webhook CA");
    assert_int_equal(strlen(leaf.serial), 32);
    assert_string_not_equal(leaf.serial, ca.serial);
    int64_t now = time(NULL);
    assert_in_range(now - leaf.not_before, 295, 310);
    assert_in_range(leaf.not_after - now, 365 * DAY - 10, 365 * DAY);
    assert_in_range(ca.not_after - now, 3650LL * DAY - 10, 3650LL * DAY);
    assert_int_equal(ensure(&what), 0);
    assert_string_equal(info_of("tls.crt").serial, leaf.serial);
    assert_string_equal(info_of("ca.crt").serial, ca.serial);
}

static void ensure__folder_is_made_private(void **state)
{
    (void)state;
    struct certs_options what = options();
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(ensure(&what), 1);
    assert_int_equal(mode_of("."), 0700);
}

static void ensure__extensions_are_those_of_rfc_5280(void **state)
{
    (void)state;
    struct certs_options what = options();
    ensure(&what);
    X509 *ca = read_cert("ca.crt");
    X509 *leaf = read_cert("tls.crt");
    assert_int_equal(X509_get_version(leaf), X509_VERSION_3);
    assert_int_equal(X509_get_key_usage(ca), KU_KEY_CERT_SIGN | KU_CRL_SIGN);
    assert_int_equal(X509_check_ca(ca), 1);
    assert_int_equal(X509_get_key_usage(leaf), KU_DIGITAL_SIGNATURE);
    assert_int_equal(X509_get_extended_key_usage(leaf), XKU_SSL_SERVER);
    assert_int_equal(X509_check_ca(leaf), 0);
    assert_int_equal(X509_check_purpose(leaf, X509_PURPOSE_SSL_SERVER, 0), 1);
    assert_int_equal(X509_check_issued(ca, leaf), X509_V_OK);
    assert_int_equal(X509_verify(leaf, X509_get0_pubkey(ca)), 1);
    assert_int_equal(X509_check_host(leaf, "localhost", 0, 0, NULL), 1);
    assert_int_equal(X509_check_host(leaf, "example.com", 0, 0, NULL), 0);
    assert_int_equal(X509_check_ip_asc(leaf, "127.0.0.1", 0), 1);
    assert_int_equal(X509_check_ip_asc(leaf, "::1", 0), 1);
    assert_int_equal(EVP_PKEY_get_bits(X509_get0_pubkey(leaf)), 256);
    X509_free(ca);
    X509_free(leaf);
}

static void ensure__serving_file_is_leaf_then_ca(void **state)
{
    (void)state;
    struct certs_options what = options();
    ensure(&what);
    KARTA_AUTO_TEXT chain = read_part("tls.crt");
    KARTA_AUTO_TEXT ca = read_part("ca.crt");
    size_t size = strlen(chain);
    assert_true(size > strlen(ca));
    assert_string_equal(chain + size - strlen(ca), ca);
}

static void ensure__a_wanted_name_that_lacks_renews_the_leaf_alone(void **state)
{
    (void)state;
    static const char *const more[] = {"localhost", "karta-webhook.karta.svc", "10.0.0.7"};
    static const char *const fewer[] = {"LOCALHOST", "10.0.0.7"};
    struct certs_options what = options();
    ensure(&what);
    struct certs_info ca = info_of("ca.crt");
    what.sans = more;
    assert_int_equal(ensure(&what), 1);
    assert_string_equal(info_of("tls.crt").sans, "localhost,karta-webhook.karta.svc,10.0.0.7");
    what.sans = fewer;
    what.san_count = 2;
    assert_int_equal(ensure(&what), 0);
    assert_string_equal(info_of("ca.crt").serial, ca.serial);
}

/* Makes DIR/tls.crt anew, by the same CA and with the same key and names, so that `passed` of its
 * `life` seconds are over. */
static void age_leaf(int64_t life, int64_t passed)
{
    X509 *leaf = read_cert("tls.crt");
    KARTA_AUTO_TEXT text = read_part("ca.key");
    BIO *bio = BIO_new_mem_buf(text, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    time_t now = time(NULL);
    ASN1_TIME_set(X509_getm_notBefore(leaf), now - passed);
    ASN1_TIME_set(X509_getm_notAfter(leaf), now - passed + life);
    assert_true(X509_sign(leaf, key, EVP_sha256()) > 0);
    KARTA_AUTO_TEXT path = mem_format("%s/tls.crt", dir);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, leaf), 1);
    fclose(file);
    EVP_PKEY_free(key);
    X509_free(leaf);
}

static void ensure__past_two_thirds_of_its_life_the_leaf_is_renewed(void **state)
{
    (void)state;
    struct certs_options what = options();
    ensure(&what);
    struct certs_info ca = info_of("ca.crt");
    age_leaf(30 * DAY, 20 * DAY - 60);
    assert_int_equal(ensure(&what), 0);
    age_leaf(30 * DAY, 20 * DAY);
    assert_int_equal(ensure(&what), 1);
    age_leaf(30 * DAY, 31 * DAY);
    assert_int_equal(ensure(&what), 1);
    age_leaf(30 * DAY, -3600);
    assert_int_equal(ensure(&what), 1);
    assert_string_equal(info_of("ca.crt").serial, ca.serial);
}

static void ensure__what_is_broken_is_made_anew(void **state)
{
    (void)state;
    struct certs_options what = options();
    ensure(&what);
    write_part("tls.key", "-----BEGIN PRIVATE KEY-----\n");
    assert_int_equal(ensure(&what), 1);
    KARTA_AUTO_TEXT other = read_part("ca.key");
    write_part("tls.key", other); /* a key, but of another certificate */
    assert_int_equal(ensure(&what), 1);
    struct certs_info before = info_of("ca.crt");
    write_part("ca.key", "");
    assert_int_equal(ensure(&what), 1); /* a new CA makes the leaf somebody else's */
    assert_string_not_equal(info_of("ca.crt").serial, before.serial);
    assert_int_equal(ensure(&what), 0);
}

static void ensure__leaf_never_outlives_its_ca(void **state)
{
    (void)state;
    struct certs_options what = options();
    what.ca_days = 30;
    ensure(&what);
    assert_int_equal(info_of("tls.crt").not_after, info_of("ca.crt").not_after);
}

static void assert_refused_san(const char *san, const char *message)
{
    struct karta_error err = {0};
    struct certs_options what = {.dir = dir, .sans = &san, .san_count = 1};
    assert_int_equal(certs_ensure(&what, NULL, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, message);
}

static void ensure__sans_are_names_or_addresses(void **state)
{
    (void)state;
    assert_refused_san("a b", "san \"a b\" is neither a DNS name nor an IP address");
    assert_refused_san("", "san \"\" is neither a DNS name nor an IP address");
    assert_refused_san("a..b", "san \"a..b\" is neither a DNS name nor an IP address");
    assert_refused_san("a.", "san \"a.\" is neither a DNS name nor an IP address");
    assert_refused_san("-a", "san \"-a\" is neither a DNS name nor an IP address");
    assert_refused_san("10.0.0.1/8", "san \"10.0.0.1/8\" is neither a DNS name nor an IP address");
    struct karta_error err = {0};
    struct certs_options none = {.dir = dir};
    assert_int_equal(certs_ensure(&none, NULL, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "a serving certificate needs a san");
}

static void ensure__folder_that_cannot_be(void **state)
{
    (void)state;
    struct karta_error err = {0};
    struct certs_options what = options();
    what.dir = "/proc/nowhere";
    assert_int_equal(certs_ensure(&what, NULL, &err), KARTA_ERR_IO);
    assert_string_equal(err.message, "cannot make folder /proc/nowhere: no such file or directory");
}

static void ensure__two_processes_make_one_pair(void **state)
{
    (void)state;
    struct certs_options what = options();
    pid_t pids[4];
    int renewals = 0;
    for (size_t i = 0; i < 4; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            int renewed = 0;
            _exit(certs_ensure(&what, &renewed, NULL) == 0 ? renewed : 9);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        renewals += WEXITSTATUS(status);
    }
    assert_int_equal(renewals, 1);
}

static void assert_bad_pair(const char *cert, const char *key, int64_t now, const char *message)
{
    struct karta_error err = {0};
    assert_int_equal(certs_check_pair(cert, key, now, NULL, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, message);
}

static void check_pair__says_what_is_wrong(void **state)
{
    (void)state;
    struct certs_options what = options();
    ensure(&what);
    KARTA_AUTO_TEXT cert = read_part("tls.crt");
    KARTA_AUTO_TEXT key = read_part("tls.key");
    KARTA_AUTO_TEXT other = read_part("ca.key");
    struct certs_info info;
    assert_int_equal(certs_check_pair(cert, key, time(NULL), &info, NULL), 0);
    assert_string_equal(info.sans, "localhost,127.0.0.1,::1");
    assert_bad_pair("", key, time(NULL), "there is no PEM certificate");
    assert_bad_pair(cert, cert, time(NULL), "there is no PEM private key without a passphrase");
    assert_bad_pair(cert, other, time(NULL), "the private key does not belong to the certificate");
    struct karta_error err = {0};
    assert_int_equal(certs_check_pair(cert, key, info.not_after + 1, NULL, &err), KARTA_ERR_SCHEMA);
    assert_int_equal(strncmp(err.message, "the certificate expired at 2", 28), 0);
    karta_error_init(&err);
    assert_int_equal(certs_check_pair(cert, key, info.not_before - 1, NULL, &err),
                     KARTA_ERR_SCHEMA);
    assert_int_equal(strncmp(err.message, "the certificate is not valid before 2", 37), 0);
}

static void read_info__of_what_is_no_certificate(void **state)
{
    (void)state;
    struct certs_info info;
    struct karta_error err = {0};
    assert_int_equal(certs_read_info("/etc/hostname", &info, &err), KARTA_ERR_SCHEMA);
    assert_string_equal(err.message, "/etc/hostname holds no PEM certificate");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ensure__makes_what_is_missing_and_keeps_it),
        TEST(ensure__folder_is_made_private),
        TEST(ensure__extensions_are_those_of_rfc_5280),
        TEST(ensure__serving_file_is_leaf_then_ca),
        TEST(ensure__a_wanted_name_that_lacks_renews_the_leaf_alone),
        TEST(ensure__past_two_thirds_of_its_life_the_leaf_is_renewed),
        TEST(ensure__what_is_broken_is_made_anew),
        TEST(ensure__leaf_never_outlives_its_ca),
        TEST(ensure__sans_are_names_or_addresses),
        TEST(ensure__folder_that_cannot_be),
        TEST(ensure__two_processes_make_one_pair),
        TEST(check_pair__says_what_is_wrong),
        TEST(read_info__of_what_is_no_certificate),
    };
    return cmocka_run_group_tests_name("certs", tests, NULL, NULL);
}
