/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes keys and certificates. ECDSA P-256 throughout: a handshake costs the server half of what
 * RSA costs, and the API server opens more connections than it keeps. Profiles are RFC 5280's.
 */
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

#include "certs_internal.h"

/* clocks of a cluster differ a little */
#define BACKDATE_SECONDS 300
#define DAY_SECONDS 86400

int certs_fail(struct karta_error *err, const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return karta_error_set(err, KARTA_ERR_INTERNAL, "cannot %s: %s", what,
                           reason != NULL ? reason : "out of memory");
}

EVP_PKEY *certs_key_new(void)
{
    return EVP_EC_gen("P-256");
}

static bool set_serial(X509 *cert)
{
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return false;
    bytes[0] = (unsigned char)((bytes[0] & 0x3f) | 0x40); /* positive, and never shorter */
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool set = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert)) != NULL;
    BN_free(number);
    return set;
}

static bool set_validity(X509 *cert, const struct certs_issue *what)
{
    time_t now = time(NULL);
    if (ASN1_TIME_set(X509_getm_notBefore(cert), now - BACKDATE_SECONDS) == NULL)
        return false;
    int64_t end = (int64_t)now + what->days * DAY_SECONDS;
    int64_t limit = what->issuer != NULL ? certs_time(X509_get0_notAfter(what->issuer)) : end;
    return ASN1_TIME_set(X509_getm_notAfter(cert), (time_t)(end < limit ? end : limit)) != NULL;
}

static bool set_names(X509 *cert, const struct certs_issue *what)
{
    X509_NAME *name = X509_get_subject_name(cert);
    if (X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)what->name, -1,
                                   -1, 0) != 1)
        return false;
    const X509_NAME *issuer =
        what->issuer != NULL ? X509_get_subject_name((X509 *)what->issuer) : name;
    return X509_set_issuer_name(cert, issuer) == 1;
}

static bool add_extension(X509 *cert, const X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, (X509 *)(issuer != NULL ? issuer : cert), cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
    bool added = extension != NULL && X509_add_ext(cert, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

static GENERAL_NAME *san_name(const char *san, struct karta_error *err)
{
    unsigned char address[16];
    size_t size;
    if (certs_san_parse(san, address, &size, err) != 0)
        return NULL;
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *value = ASN1_STRING_type_new(size > 0 ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
    if (name == NULL || value == NULL ||
        (size > 0 ? ASN1_STRING_set(value, address, (int)size) : ASN1_STRING_set(value, san, -1)) !=
            1) {
        GENERAL_NAME_free(name);
        ASN1_STRING_free(value);
        certs_fail(err, "write a subject alternative name");
        return NULL;
    }
    GENERAL_NAME_set0_value(name, size > 0 ? GEN_IPADD : GEN_DNS, value);
    return name;
}

static int add_sans(X509 *cert, const struct certs_issue *what, struct karta_error *err)
{
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    int rc = names != NULL ? 0 : certs_fail(err, "write the subject alternative names");
    for (size_t i = 0; rc == 0 && i < what->san_count; i++) {
        GENERAL_NAME *name = san_name(what->sans[i], err);
        if (name == NULL)
            rc = err != NULL ? err->code : KARTA_ERR_SCHEMA;
        else if (sk_GENERAL_NAME_push(names, name) == 0)
            GENERAL_NAME_free(name), rc = certs_fail(err, "write the subject alternative names");
    }
    if (rc == 0 && X509_add1_ext_i2d(cert, NID_subject_alt_name, names, 0, 0) != 1)
        rc = certs_fail(err, "write the subject alternative names");
    GENERAL_NAMES_free(names);
    return rc;
}

static bool add_usages(X509 *cert, const struct certs_issue *what)
{
    bool ca = what->issuer == NULL;
    return add_extension(cert, what->issuer, NID_basic_constraints,
                         ca ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") &&
           add_extension(cert, what->issuer, NID_key_usage,
                         ca ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
           (ca || add_extension(cert, what->issuer, NID_ext_key_usage, "serverAuth")) &&
           add_extension(cert, what->issuer, NID_subject_key_identifier, "hash") &&
           add_extension(cert, what->issuer, NID_authority_key_identifier, "keyid:always");
}

int certs_issue(const struct certs_issue *what, X509 **cert, struct karta_error *err)
{
    CERTS_AUTO_X509 made = X509_new();
    if (made == NULL || X509_set_version(made, X509_VERSION_3) != 1 || !set_serial(made) ||
        !set_validity(made, what) || !set_names(made, what) ||
        X509_set_pubkey(made, what->key) != 1 || !add_usages(made, what))
        return certs_fail(err, "make a certificate");
    int rc = what->san_count > 0 ? add_sans(made, what, err) : 0;
    if (rc != 0)
        return rc;
    if (X509_sign(made, what->issuer != NULL ? what->issuer_key : what->key, EVP_sha256()) == 0)
        return certs_fail(err, "sign a certificate");
    *cert = made;
    made = NULL;
    return 0;
}

/* What was written to `bio`, as new text; the bio is freed. */
static char *take_bio(BIO *bio, int written)
{
    char *data = NULL;
    long size = bio != NULL && written == 1 ? BIO_get_mem_data(bio, &data) : 0;
    char *text = size > 0 ? strndup(data, (size_t)size) : NULL;
    BIO_free(bio);
    return text;
}

char *certs_key_pem(EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_mem());
    return take_bio(
        bio, bio != NULL ? PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) : 0);
}

char *certs_chain_pem(X509 *cert, X509 *issuer)
{
    BIO *bio = BIO_new(BIO_s_mem());
    int written = bio != NULL ? PEM_write_bio_X509(bio, cert) : 0;
    if (written == 1 && issuer != NULL)
        written = PEM_write_bio_X509(bio, issuer);
    return take_bio(bio, written);
}
