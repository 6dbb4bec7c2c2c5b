/* SPDX-License-Identifier: Apache-2.0 */
/* Reads PEM: what a certificate says, and whether a pair can serve. Nothing here writes. */
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "certs_internal.h"

/* a chain is a few KiB */
#define LIMIT_PEM_BYTES (1U << 20)

int64_t certs_time(const ASN1_TIME *time)
{
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

X509 *certs_pem_cert(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = bio != NULL ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();
    return cert;
}

/* Never asks: a key under a passphrase cannot be served, and a prompt would hang the server. */
static int no_passphrase(char *text, int room, int writing, void *unused)
{
    (void)text, (void)room, (void)writing, (void)unused;
    return -1;
}

EVP_PKEY *certs_pem_key(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();
    return key;
}

static void print_serial(const X509 *cert, char *text, size_t room)
{
    const ASN1_INTEGER *serial = X509_get0_serialNumber(cert);
    const unsigned char *bytes = ASN1_STRING_get0_data(serial);
    text[0] = '\0';
    for (int i = 0; i < ASN1_STRING_length(serial) && 2 * (size_t)i + 3 <= room; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static void print_subject(const X509 *cert, char *text, size_t room)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *data = NULL;
    long size = 0;
    if (bio != NULL &&
        X509_NAME_print_ex(bio, X509_get_subject_name((X509 *)cert), 0, XN_FLAG_RFC2253) >= 0)
        size = BIO_get_mem_data(bio, &data);
    snprintf(text, room, "%.*s", (int)size, data != NULL ? data : "");
    BIO_free(bio);
}

static void fill_info(const X509 *cert, struct certs_info *info)
{
    info->not_before = certs_time(X509_get0_notBefore(cert));
    info->not_after = certs_time(X509_get0_notAfter(cert));
    print_serial(cert, info->serial, sizeof info->serial);
    print_subject(cert, info->subject, sizeof info->subject);
    certs_sans_print(cert, info->sans, sizeof info->sans);
}

int certs_read_info(const char *path, struct certs_info *info, struct karta_error *err)
{
    KARTA_AUTO_TEXT pem = NULL;
    size_t size;
    int rc = file_read_regular(path, LIMIT_PEM_BYTES, &pem, &size, err);
    if (rc != 0)
        return rc;
    CERTS_AUTO_X509 cert = certs_pem_cert(pem);
    if (cert == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "%s holds no PEM certificate", path);
    fill_info(cert, info);
    return 0;
}

static void print_day(int64_t at, char text[32])
{
    time_t seconds = (time_t)at;
    struct tm parts;
    if (gmtime_r(&seconds, &parts) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
}

static int check_validity(const struct certs_info *info, int64_t now, struct karta_error *err)
{
    char day[32];
    if (now < info->not_before) {
        print_day(info->not_before, day);
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the certificate is not valid before %s",
                               day);
    }
    if (now > info->not_after) {
        print_day(info->not_after, day);
        return karta_error_set(err, KARTA_ERR_SCHEMA, "the certificate expired at %s", day);
    }
    return 0;
}

int certs_check_pair(const char *cert_pem, const char *key_pem, int64_t now,
                     struct certs_info *info, struct karta_error *err)
{
    CERTS_AUTO_X509 cert = certs_pem_cert(cert_pem);
    if (cert == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA, "there is no PEM certificate");
    CERTS_AUTO_KEY key = certs_pem_key(key_pem);
    if (key == NULL)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "there is no PEM private key without a passphrase");
    int matches = X509_check_private_key(cert, key);
    ERR_clear_error();
    if (matches != 1)
        return karta_error_set(err, KARTA_ERR_SCHEMA,
                               "the private key does not belong to the certificate");
    struct certs_info own;
    struct certs_info *target = info != NULL ? info : &own;
    fill_info(cert, target);
    return check_validity(target, now, err);
}
