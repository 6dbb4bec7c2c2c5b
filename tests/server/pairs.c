/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "certs.h"

static const char *const sans[] = {"127.0.0.1", "localhost"};

void make_pair(const struct running *server, const char *name)
{
    KARTA_AUTO_TEXT dir = mem_format("%s/%s", server->dir, name);
    struct certs_options options = {.dir = dir, .sans = sans, .san_count = 2};
    struct karta_error err = {0};
    assert_int_equal(certs_ensure(&options, NULL, &err), 0);
}

struct pem {
    gnutls_x509_crt_t cert;
    gnutls_x509_privkey_t key;
};

static gnutls_datum_t read_pem(const char *path)
{
    gnutls_datum_t text;
    assert_int_equal(gnutls_load_file(path, &text), 0);
    return text;
}

static void load_ca(const struct running *server, const char *name, struct pem *ca)
{
    KARTA_AUTO_TEXT cert_path = mem_format("%s/%s/ca.crt", server->dir, name);
    KARTA_AUTO_TEXT key_path = mem_format("%s/%s/ca.key", server->dir, name);
    gnutls_datum_t cert = read_pem(cert_path);
    gnutls_datum_t key = read_pem(key_path);
    gnutls_x509_crt_init(&ca->cert);
    gnutls_x509_privkey_init(&ca->key);
    assert_int_equal(gnutls_x509_crt_import(ca->cert, &cert, GNUTLS_X509_FMT_PEM), 0);
    assert_int_equal(gnutls_x509_privkey_import(ca->key, &key, GNUTLS_X509_FMT_PEM), 0);
    gnutls_free(cert.data);
    gnutls_free(key.data);
}

static void save(const struct running *server, const char *name, const char *suffix,
                 gnutls_datum_t text)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s.%s", server->dir, name, suffix);
    write_text(path, (const char *)text.data);
    gnutls_free(text.data);
}

static void free_pem(struct pem *pem)
{
    gnutls_x509_crt_deinit(pem->cert);
    gnutls_x509_privkey_deinit(pem->key);
}

static void fill_cert(gnutls_x509_crt_t cert, const struct cert_wish *wish)
{
    static const unsigned char address[] = {127, 0, 0, 1};
    gnutls_x509_crt_set_version(cert, 3);
    gnutls_x509_crt_set_serial(cert, "\x01\x02", 2);
    gnutls_x509_crt_set_activation_time(cert, time(NULL) + wish->from);
    gnutls_x509_crt_set_expiration_time(cert, time(NULL) + wish->to);
    gnutls_x509_crt_set_dn(cert, "CN=kube-apiserver", NULL);
    gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_DNSNAME, "localhost", 9,
                                         GNUTLS_FSAN_APPEND);
    gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_IPADDRESS, address, sizeof address,
                                         GNUTLS_FSAN_APPEND);
    gnutls_x509_crt_set_key_purpose_oid(cert, wish->purpose, 0);
}

void make_cert(const struct running *server, const struct cert_wish *wish)
{
    struct pem ca;
    struct pem own;
    gnutls_datum_t text;
    load_ca(server, wish->ca, &ca);
    gnutls_x509_crt_init(&own.cert);
    gnutls_x509_privkey_init(&own.key);
    assert_int_equal(gnutls_x509_privkey_generate(own.key, GNUTLS_PK_ECDSA,
                                                  GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
                                                  0),
                     0);
    fill_cert(own.cert, wish);
    gnutls_x509_crt_set_key(own.cert, own.key);
    assert_int_equal(gnutls_x509_crt_sign2(own.cert, ca.cert, ca.key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(own.cert, GNUTLS_X509_FMT_PEM, &text), 0);
    save(server, wish->name, "crt", text);
    assert_int_equal(gnutls_x509_privkey_export2(own.key, GNUTLS_X509_FMT_PEM, &text), 0);
    save(server, wish->name, "key", text);
    free_pem(&own);
    free_pem(&ca);
}

char *read_below(const struct running *server, const char *name)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", server->dir, name);
    char *text = calloc(1, 8192);
    FILE *file = fopen(path, "re");
    assert_non_null(text);
    assert_non_null(file);
    text[fread(text, 1, 8191, file)] = '\0';
    fclose(file);
    return text;
}

void write_below(const struct running *server, const char *name, const char *text)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", server->dir, name);
    write_text(path, text);
}

void install(const struct running *server, const char *from, const char *to)
{
    KARTA_AUTO_TEXT text = read_below(server, from);
    KARTA_AUTO_TEXT target = mem_format("%s/%s", server->dir, to);
    KARTA_AUTO_TEXT copy = mem_format("%s.new", target);
    write_text(copy, text);
    assert_int_equal(rename(copy, target), 0);
}

void install_pair(const struct running *server, const char *from)
{
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", from);
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", from);
    install(server, key, "tls.key");
    pause_ms(100); /* as a careful writer: for a moment they do not belong together */
    install(server, cert, "tls.crt");
}

void start_with_files(struct running *server)
{
    running_init(server);
    make_pair(server, "a");
    make_pair(server, "b");
    install(server, "a/tls.key", "tls.key");
    install(server, "a/tls.crt", "tls.crt");
    KARTA_AUTO_TEXT cert = mem_format("%s/tls.crt", server->dir);
    KARTA_AUTO_TEXT key = mem_format("%s/tls.key", server->dir);
    running_start(server, (const char *[]){"--drain", "0", "--tls-cert-file", cert,
                                           "--tls-key-file", key, NULL});
    snprintf(server->ca, sizeof server->ca, "%s/a/ca.crt", server->dir);
}

bool is_served(const struct running *server, const char *name, int ms)
{
    KARTA_AUTO_TEXT ca = mem_format("%s/%s/ca.crt", server->dir, name);
    struct client_tls tls = {.ca = ca};
    for (int64_t limit = clock_ms() + ms;; pause_ms(20)) {
        struct client client;
        if (client_open(&client, server->https, &tls)) {
            client_close(&client);
            return true;
        }
        if (clock_ms() >= limit)
            return false;
    }
}

size_t count_warnings(const struct running *server)
{
    KARTA_AUTO_TEXT log = running_log(server);
    size_t count = 0;
    for (const char *at = log; (at = strstr(at, "level=warn")) != NULL; at++)
        count++;
    return count;
}
